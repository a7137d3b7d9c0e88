package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// movesFor is how long a child that is to move may take.
const movesFor = 15 * time.Second

// maybeMove hands down the child that is farthest away, if there are too many: to its siblings
// (section 3.4). In all groups together, it takes from the group with the most children.
func (n *Node) maybeMove(g *group) {
	if len(g.children.staying) > n.config.MaxChildren {
		n.moveOne(g)
	}
	if n.links.load <= n.config.MaxLoad {
		return
	}
	n.limitHit("MaxLoad", n.config.MaxLoad)
	if most := n.widest(g); len(most.children.staying) > 1 {
		n.moveOne(most)
	}
}

// widest returns the group in which this node has the most children: of g and, where there are more than
// sweepStep, as many others, from a random one on.
func (n *Node) widest(g *group) *group {
	list, most := n.groups.list, g
	start := n.env.Rand().IntN(len(list))
	for i := range min(len(list), sweepStep) {
		if h := list[(start+i)%len(list)]; len(h.children.staying) > len(most.children.staying) {
			most = h
		}
	}
	return most
}

// farther reports whether a child is farther away than another. Those that did not answer are the farthest.
func (c *child) farther(than *child) bool {
	return than.link.rtt > 0 && (c.link.rtt == 0 || c.link.rtt >= than.link.rtt)
}

// moveOne has one child move. One that does not in time is a child no longer.
func (n *Node) moveOne(g *group) {
	var far *child
	m := &Move{Group: g.Group}
	for _, c := range g.children.staying {
		if far == nil || c.farther(far) {
			far = c
		}
	}
	for _, c := range n.someStaying(g, far) {
		m.Siblings = append(m.Siblings, Sibling{Peer: c.link.peer, RTT: uint32(min(c.link.rtt.Microseconds(), 1<<32-1))})
	}
	until := n.env.Now() + movesFor
	far.moving = until
	g.children.sort(far)
	n.env.Trace(Moved{g.Group, far.link.peer})
	n.env.Send(far.link.peer, m)
	n.env.After(movesFor, func() {
		if c := n.childOf(g, far.link.peer.ID); c == far && c.moving == until && !g.gone {
			n.env.Send(c.link.peer, &Leave{Groups: []Group{g.Group}})
			n.disown(g, c)
			n.maybeForget(g)
		}
	})
}

// choices is among how many siblings, drawn by lot, a child chooses that is handed down. The paper has it choose among all: then
// most choose the one nearest to the parent, which hands them on to the one nearest to it, and the tree becomes a chain: of
// 400 members with at most four children each the deepest was 63 below the root, and is 7 below with two choices.
const choices = 2

// someStaying draws children that stay, one left out.
func (n *Node) someStaying(g *group, but *child) (some []*child) {
	some = slices.DeleteFunc(slices.Clone(g.children.staying), func(c *child) bool { return c == but })
	for i := range min(choices, len(some)) {
		j := i + n.env.Rand().IntN(len(some)-i)
		some[i], some[j] = some[j], some[i]
	}
	return some[:min(choices, len(some))]
}

// move becomes the child of the sibling over which the way to the parent is the shortest.
func (n *Node) move(from engine.Peer, m *Move) {
	g := n.find(m.Group)
	if g == nil || g.parent == nil || g.parent.peer.ID != from.ID || len(m.Siblings) == 0 {
		return
	}
	var best engine.Peer
	var least time.Duration
	decided := false
	for _, s := range slices.Clone(m.Siblings) {
		n.probe(s.Peer, func(rtt time.Duration) {
			way := rtt + time.Duration(s.RTT)*time.Microsecond
			if rtt > 0 && !decided && (best.IsZero() || way < least) {
				best, least = s.Peer, way
			}
		})
	}
	n.env.After(probeWait, func() {
		decided = true
		if g.gone || g.parent == nil || g.parent.peer.ID != from.ID || best.IsZero() {
			return
		}
		g.seeking.direct = best
		n.seek(g)
	})
}
