package budget

import (
	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// crowded is how many nodes of one part of the network prove readers, in one sample; see engine.Prefixer.
const crowded = 2

// checkSample calls then with the nodes that have signed a subscription to a channel, each counted once. Those that
// crowd a part of the network are marked.
func (c *core) checkSample(m *Proof, channel engine.ID, then func(signed []roster.Sampled)) {
	sample := make([]roster.Sampled, 0, len(m.Subscriptions))
	var proofs []machine.Signed
	seen := make(map[engine.ID]bool)
	for i := range m.Subscriptions {
		s := &m.Subscriptions[i]
		if seen[s.Node.ID] || s.Count == 0 || !c.fresh(s.Stamp) {
			continue
		}
		seen[s.Node.ID] = true
		count := float64(min(int64(s.Count), int64(c.config.MaxCount)))
		sample = append(sample, roster.Sampled{Node: s.Node.ID, Count: count,
			Rank: roster.Rank(s.Node.ID, count, m.Nonce)})
		proofs = append(proofs, machine.Signed{By: s.Node, Words: s.Words(channel), Signature: s.Signature})
	}
	c.CheckSigned(proofs, func(valid []bool) {
		var signed []roster.Sampled
		beside := make(map[string]int) // by prefix
		for i, s := range sample {
			if !valid[i] {
				continue
			}
			if prefix := engine.PrefixOf(c.Env, proofs[i].By.Address); prefix != "" {
				s.Crowded = beside[prefix] >= crowded
				beside[prefix]++
			}
			signed = append(signed, s)
		}
		then(signed)
	})
}

// fresh reports whether a subscription's stamp is recent enough for it to be still renewed.
func (c *core) fresh(stamp uint64) bool {
	oldest := c.Env.Wall().Add(-freshReaders*c.config.Forget - clockError).UnixMilli()
	return stamp >= uint64(max(0, oldest))
}

// shownEach is about how many proofs a primary sends to each member of a set in a maintenance interval. It sends
// shownMore more in all.
const shownEach, shownMore = 4, 64

// showReaders proves the readers of a channel to a node in the largest set that its owners allow.
func (c *claims) showReaders(to engine.Peer, p *permit, nonce uint64) {
	held, most := c.held(p), uint32(shownMore)
	if len(p.claim.Pollers) > 0 {
		most += shownEach * p.claim.Pollers[0]
	}
	switch {
	case held == nil || held.alone() || !machine.ArcOf(p.channel.ID, held.Size).Contains(to.ID):
	case p.shown >= most:
		c.LimitHit("shownEach", shownEach)
	default:
		p.shown++
		c.Env.Send(to, &Proof{Claim: Claim{URL: p.channel.URL}, Nonce: nonce,
			Subscriptions: c.host.Sample(p.channel.ID, nonce)})
	}
}
