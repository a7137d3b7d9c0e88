package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// A publisher sends a large event to the closest root alone. It announces it by an IHave to nodes that get it anyway,
// down the tree: the other roots and its own parent. So each link carries the event once. A root that does not get it
// from above requests it from the publisher.

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

// awaited are events that should come down the tree to this node, which is one of a group's roots. It asks the
// publisher of one that does not come within late, and confirms to it those that come. It awaits at most maxAwaited;
// further ones are asked for at once.
type awaited struct {
	env   engine.Env
	group Group
	list  []awaitedEvent // that due first at the start
	alarm engine.Alarm
}

type awaitedEvent struct {
	name uint64
	from engine.Peer // its publisher
	due  time.Duration
}

// maxAwaited bounds the list.
const maxAwaited = 64

// add awaits an event of which a publisher has sent an IHave.
func (a *awaited) add(name uint64, from engine.Peer) {
	if len(a.list) >= maxAwaited {
		a.env.Send(from, &IWant{a.group, name})
		return
	}
	a.list = append(a.list, awaitedEvent{name, from, a.env.Now() + late})
	a.ask()
}

// ask asks for what has not come in time.
func (a *awaited) ask() {
	for len(a.list) > 0 && a.list[0].due <= a.env.Now() {
		a.env.Send(a.list[0].from, &IWant{a.group, a.list[0].name})
		a.list = a.list[1:]
	}
	if len(a.list) > 0 {
		a.alarm.Soon(a.env, a.list[0].due, a.ask)
	}
}

// arrived confirms to the publisher of an event that it is here.
func (a *awaited) arrived(name uint64) {
	a.list = slices.DeleteFunc(a.list, func(e awaitedEvent) bool {
		if e.name == name {
			a.env.Send(e.from, &Taken{Group: a.group, Name: name})
		}
		return e.name == name
	})
}

// stop asks for nothing more.
func (a *awaited) stop() { a.alarm.Stop() }

// receiveIHave learns that a peer has an event.
func (n *Node) receiveIHave(from engine.Peer, m *IHave) {
	g := n.find(m.Group)
	if g != nil {
		if c := n.links.child(&g.kin, from.ID); c != nil {
			c.has.add(m.Name)
		}
	}
	switch {
	case !n.finder.isAmongRoots(m.Group):
	case g != nil && g.seen.has(m.Name):
		n.env.Send(from, &Taken{Group: m.Group, Name: m.Name})
	case g == nil || g.parent == nil:
		n.env.Send(from, &IWant{m.Group, m.Name})
	default:
		g.awaited.add(m.Name, from)
	}
}
