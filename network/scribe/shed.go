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
	if n.staying(g) > n.config.MaxChildren {
		n.moveOne(g)
	}
	if n.links.load <= n.config.MaxLoad {
		return
	}
	n.limitHit("MaxLoad", n.config.MaxLoad)
	if most := n.widest(g); n.staying(most) > 1 {
		n.moveOne(most)
	}
}

// widest returns the group in which this node has the most children: of g and, where there are more than
// sweepStep, as many others, from a random one on.
func (n *Node) widest(g *group) *group {
	list, most := n.groups.list, g
	start := n.env.Rand().IntN(len(list))
	for i := range min(len(list), sweepStep) {
		if h := list[(start+i)%len(list)]; n.staying(h) > n.staying(most) {
			most = h
		}
	}
	return most
}

// staying counts the children that are not about to move.
func (n *Node) staying(g *group) (count int) {
	for _, c := range g.children {
		if c.moving == 0 {
			count++
		}
	}
	return count
}

// moveOne has one child move. One that does not in time is a child no longer.
func (n *Node) moveOne(g *group) {
	var far *child
	m := &Move{Group: g.Group}
	for _, c := range g.children {
		if c.moving == 0 && (far == nil || c.link.rtt >= far.link.rtt) {
			far = c
		}
	}
	for _, c := range g.children {
		if c != far && c.moving == 0 && len(m.Siblings) < maxSiblings {
			m.Siblings = append(m.Siblings, Sibling{Peer: c.link.peer, RTT: uint32(min(c.link.rtt.Microseconds(), 1<<32-1))})
		}
	}
	until := n.env.Now() + movesFor
	far.moving = until
	n.env.Trace(Moved{g.Group, far.link.peer})
	n.env.Send(far.link.peer, m)
	n.env.After(movesFor, func() {
		if c := g.child(far.link.peer.ID); c == far && c.moving == until && !g.gone {
			n.env.Send(c.link.peer, &Leave{Groups: []Group{g.Group}})
			n.disown(g, c)
			n.maybeForget(g)
		}
	})
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
			if !decided && (best.IsZero() || way < least) {
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
