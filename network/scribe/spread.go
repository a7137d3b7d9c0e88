package scribe

import (
	"slices"

	"tidings/network/engine"
)

// take takes an event of a group, from wherever it came: hands it down, keeps it, and delivers it
// here.
func (n *Node) take(g *group, e *Event, from engine.Peer) {
	name, size, ok := n.admit(e)
	switch {
	case !ok:
		n.env.Trace(Refused{g.Group, e.Source, from})
		return
	case !g.seen.add(name):
		n.env.Trace(Repeated{g.Group, e.Source, e.Number, from})
		return
	}
	g.touched = n.env.Now()
	for _, c := range g.children {
		if c.link.peer.ID != from.ID {
			n.sendDown(c.link, g.Key, e)
		}
	}
	n.keep(g, e, name, size)
	n.env.Trace(Came{g.Group, e.Source, e.Epoch, e.Number, from})
	if g.member {
		n.env.Trace(Delivered{g.Group, e.Source, e.Epoch, e.Number, e.Payload})
		n.member.Deliver(g.Topic, e.Payload)
	}
	if g.sources.gap(e) {
		n.compareSoon(g)
	}
}

// admit returns what names an event, and whether it is one.
func (n *Node) admit(e *Event) (name uint64, size int, ok bool) {
	if e.Payload == nil || e.Number == 0 {
		return 0, 0, false
	}
	digest, size, ok := n.member.Admit(e.Topic, e.Payload)
	return nameOf(e, digest), size, ok
}

// supply gives somebody the events of a group that it lacks and that came since it is there.
func (n *Node) supply(g *group, to engine.Peer, have []uint64, since uint32) (sent int) {
	now := n.env.Now()
	for _, k := range g.kept.list {
		age := now - k.came
		if inSeconds(age) <= since && !slices.Contains(have, k.name) {
			n.env.Send(to, &Missed{Key: g.Key, Age: inMilliseconds(age), Event: *k.event})
			sent++
		}
	}
	return sent
}

// takeMissed takes an event that this node lacked.
func (n *Node) takeMissed(from engine.Peer, m *Missed) {
	if g := n.find(Group{m.Event.Topic, m.Key}); g != nil {
		g.missed++
		n.blame(g, from, m)
		n.take(g, &m.Event, from)
	}
}
