package budget

import (
	"encoding/binary"
	"math"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

const (
	// crowded is how many nodes of one part of the network prove readers, in one sample; see engine.Prefixer.
	crowded = 2
	// freshReaders times Config.Forget is the age of subscriptions that prove nothing.
	freshReaders = 2
	// clockError is by how much clocks of nodes may differ.
	clockError = 5 * time.Minute
	// unseen is how many other channels of a host with the same subscriber do not count. Sets of two channels overlap
	// by chance.
	unseen = 1
)

// reader is a node of a sample.
type reader struct {
	node  uint64  // the first half of its ID
	count float32 // readers it counts for
	// stands is how many readers the sample has in its place: its count over the chance that it is in the sample.
	stands float32
}

// readersOf returns the nodes of a sample that count.
func readersOf(sample []roster.Sampled) (list []reader) {
	for i, stands := range roster.Stands(sample) {
		if s := sample[i]; stands > 0 {
			list = append(list, reader{binary.BigEndian.Uint64(s.Node[:]), float32(s.Count), float32(stands)})
		}
	}
	return list
}

// readers returns how many readers of a channel are proved, with room for errors. A node that also subscribes to other
// channels of the host counts for less, if that makes more than MaxHostReaders. This node knows the channels that it
// polls: it counts each for as many as there are for one that a node polls.
func (b *Budget) readers(k *proving) (all float64) {
	others := b.others(k)
	for _, r := range k.sample {
		share := 1.
		if o := others[r.node]; o.channels > unseen {
			share = min(1, float64(b.config.MaxHostReaders)/(float64(r.count)+o.readers))
		}
		all += float64(r.stands) * share
	}
	return all * k.room
}

// elsewhere is what one subscriber reads of a host besides one channel.
type elsewhere struct {
	channels int     // that are assigned here
	readers  float64 // in all channels, as estimated
}

// others returns what the readers of a channel read of its host besides, if enough other channels are assigned here.
func (b *Budget) others(k *proving) map[uint64]elsewhere {
	list := b.proofs.hosts[k.host].list
	if len(list) <= 1+unseen {
		return nil
	}
	sums, nodes := make(map[uint64]elsewhere), float64(b.host.Nodes())
	for _, o := range list {
		if o == k || o.looks { // of the latter it does not know how many nodes see it
			continue
		}
		// one of so many nodes sees the channel
		weight := math.Max(1, nodes/math.Max(1, o.pollers))
		for _, r := range o.sample {
			sum := sums[r.node]
			sums[r.node] = elsewhere{sum.channels + 1, sum.readers + float64(r.count)*weight}
		}
	}
	return sums
}

// checkSample calls then with the nodes that have signed a subscription to a channel, each counted once. Those that
// crowd a part of the network are marked.
func (b *Budget) checkSample(m *Proof, then func(signed []roster.Sampled)) {
	sample := make([]roster.Sampled, 0, len(m.Subscriptions))
	var proofs []machine.Signed
	seen := make(map[engine.ID]bool)
	for i := range m.Subscriptions {
		s := &m.Subscriptions[i]
		if seen[s.Node.ID] || s.Count == 0 || !b.fresh(s.Stamp) {
			continue
		}
		seen[s.Node.ID] = true
		sample = append(sample, b.sampled(s, m.Nonce))
		proofs = append(proofs, machine.Signed{By: s.Node, Words: s.Words(m.Channel), Signature: s.Signature})
	}
	b.CheckSigned(proofs, func(valid []bool) {
		var signed []roster.Sampled
		beside := make(map[string]int) // by prefix
		for i, s := range sample {
			if !valid[i] {
				continue
			}
			if prefix := engine.PrefixOf(b.Env, proofs[i].By.Address); prefix != "" {
				s.Crowded = beside[prefix] >= crowded
				beside[prefix]++
			}
			signed = append(signed, s)
		}
		then(signed)
	})
}

// sampleOf returns this node's own sample of a channel that it leads, which needs no check.
func (b *Budget) sampleOf(channel engine.ID, list []roster.Subscription) (sample []roster.Sampled) {
	for i := range list {
		sample = append(sample, b.sampled(&list[i], 1))
	}
	return sample
}

func (b *Budget) sampled(s *roster.Subscription, nonce uint64) roster.Sampled {
	count := float64(min(int64(s.Count), int64(b.config.MaxCount)))
	return roster.Sampled{Node: s.Node.ID, Count: count, Rank: roster.Rank(s.Node.ID, count, nonce)}
}

// fresh reports whether a subscription's stamp is recent enough for it to be still renewed.
func (b *Budget) fresh(stamp uint64) bool {
	oldest := b.Env.Wall().Add(-freshReaders*b.config.Forget - clockError).UnixMilli()
	return stamp >= uint64(max(0, oldest))
}
