package scribe

import (
	"time"

	"tidings/network/engine"
)

// movesFor is how long a child that is to move may need.
const movesFor = 15 * time.Second

// maybeMove hands down the child that is farthest away, if there are too many: to its siblings
// (section 3.4). In all groups together, it chooses from the group with the most children.
func (n *Node) maybeMove(g *group) {
	if len(g.children.staying) > n.config.MaxChildren {
		n.moveOne(g)
	}
	if n.links.load <= n.config.MaxLoad {
		return
	}
	n.env.Trace(LimitHit{"MaxLoad", n.config.MaxLoad})
	if most := n.groups.widest(g); len(most.children.staying) > 1 {
		n.moveOne(most)
	}
}

// moveOne has one child move. One that does not in time is a child no longer.
func (n *Node) moveOne(g *group) {
	far := g.children.farthest()
	m := &Move{Group: g.Group}
	for _, c := range g.children.draw(n.env.Rand(), far) {
		m.Siblings =
			append(m.Siblings, Sibling{Peer: c.link.peer, RTT: uint32(min(c.link.rtt.Microseconds(), 1<<32-1))})
	}
	until := n.env.Now() + movesFor
	g.children.handDown(far, until)
	n.env.Trace(Moved{g.Group, far.link.peer})
	n.env.Send(far.link.peer, m)
	n.env.After(movesFor, func() {
		if c := n.links.child(&g.kin, far.link.peer.ID); c == far && c.moving == until && !g.gone {
			n.env.Send(c.link.peer, &Leave{Groups: []Group{g.Group}})
			n.disown(g.Group, c.link.peer)
		}
	})
}

// receiveMove becomes the child of the sibling over which the way to the parent is the shortest.
func (n *Node) receiveMove(from engine.Peer, m *Move) {
	g := n.find(m.Group)
	if g == nil || !g.isParent(from) || len(m.Siblings) == 0 {
		return
	}
	n.prober.nearest(m.Siblings, func(best engine.Peer) {
		if !g.gone && g.isParent(from) {
			g.search.askFirst(best)
			n.seek(g)
		}
	})
}
