package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// A publisher gives a large event to the closest root alone, and tells by an IHave those who get it
// anyway, down the tree: the other roots and its own parent. So each link carries the event once. A
// root that does not get it from above asks the publisher.

// has are events that a child is known to have: the latest, by name.
type has struct {
	names [maxHas]uint64 // a ring
	next  int
}

// maxHas is how many events of a child may be on their way at once.
const maxHas = 8

func (h *has) add(name uint64) {
	h.names[h.next] = name
	h.next = (h.next + 1) % maxHas
}

func (h *has) event(name uint64) bool { return slices.Contains(h.names[:], name) }

// awaited are events that should come down the tree to this node, which is one of the roots.
type awaited struct {
	list  []awaitedEvent // that due first at the start
	alarm engine.Alarm
}

type awaitedEvent struct {
	name uint64
	from engine.Peer // who publishes it
	due  time.Duration
}

// maxAwaited bounds the list. What would go beyond is asked for at once.
const maxAwaited = 64

// takeIHave takes that a peer has an event.
func (n *Node) takeIHave(from engine.Peer, m *IHave) {
	g := n.find(m.Group)
	if g != nil {
		if c := n.childOf(g, from.ID); c != nil {
			c.has.add(m.Name)
		}
	}
	switch {
	case !n.isAmongRoots(m.Group.rootKey()):
	case g != nil && g.seen.has(m.Name):
		n.env.Send(from, &Taken{Group: m.Group, Name: m.Name})
	case g == nil || g.parent == nil || len(g.awaited.list) >= maxAwaited:
		n.env.Send(from, &IWant{m.Group, m.Name})
	default:
		g.awaited.list = append(g.awaited.list, awaitedEvent{m.Name, from, n.env.Now() + late})
		n.awaitOn(g)
	}
}

// awaitOn asks for what has not come in time.
func (n *Node) awaitOn(g *group) {
	a := &g.awaited
	for len(a.list) > 0 && a.list[0].due <= n.env.Now() {
		n.env.Send(a.list[0].from, &IWant{g.Group, a.list[0].name})
		a.list = a.list[1:]
	}
	if len(a.list) > 0 {
		a.alarm.Soon(n.env, a.list[0].due, func() { n.awaitOn(g) })
	}
}

// arrived tells whoever published an event that it is here.
func (n *Node) arrived(g *group, name uint64) {
	g.awaited.list = slices.DeleteFunc(g.awaited.list, func(e awaitedEvent) bool {
		if e.name == name {
			n.env.Send(e.from, &Taken{Group: g.Group, Name: name})
		}
		return e.name == name
	})
}

// takeIWant gives an event to a root that has not got it down the tree.
func (n *Node) takeIWant(from engine.Peer, m *IWant) {
	p := n.publications.index[m.Group]
	if p == nil {
		return
	}
	if u := p.find(m.Name); u != nil {
		n.env.Send(from, &Publish{Key: p.Key, Event: *u.event})
	}
}
