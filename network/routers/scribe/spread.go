package scribe

import (
	"slices"

	"tidings/network"
	"tidings/network/engine"
)

// accept receives an event of a group, from wherever it came.
func (n *Node) accept(g *group, e *Event, from engine.Peer) {
	name, size, ok := admit(n.member, e, from)
	if !ok {
		n.env.Trace(Refused{g.Group, from})
		return
	}
	n.spread(g, e, name, size, from)
}

// spread hands an event that is admitted down, keeps it, and delivers it here, the first time that it
// comes.
func (n *Node) spread(g *group, e *Event, name uint64, size int, from engine.Peer) {
	if !g.seen.add(name, n.env.Now()) {
		n.env.Trace(Repeated{g.Group, e.Stream, e.Number, from})
		return
	}
	g.touched = n.env.Now()
	for c := range g.children.all() {
		if c.link.peer.ID != from.ID && !c.has.event(name) {
			c.link.down.send(g.Key, e)
		}
	}
	g.awaited.arrived(name)
	n.cache.keep(&g.kept, e, name, size, n.env.Now())
	n.env.Trace(Came{g.Group, e.Stream, e.Number, from})
	if g.member {
		n.env.Trace(Delivered{g.Group, e.Stream, e.Number, e.Payload})
		n.member.Deliver(g.Topic, e.Payload, from)
	}
	if g.sources.gap(e) {
		n.comparer.soon(&g.comparison)
	}
}

// receiveDisseminate receives an event from the parent.
func (n *Node) receiveDisseminate(from engine.Peer, m *Disseminate) {
	if l := n.links.ofParent(from); l != nil && l.up.receive(m) {
		n.compareAll(l)
	}
	if m.Gone {
		return
	}
	g := n.find(Group{m.Event.Topic, m.Key})
	if g == nil {
		n.env.Send(from, &Leave{Groups: []Group{{m.Event.Topic, m.Key}}})
		return
	}
	n.accept(g, &m.Event, from)
}

// admit returns what names an event, and whether it is one.
func admit(member network.Member, e *Event, from engine.Peer) (name uint64, size int, ok bool) {
	if e.Payload == nil || e.Number == 0 {
		return 0, 0, false
	}
	return member.Admit(e.Topic, e.Payload, from)
}

// lacking returns the events of a group that somebody lacks and that came since it is there.
func (n *Node) lacking(g *group, have []uint64, since uint32) (lacks []*keptEvent) {
	return slices.DeleteFunc(g.kept.lacking(have, since, n.env.Now()), func(k *keptEvent) bool {
		return network.IsWithdrawn(n.member, g.Topic, k.event.Payload)
	})
}

// supply gives somebody events that it lacks.
func (n *Node) supply(g *group, to engine.Peer, lacks []*keptEvent) {
	for _, k := range lacks {
		n.env.Send(to, &Missed{Key: g.Key, Age: inMilliseconds(n.env.Now() - k.came), Event: *k.event})
	}
}

// receiveMissed receives an event that this node lacked.
func (n *Node) receiveMissed(from engine.Peer, m *Missed) {
	if g := n.find(Group{m.Event.Topic, m.Key}); g != nil {
		g.comparison.countMissed()
		n.blame(g, from, m)
		n.accept(g, &m.Event, from)
	}
}
