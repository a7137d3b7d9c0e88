package pastry

import (
	"slices"

	"tidings/network/engine"
)

// onRouted takes a message over, unless it has been here already, and acknowledges it.
func (n *Node) onRouted(from engine.Peer, m *Routed) {
	if m.Payload == nil || !engine.Admissible(n.env, m.Origin.ID) {
		return
	}
	if entry := engine.IntroducerOf(n.env, from.ID); from.ID == m.Origin.ID && entry != m.Entry {
		entered := *m
		entered.Entry = entry
		m = &entered
	}
	engine.Introduce(n.env, m.Origin.ID, m.Entry)
	was, ok := n.seen.get(nameOf(m))
	ended := was.ended
	switch {
	case ok && !ended && was.try >= m.Try: // taken over before; the Ack was lost
	case int(m.Hops) >= n.config.MaxHops:
		n.limitHit("MaxHops", n.config.MaxHops)
		return
	default:
		taken := false
		if ended, taken = n.accept(m); !taken {
			return
		}
	}
	if !ended || from.ID != m.Origin.ID { // else the receipt has told it
		n.env.Send(from, &Ack{Origin: m.Origin.ID, Number: m.Number, Delivered: ended})
	}
}

// accept takes a message over: to send it on, to deliver it, or to hold it until this node is
// active. It reports whether the message has ended here, and whether there was room for it.
func (n *Node) accept(m *Routed) (ended, taken bool) {
	if was, _ := n.seen.get(nameOf(m)); was.ended { // another try of it was faster
		n.receipt(m)
		return true, true
	}
	if n.maybeWake(); n.state != active {
		if len(n.held) >= n.config.MaxHeld {
			n.limitHit("MaxHeld", n.config.MaxHeld)
			return false, false
		}
		n.held = append(n.held, m)
		n.seen.put(nameOf(m), mark{try: m.Try})
		return false, true
	}
	n.seen.put(nameOf(m), mark{try: m.Try})
	next, further := n.next(m, nil)
	if !further {
		n.deliver(m)
		return true, true
	}
	if app := n.app(m.Payload.Kind().Protocol()); app != nil && !app.Forward(m.Key, m.Payload, next) {
		n.end(m)
		return true, true
	}
	return false, n.send(m, next)
}

// release sends on what was held.
func (n *Node) release() {
	held := n.held
	n.held = nil
	for _, m := range held {
		n.accept(m)
	}
}

// next chooses who gets a message next; false: nobody, this node is the closest. Whoever has
// not acknowledged, or is under suspicion, comes last. It is not passed over where it would
// be the closest, though: to deliver here is right only when it is known to be dead.
//
// Why a message reaches the right node while the closest one changes under way:
//
//  1. Let R be closest to the key. P has the message and R in its leaf set.
//  2. X joins, closer than R. Before X is active each of its neighbours has answered its
//     probe, and so has X in its leaf set; R is among them.
//  3. The message reaches R. R finds X closer and sends it on. X holds what comes before it
//     is active, and then delivers it.
//  4. Or R dies before it acknowledges. P tries others that are closer than itself; they send
//     to R too, and wait, until R has missed its probes and is removed. Then each finds the
//     next closest by the same rule, itself perhaps.
//  5. Or a node dies after it has acknowledged, with the message still in its hands. Then no
//     receipt reaches the origin, and the origin routes the message again. Nodes that saw it
//     before let it pass because of its higher Try; the one that delivered it does not
//     deliver it again.
func (n *Node) next(m *Routed, tried []engine.ID) (engine.Peer, bool) {
	_, join := m.Payload.(*Join)
	stranger := func(c *contact) bool { return !join || c.peer.ID != m.Key } // a node does not join through itself
	trusted := func(c *contact) bool {
		return stranger(c) && !slices.Contains(tried, c.peer.ID) && !n.suspected(c.peer)
	}
	if c := n.choose(m.Key, trusted); c != nil {
		return c.peer, true
	}
	if c := n.choose(m.Key, stranger); c != nil {
		return c.peer, true
	}
	return engine.Peer{}, false
}

// choose is the routing rule of the paper (section 2.3, table 1) among those allowed; nil:
// this node itself.
func (n *Node) choose(key engine.ID, allow func(*contact) bool) *contact {
	k := &n.known
	if k.covers(key) {
		return k.closest(key, 0, allow)
	}
	shared := k.self.CommonDigits(key, k.digit)
	if c := k.best(key, allow); c != nil {
		return c
	}
	return k.closest(key, shared, allow) // the rare case
}

// deliver ends a route at this node, unless another try of the same message has ended here.
func (n *Node) deliver(m *Routed) {
	if was, ok := n.seen.get(nameOf(m)); ok && was.ended {
		n.receipt(m)
		return
	}
	n.env.Trace(Delivered{m.Key, m.Origin.ID, m.Number, m.Payload.Kind(), int(m.Hops)})
	n.end(m)
	app := n.app(m.Payload.Kind().Protocol())
	if app == nil {
		n.env.Trace(Unhandled{m.Key, m.Payload.Kind()})
		return
	}
	app.Deliver(m.Key, m.Origin, m.Payload, int(m.Hops))
}

// end notes that the message goes no further and tells the origin so.
func (n *Node) end(m *Routed) {
	n.seen.put(nameOf(m), mark{try: m.Try, ended: true})
	n.receipt(m)
}
