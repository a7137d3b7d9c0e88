package corona

import (
	"math"
	"slices"
	"time"

	"tidings/network/engine"
)

// claims are what this node asks of hosts' owners for the channels that it is primary of.
type claims struct {
	index map[engine.ID]*claiming // by host
	list  []*claiming             // in the order of coming
	due   []*claiming             // about to ask
	alarm engine.Alarm
}

// claiming is one host of channels that this node is primary of.
type claiming struct {
	host     engine.ID
	channels []*owned      // in the order of coming
	owners   []answering   // that have answered, those closest to the host first
	rounds   int           // of asking
	tries    int           // in a row without a certificate for each channel
	again    engine.Timer  // for another try
	due      bool          // it is in claims.due
	patience time.Duration // until when the host is not to be polled, as its owners say, by Env.Now
	believed time.Duration // until when they are not believed again
	gone     bool
}

// answering is an owner of a host that has answered.
type answering struct {
	peer  engine.Peer
	round int           // in which it did so last
	wait  time.Duration // until when it says that the host is not to be polled
}

// How claims are sent.
const (
	claimPause    = 200 * time.Millisecond // so that several channels go together
	claimsAtATime = 64                     // hosts that are asked in one go
	claimRetry    = 5 * time.Second        // doubled each time
	claimTries    = 5                      // then the next maintenance does it
	routeEvery    = 4                      // rounds after which owners are looked for anew
)

func (n *budgeter) startClaims() {
	n.claims.index = make(map[engine.ID]*claiming)
	n.gapPolls = make(map[engine.ID]time.Duration)
	n.polled = make(map[engine.ID]*certificate)
	if n.Hosted() {
		n.node.roster.OnChange(n.claimChanged)
	}
}

// claimAll asks for all hosts anew.
func (n *budgeter) ClaimAll() {
	for _, c := range n.claims.list {
		c.tries = 0
		n.claimSoon(c)
	}
}

func (n *budgeter) claimSoon(c *claiming) {
	if !c.due {
		c.due = true
		n.claims.due = append(n.claims.due, c)
	}
	n.claims.alarm.Soon(n.Env, n.Env.Now()+claimPause, n.claimDue)
}

// claimDue asks for the hosts that are due, some at a time.
func (n *budgeter) claimDue() {
	k := min(len(n.claims.due), claimsAtATime)
	for _, c := range n.claims.due[:k] {
		if c.due = false; !c.gone {
			n.claim(c)
		}
	}
	n.claims.due = slices.Delete(n.claims.due, 0, k)
	if len(n.claims.due) > 0 {
		n.claims.alarm.Soon(n.Env, n.Env.Now()+claimPause, n.claimDue)
	}
}

// claim asks the owners of a host: those that are known directly, and by the ring where some are not,
// or were not looked for lately.
func (n *budgeter) claim(c *claiming) {
	if !n.Ring.Active() {
		n.retryClaim(c)
		return
	}
	c.rounds++
	c.owners = slices.DeleteFunc(c.owners, func(a answering) bool { return a.round+2 < c.rounds })
	route := len(c.owners) < n.hostOwners() || c.rounds%routeEvery == 0
	for list := c.channels; len(list) > 0; {
		k := min(len(list), maxInClaims)
		m := Claims{Host: c.host, Node: n.Env.Self()}
		for _, o := range list[:k] {
			m.Claims = append(m.Claims, n.claimOf(o))
		}
		list = list[k:]
		direct := m
		direct.Handed = true
		for _, a := range c.owners {
			n.Env.Send(a.peer, &direct)
		}
		if route {
			n.Ring.Route(n.alternateHostKey(c.host, c.tries), &m)
		}
	}
	n.retryClaim(c)
}

// alternateHostKey returns a point close to a host's key, another one for each try: so that no one node there
// stands between this one and the host's owners.
func (n *budgeter) alternateHostKey(host engine.ID, try int) engine.ID {
	if try == 0 {
		return host
	}
	owners, _ := n.Ring.Owners(host, 1)
	if len(owners) > 0 && n.IsSelf(owners[0]) {
		return host
	}
	key := host
	bit := min(engine.Bits-1, bitsOf(n.Ring.Nodes())) // about one node away
	for i := range 2 {
		if (try+i)&1 == 1 {
			key[(bit+i)/8] ^= 0x80 >> ((bit + i) % 8)
		}
	}
	return key
}

// bitsOf returns the logarithm of a number of nodes, rounded down.
func bitsOf(nodes int) (bits int) {
	for nodes > 1 {
		nodes >>= 1
		bits++
	}
	return bits
}

func (n *budgeter) claimOf(o *owned) Claim {
	size, pollers := n.node.plan.Wanted(o.ID())
	c := Claim{
		URL: o.Channel().URL, Readers: uint32(min(o.Readers(), 1<<31)), Bits: bitsAround(size),
		Wait: inSeconds(n.node.version.Limits(o.ID()).NotBefore - n.Env.Now()), Verifies: n.node.version.VerifiesWanted(o.ID()),
	}
	if c.Bits < alone {
		c.Pollers = []uint32{uint32(float64(pollers) * math.Ldexp(1, -int(c.Bits)) / size.Share())}
	}
	o.permit.claim = c
	return c
}

// notablyMore is by what part of what was claimed pollers must have become more, for it to be claimed anew at once.
const notablyMore = 20

// claimGrown asks anew for channels that have more pollers than was claimed, at the level that they have: not all nodes
// of the wedge were known then, or some have come since.
func (n *budgeter) ClaimGrown() {
	for _, c := range n.claims.list {
		for _, o := range c.channels {
			if n.CertificateOf(o) == nil || len(o.permit.claim.Pollers) == 0 {
				continue
			}
			size, pollers := n.node.plan.Wanted(o.ID())
			claimed := float64(o.permit.claim.Pollers[0]) * size.Share() / math.Ldexp(1, -int(o.permit.claim.Bits))
			if float64(pollers) > claimed+claimed/notablyMore {
				n.claimSoon(c)
				break
			}
		}
	}
}

// retryClaim asks again if some channel stays without a certificate.
func (n *budgeter) retryClaim(c *claiming) {
	if c.tries >= claimTries {
		return
	}
	wait := claimRetry << c.tries
	c.tries++
	c.again.Stop()
	c.again = n.Env.After(wait+n.Chance(wait/4), func() {
		for _, o := range c.channels {
			if n.CertificateOf(o) == nil {
				n.claimSoon(c)
				return
			}
		}
	})
}
