package corona

import (
	"time"

	"tidings/network/engine"
)

// Orders that stand are summed up, so that children find out which they lack.
const (
	tellAfter   = 10 * time.Second // a Standing after orders: some may have been lost
	tellAgain   = time.Minute      // another: that one may have been, or what it brought about
	tellTimes   = 3
	repeatEvery = 10 * time.Second // all orders, to one contact
)

// tellBelow has the contacts below hear soon that a channel no longer stands.
func (n *Node) tellBelow(p *polled) {
	for _, c := range n.beneath(p) {
		if c.tell == 0 || c.tells > 0 {
			n.tellLater(c)
		}
	}
}

// tellLater has a contact told, twice, what stands, as something has changed.
func (n *Node) tellLater(c *contact) {
	c.tell, c.tells = n.env.Now()+tellAfter, 0
	n.tellSoon()
}

func (n *Node) tellSoon() {
	if !n.wedges.telling {
		n.wedges.telling = true
		n.env.After(tellAfter, n.tellDue)
	}
}

// tellDue sends the Standings that are due.
func (n *Node) tellDue() {
	w := &n.wedges
	w.telling = false
	for _, p := range w.dismissed {
		if n.contactOf(p.ID) == nil {
			n.env.Send(p, &Standing{})
		}
	}
	w.dismissed = nil
	for _, c := range n.census.contacts {
		switch {
		case c.tell == 0:
		case c.tell > n.env.Now():
			n.tellSoon()
		default:
			told := c.tells + 1
			n.tell(c, false)
			if told < tellTimes {
				c.tells, c.tell = told, n.env.Now()+tellAgain
				n.tellSoon()
			}
		}
	}
}

// tell sends a Standing.
func (n *Node) tell(c *contact, repeated bool) {
	if !repeated { // what was repeated may be lost as well
		c.tell, c.tells = 0, 0
	}
	n.env.Send(c.peer, &Standing{Sum: n.sumFor(c), Repeated: repeated})
}

// sumFor returns the sum of all orders that concern a contact.
func (n *Node) sumFor(c *contact) (sum uint64) {
	for _, s := range n.wedges.below[:c.bits+1] {
		sum += s
	}
	return sum + n.deputedTo(c)
}

func (n *Node) takeStanding(from engine.Peer, m *Standing) {
	place, p := n.knownParent(from.ID)
	if p == nil {
		if m.Sum != 0 && !m.Repeated {
			n.env.Send(from, &Repeat{})
		}
		return
	}
	p.heard = n.env.Now()
	switch {
	case p.sum == m.Sum:
		p.doubted = false
	case m.Repeated:
		n.settle(place, m.Sum)
	default:
		p.round, p.doubted = p.round+1, true
		n.env.Send(from, &Repeat{})
	}
}

// settle drops what a node has ordered once and did not repeat, if all that it should have
// repeated came.
func (n *Node) settle(place uint16, sum uint64) {
	p := &n.wedges.parents[place]
	if !p.doubted {
		return
	}
	old := func(q *polled) bool { return q.round != p.round }
	for i := range n.wedges.roll.length {
		if q := n.wedges.roll.at(i); q.parent == place && !old(q) {
			sum -= orderSum(q.channel.ID, q.bits)
		}
	}
	if sum != 0 {
		return
	}
	p.doubted = false
	n.dropAllOf(place, old)
}

// repeatOrders answers a Repeat.
func (n *Node) repeatOrders(from engine.Peer) {
	c := n.contactOf(from.ID)
	if c == nil {
		n.env.Send(from, &Standing{Repeated: true})
		return
	}
	now := n.env.Now()
	if c.repeated != 0 && now < c.repeated+repeatEvery {
		return
	}
	c.repeated = now
	var out bundles
	n.addAll(&out, c, moved)
	out.send(n)
	n.tell(c, true)
}

// maintainOrders confirms to all contacts what stands, and drops what nobody has confirmed.
func (n *Node) maintainOrders() {
	n.dropUncertified()
	n.flush() // what is new is in the sums
	for _, c := range n.census.contacts {
		n.tell(c, false)
	}
	last := n.env.Now() - time.Duration(n.config.OrdersLast)*n.config.Maintenance
	for i := range n.wedges.parents {
		if p := &n.wedges.parents[i]; i != byself && p.count > 0 && p.heard < last {
			n.dropAllOf(uint16(i), func(*polled) bool { return true })
		}
	}
}
