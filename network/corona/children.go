package corona

import (
	"time"

	"tidings/network/engine"
)

// Orders on their way down. What is new goes out within passWithin, many orders in one message.
// What stays as it is is not repeated one by one: a Standing sums it up.
const (
	passWithin  = 100 * time.Millisecond
	tellAfter   = 10 * time.Second // a Standing after orders: some may have been lost
	repeatEvery = 10 * time.Second // all orders, to one contact
	maxOrders   = 256              // in one message
	maxLeft     = 64               // dismissed contacts that are to be told
)

// pass has the contacts below hear what is new about a channel.
func (n *Node) pass(p *polled, what news) {
	if p.news == 0 {
		n.wedges.changed = append(n.wedges.changed, p.channel.ID)
	}
	p.news |= what
	n.flushSoon()
}

func (n *Node) flushSoon() {
	if !n.wedges.flushing {
		n.wedges.flushing = true
		n.env.After(passWithin, n.flush)
	}
}

// stopBelow has those contacts below stop polling that would not be below with another scope.
func (n *Node) stopBelow(p *polled, scope int) {
	for _, c := range n.census.contacts {
		if c.bits >= int(p.scope) && c.bits < scope {
			n.wedges.stops = append(n.wedges.stops, stop{c, p.channel.ID})
			n.flushSoon()
		}
	}
}

// greet has a contact told all orders that concern it.
func (n *Node) greet(c *contact) {
	c.greeted = false
	n.flushSoon()
}

// dismiss has a node told that it has no orders from this one any more.
func (n *Node) dismiss(p engine.Peer) {
	w := &n.wedges
	if len(w.dismissed) == maxLeft {
		w.dismissed = w.dismissed[1:]
	}
	w.dismissed = append(w.dismissed, p)
	n.tellSoon()
}

// flush sends what is new.
func (n *Node) flush() {
	w := &n.wedges
	if w.relayout {
		n.layOutAgain()
	}
	w.flushing = false
	var out bundles
	for _, s := range w.stops {
		out.add(n, s.to, Order{Channel: s.channel, Stop: true})
	}
	w.stops = nil
	for _, id := range w.changed {
		if p := n.polledHere(id); p != nil && p.news != 0 {
			n.passOn(&out, p)
		}
	}
	w.changed = nil
	for _, c := range n.census.contacts {
		if !c.greeted {
			c.greeted = true
			n.addAll(&out, c, true)
		}
	}
	out.send(n)
}

func (n *Node) passOn(out *bundles, p *polled) {
	withURL := p.news&ordered != 0
	p.news = 0
	for _, s := range n.layout(p.scope).shares {
		if s.contact.greeted {
			out.add(n, s.contact, n.order(p, s, withURL))
		}
	}
}

// addAll adds all orders that concern a contact.
func (n *Node) addAll(out *bundles, c *contact, withURL bool) {
	for i := range n.wedges.list {
		p := &n.wedges.list[i]
		if c.bits < int(p.scope) {
			continue
		}
		for _, s := range n.layout(p.scope).shares {
			if s.contact == c {
				out.add(n, c, n.order(p, s, withURL))
			}
		}
	}
}

// order returns the order to whom a share belongs.
func (n *Node) order(p *polled, s share, withURL bool) Order {
	now := n.env.Now()
	o := Order{Channel: p.channel.ID, Bits: p.bits, Random: n.config.Phases == RandomPhases}
	o.Version, _ = n.library.Held(p.channel.ID)
	if withURL {
		o.URL = p.channel.URL
	}
	if !o.Random {
		from := p.start + time.Duration(s.from*float64(p.width))
		o.Start = uint32((nextTime(from, n.config.Interval, now) - now) / time.Millisecond)
		o.Width = uint32(time.Duration((s.to-s.from)*float64(p.width)) / time.Millisecond)
	}
	if p.limit.interval > n.config.Interval {
		o.Interval = uint32(p.limit.interval / time.Second)
	}
	if wait := p.limit.notBefore - now; wait > 0 {
		o.Wait = uint32((wait + time.Second - 1) / time.Second)
	}
	return o
}

// bundles gathers orders by contact, those for the first one first.
type bundles struct {
	to     []*contact
	orders [][]Order
}

