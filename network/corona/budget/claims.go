package budget

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// claims requests polls from hosts' owners for the channels that this node is primary of.
type claims struct {
	*core
	polled  *polled
	permits map[engine.ID]*permit   // by channel
	index   map[engine.ID]*claiming // by host
	list    []*claiming             // in the order of arrival
	due     []*claiming             // about to be claimed
	alarm   engine.Alarm
}

// claiming is one host of such channels.
type claiming struct {
	host     engine.ID
	permits  []*permit     // in the order of arrival; not empty, unless gone
	owners   []answering   // that have answered, those closest to the host first, at most MaxOwners
	rounds   int           // of claims
	tries    int           // in a row without a certificate for each channel
	again    engine.Timer  // for another try
	due      bool          // it is in claims.due
	patience time.Duration // until when the host is not to be polled, by its owners, by Env.Now
	believed time.Duration // until when such reports are not believed again
	gone     bool
}

// answering is an owner of a host that has answered.
type answering struct {
	peer  engine.Peer
	round int           // of its last answer
	wait  time.Duration // until when the host is not to be polled, by this owner
}

// How claims are sent.
const (
	claimPause    = 200 * time.Millisecond // so that several channels go together
	claimsAtATime = 64                     // hosts at once
	claimRetry    = 5 * time.Second        // doubled each time
	claimTries    = 5                      // after that Planned claims again
	routeEvery    = 4                      // rounds after which owners are searched anew
	maxPollers    = 32                     // sizes that pollers are counted for: four octaves
	maxInClaims   = 64                     // claims, grants or asks in a message
	// notablyMore is the fraction by which pollers must have increased for a claim to be renewed at once.
	notablyMore = 1. / 20
)

// Planned reports that sizes of polling sets have been chosen, as once a maintenance interval: all is claimed anew.
func (c *claims) Planned() {
	c.polled.sweep()
	for _, at := range c.list {
		at.tries = 0
		for _, p := range at.permits {
			p.shown = 0
		}
		c.claimSoon(at)
	}
}

// Counted reports that pollers have been counted anew. A channel with more pollers than claimed is claimed anew: not
// all nodes were known then, or nodes have joined. So is one that needs more polls out of turn.
func (c *claims) Counted() {
	for _, at := range c.list {
		if slices.ContainsFunc(at.permits, c.grown) {
			c.claimSoon(at)
		}
	}
}

func (c *claims) grown(p *permit) bool {
	if c.held(p) == nil || len(p.claim.Pollers) == 0 {
		return false
	}
	w := c.host.Wants(p.channel.ID, 1)
	claimed := float64(p.claim.Pollers[0]) * w.Size.Share() / p.claim.Size.Share()
	return w.Verifies > p.claim.Verifies || len(w.Pollers) > 0 && float64(w.Pollers[0]) > claimed*(1+notablyMore)
}

func (c *claims) claimSoon(at *claiming) {
	if !at.due {
		at.due = true
		c.due = append(c.due, at)
	}
	c.alarm.Soon(c.Env, c.Env.Now()+claimPause, c.claimDue)
}

// claimDue claims for the due hosts, claimsAtATime at a time.
func (c *claims) claimDue() {
	k := min(len(c.due), claimsAtATime)
	for _, at := range c.due[:k] {
		if at.due = false; !at.gone {
			c.claim(at)
		}
	}
	c.due = slices.Delete(c.due, 0, k)
	if len(c.due) > 0 {
		c.alarm.Soon(c.Env, c.Env.Now()+claimPause, c.claimDue)
	}
}

// claim sends claims to the owners of a host that have answered. If owners are missing or a search is due, it also
// sends them by the ring.
func (c *claims) claim(at *claiming) {
	if !c.Ring.Active() {
		c.retry(at)
		return
	}
	at.rounds++
	at.owners = slices.DeleteFunc(at.owners, func(a answering) bool { return a.round+2 < at.rounds })
	route := len(at.owners) < c.owners() || at.rounds%routeEvery == 0
	for list := range slices.Chunk(at.permits, maxInClaims) {
		m := Claims{Host: at.host, Node: c.Env.Self()}
		for _, p := range list {
			m.Claims = append(m.Claims, c.claimOf(p))
		}
		direct := m
		direct.Handed = true
		for _, a := range at.owners {
			c.Env.Send(a.peer, &direct)
		}
		if route {
			key := at.host
			if at.tries > 0 { // so that no single node there stands between this one and the host's owners
				key = c.host.AlternateKey(key)
			}
			c.Ring.Route(key, &m)
		}
	}
	c.retry(at)
}

func (c *claims) claimOf(p *permit) Claim {
	w := c.host.Wants(p.channel.ID, maxPollers)
	p.claim = Claim{
		URL: p.channel.URL, Readers: uint32(min(w.Readers, 1<<31)), Size: w.Size, Pollers: w.Pollers,
		Wait: machine.InSeconds(c.host.NotBefore(p.channel.ID) - c.Env.Now()), Verifies: w.Verifies,
	}
	return p.claim
}

// retry claims again if some channel stays without a certificate.
func (c *claims) retry(at *claiming) {
	if at.tries >= claimTries {
		return
	}
	wait := claimRetry << at.tries
	at.tries++
	at.again.Stop()
	at.again = c.Env.After(wait+c.Chance(wait/4), func() {
		if slices.ContainsFunc(at.permits, func(p *permit) bool { return c.held(p) == nil }) {
			c.claimSoon(at)
		}
	})
}

// answerAskProof sends the signed subscriptions that prove channels' readers.
func (c *claims) answerAskProof(from engine.Peer, m *AskProof) {
	for _, a := range m.Asks {
		switch p := c.permits[a.Channel]; {
		case p == nil:
		case m.Host == (engine.ID{}):
			c.showReaders(from, p, a.Nonce)
		case p.at.host == m.Host && c.mayOwn(from.ID, m.Host):
			c.Env.Send(from, &Proof{m.Host, c.claimOf(p), a.Nonce, c.host.Sample(a.Channel, a.Nonce)})
		}
	}
}

// receiveGrants handles the grants of an owner of a host.
func (c *claims) receiveGrants(from engine.Peer, m *Grants) {
	at := c.index[m.Host]
	if at == nil || !c.mayOwn(from.ID, m.Host) {
		return
	}
	at.answered(from)
	c.bePatient(at, from.ID, m.Wait)
	proofs := make([]machine.Signed, len(m.Grants))
	for i := range m.Grants {
		g := &m.Grants[i]
		g.Owner = from
		proofs[i] = machine.Signed{By: from, Words: GrantWords(g, m.Host, g.Channel), Signature: g.Signature}
	}
	c.CheckSigned(proofs, func(valid []bool) {
		for i, g := range m.Grants {
			if p := c.permits[g.Channel]; valid[i] && p != nil && p.at == at {
				c.acceptGrant(p, g)
			}
		}
	})
}

// answered notes that an owner has answered.
func (at *claiming) answered(from engine.Peer) {
	i := slices.IndexFunc(at.owners, func(a answering) bool { return a.peer.ID == from.ID })
	if i < 0 {
		i = len(at.owners)
		at.owners = append(at.owners, answering{})
	}
	at.owners[i].peer, at.owners[i].round = from, at.rounds
	slices.SortFunc(at.owners, func(a, b answering) int {
		if engine.Closer(at.host, a.peer.ID, b.peer.ID) {
			return -1
		}
		return 1
	})
	at.owners = at.owners[:min(len(at.owners), MaxOwners)]
}
