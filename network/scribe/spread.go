package scribe

import (
	"slices"

	"tidings/network"
	"tidings/network/engine"
)

// take takes an event of a group, from wherever it came.
func (n *Node) take(g *group, e *Event, from engine.Peer) {
	name, size, ok := n.admit(e, from)
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
			n.sendDisseminate(c.link, g.Key, e)
		}
	}
	n.arrived(g, name)
	n.keep(g, e, name, size)
	n.env.Trace(Came{g.Group, e.Stream, e.Number, from})
	if g.member {
		n.env.Trace(Delivered{g.Group, e.Stream, e.Number, e.Payload})
		n.member.Deliver(g.Topic, e.Payload, from)
	}
	if g.sources.gap(e) {
		n.compareSoon(g)
	}
}

// admit returns what names an event, and whether it is one.
func (n *Node) admit(e *Event, from engine.Peer) (name uint64, size int, ok bool) {
	if e.Payload == nil || e.Number == 0 {
		return 0, 0, false
	}
	return n.member.Admit(e.Topic, e.Payload, from)
}

// lacking returns the events of a group that somebody lacks and that came since it is there.
func (n *Node) lacking(g *group, have []uint64, since uint32) (lacks []*keptEvent) {
	for _, k := range g.kept.list {
		if inSeconds(n.env.Now()-k.came) <= since && !slices.Contains(have, k.name) && !network.IsWithdrawn(n.member, g.Topic, k.event.Payload) {
			lacks = append(lacks, k)
		}
	}
	return lacks
}

// supply gives somebody events that it lacks.
func (n *Node) supply(g *group, to engine.Peer, lacks []*keptEvent) {
	for _, k := range lacks {
		n.env.Send(to, &Missed{Key: g.Key, Age: inMilliseconds(n.env.Now() - k.came), Event: *k.event})
	}
}

// expect has the parent asked for events that it has just sent, so many, if they do not come.
func (n *Node) expect(g *group, missed int) {
	g.missed = 0
	if missed == 0 {
		return
	}
	parent := g.parent
	n.env.After(late, func() {
		if g.missed < missed && g.parent == parent && !g.gone {
			n.sendCompare(g, parent.peer)
		}
	})
}

// takeMissed takes an event that this node lacked.
func (n *Node) takeMissed(from engine.Peer, m *Missed) {
	if g := n.find(Group{m.Event.Topic, m.Key}); g != nil {
		g.missed++
		n.blame(g, from, m)
		n.take(g, &m.Event, from)
	}
}