func (b *bundles) add(n *Node, c *contact, o Order) {
	i := 0
	for i < len(b.to) && b.to[i] != c {
		i++
	}
	if i == len(b.to) {
		b.to = append(b.to, c)
		b.orders = append(b.orders, nil)
	}
	b.orders[i] = append(b.orders[i], o)
}

func (b *bundles) send(n *Node) {
	for i, c := range b.to {
		for list := b.orders[i]; len(list) > 0; {
			k := min(len(list), maxOrders)
			n.env.Send(c.peer, &Orders{Orders: list[:k:k]})
			list = list[k:]
		}
		c.tell = n.env.Now() + tellAfter
	}
	if len(b.to) > 0 {
		n.tellSoon()
	}
}

// explain sends orders with their URLs.
func (n *Node) explain(from engine.Peer, m *Unknown) {
	c := n.contactOf(from.ID)
	if c == nil {
		return
	}
	var out bundles
	for _, id := range m.Channels {
		p := n.polledHere(id)
		if p == nil {
			continue
		}
		for _, s := range n.layout(p.scope).shares {
			if s.contact == c {
				out.add(n, c, n.order(p, s, true))
			}
		}
	}
	out.send(n)
}

// tellBelow has the contacts below hear soon that a channel no longer stands.
func (n *Node) tellBelow(p *polled) {
	for _, c := range n.census.contacts {
		if c.bits >= int(p.scope) && c.tell == 0 {
			c.tell = n.env.Now() + tellAfter
			n.tellSoon()
		}
	}
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
			n.tell(c, false)
		}
	}
}

// tell sends a Standing.
func (n *Node) tell(c *contact, repeated bool) {
	c.tell = 0
	n.env.Send(c.peer, &Standing{Sum: n.sumFor(c), Repeated: repeated})
}

// sumFor returns the sum of all orders that concern a contact.
func (n *Node) sumFor(c *contact) (sum uint64) {
	for _, s := range n.wedges.below[:c.bits+1] {
		sum += s
	}
	return sum
}

func (n *Node) takeStanding(from engine.Peer, m *Standing) {
	place := n.knownParent(from.ID)
	if place < 0 {
		if m.Sum != 0 && !m.Repeated {
			n.env.Send(from, &Repeat{})
		}
		return
	}
	p := &n.wedges.parents[place]
	p.heard = n.env.Now()
	switch {
	case p.sum == m.Sum:
		p.doubted = 0
	case m.Repeated:
		n.settle(place, m.Sum)
	default:
		p.doubted = n.env.Now()
		n.env.Send(from, &Repeat{})
	}
}

// knownParent returns the place of a node that has given orders which stand; -1 if there is
// none.
func (n *Node) knownParent(id engine.ID) int32 {
	for i, p := range n.wedges.parents {
		if i != byself && p.count > 0 && p.peer.ID == id {
			return int32(i)
		}
	}
	return -1
}

// settle drops what a node has ordered once and did not repeat, if all that it should have
// repeated came.
func (n *Node) settle(place int32, sum uint64) {
	w := &n.wedges
	p := &w.parents[place]
	if p.doubted == 0 {
		return
	}
	var old []engine.ID
	for i := range w.list {
		switch q := &w.list[i]; {
		case q.parent != place:
		case q.told < p.doubted:
			old = append(old, q.channel.ID)
		default:
			sum -= orderSum(q.channel.ID, q.bits)
		}
	}
	if sum != 0 {
		return
	}
	p.doubted = 0
	for _, id := range old {
		n.drop(id)
	}
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
	n.addAll(&out, c, false)
	out.send(n)
	n.tell(c, true)
}

// maintainOrders confirms to all contacts what stands, and drops what nobody has confirmed.
func (n *Node) maintainOrders() {
	for _, c := range n.census.contacts {
		n.tell(c, false)
	}
	last := n.env.Now() - time.Duration(n.config.OrdersLast)*n.config.Maintenance
	for i := range n.wedges.parents {
		if p := &n.wedges.parents[i]; i != byself && p.count > 0 && p.heard < last {
			n.dropAllOf(int32(i))
		}
	}
}

func (n *Node) dropAllOf(place int32) {
	var all []engine.ID
	for i := range n.wedges.list {
		if n.wedges.list[i].parent == place {
			all = append(all, n.wedges.list[i].channel.ID)
		}
	}
	for _, id := range all {
		n.drop(id)
	}
}
