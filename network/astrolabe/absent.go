package astrolabe

import (
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// absent remembers which nodes could not be reached.
type absent struct {
	nodes []absentee // the latest last; at most maxAbsent
}

type absentee struct {
	id      engine.ID
	since   time.Duration
	hearsay bool // only others could not reach it
}

// Bounds of what is remembered: the latest stay. A node that could not be reached is left alone for a while. It
// represents no zone until it shows that it lives, at most until its row would have aged out.
const (
	maxAbsent = 256
	leftAlone = 2 * time.Minute
)

func (a *absent) lost(node absentee) {
	a.received(node.id)
	if len(a.nodes) == maxAbsent {
		a.nodes = slices.Delete(a.nodes, 0, 1)
	}
	a.nodes = append(a.nodes, node)
}

func (a *absent) received(id engine.ID) {
	if i := a.find(id); i >= 0 {
		a.nodes = slices.Delete(a.nodes, i, i+1)
	}
}

func (a *absent) find(id engine.ID) int {
	for i := range a.nodes {
		if a.nodes[i].id == id {
			return i
		}
	}
	return -1
}

// PeerDown reports that a peer cannot be reached: others are asked in its place for a while. If it represents a zone of
// this node's, it matters soon whether the others can be reached.
func (n *Node) PeerDown(p engine.Peer) {
	first := !n.Down(p.ID)
	n.down.lost(absentee{p.ID, n.env.Now(), false})
	n.duty.changedAll()
	n.settle.Soon(n.env, n.env.Now()+n.config.Settle, n.aggregateAll)
	if n.seeking != nil && n.seeking.asked.ID == p.ID {
		n.seekOn()
	}
	for depth := 1; first && depth < len(n.tables); depth++ {
		if r, ok := n.tables[depth-1].Get(n.path.At(depth).Label()); ok && names(r.Attributes, p.ID) {
			n.probe(r, depth)
		}
	}
}

// probe finds out whether those that speak for a zone can be reached.
func (n *Node) probe(r table.Row, depth int) {
	for _, p := range Representatives(r) {
		if p.ID != n.env.Self().ID && !n.Down(p.ID) {
			n.gossipWith(p, depth)
		}
	}
}

// Down reports whether a peer could not be reached lately.
func (n *Node) Down(id engine.ID) bool {
	i := n.down.find(id)
	return i >= 0 && !n.down.nodes[i].hearsay && n.env.Now()-n.down.nodes[i].since < leftAlone
}

// absent reports whether none of those that speak for a row can be reached, as far as is known.
func (n *Node) absent(r table.Row) bool {
	if len(n.down.nodes) == 0 {
		return false
	}
	if zone.IsMember(r.Label) {
		i := n.down.find(r.Issuer.ID)
		return i >= 0 && n.env.Now()-n.down.nodes[i].since < n.config.Lifetime
	}
	return n.orphaned(r)
}

// orphaned reports whether none of those that the row of a zone names can be reached.
func (n *Node) orphaned(r table.Row) bool {
	if len(n.down.nodes) == 0 {
		return false
	}
	for item := range representatives(r.Attributes) {
		if !n.Down(peerOf(item).ID) {
			return false
		}
	}
	return true
}

// lives notes that a row was stamped some time ago: the node that did is there.
func (n *Node) lives(id engine.ID, age time.Duration) {
	if i := n.down.find(id); i >= 0 && n.env.Now()-age > n.down.nodes[i].since {
		n.down.received(id)
	}
}

// believe counts as absent the nodes that the row of the node's own zone does not name, though they should represent it
// as far as the node knows, and from which nothing came since it was written. Its writer could not reach them.
// Otherwise nodes that know would be contradicted by those that do not yet. It reports whether there are any.
func (n *Node) believe(old, row attr.Row, age time.Duration) (any bool) {
	now, own := n.env.Now(), &n.tables[len(n.tables)-1]
	for item := range representatives(row) {
		id := peerOf(item).ID
		_, last, known := own.Known(zone.Member(id), now)
		if known && last > age && id != n.env.Self().ID && !names(old, id) {
			n.down.lost(absentee{id, now - age, true})
			any = true
		}
	}
	return any
}
