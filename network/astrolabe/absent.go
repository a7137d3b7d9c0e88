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
	for depth := 1; first && depth < len(n.branch.tables); depth++ {
		if r, ok := n.branch.tables[depth-1].Get(n.branch.path.At(depth).Label()); ok && names(r.Attributes, p.ID) {
			for _, other := range Representatives(r) { // whether they can be reached matters now
				if other.ID != n.env.Self().ID && !n.Down(other.ID) {
					n.gossipWith(other, depth)
				}
			}
		}
	}
}

// Down reports whether a peer could not be reached lately.
func (n *Node) Down(id engine.ID) bool { return n.down.is(id, n.env.Now()) }

// is reports whether a node could not be reached by this one lately.
func (a *absent) is(id engine.ID, now time.Duration) bool {
	i := a.find(id)
	return i >= 0 && !a.nodes[i].hearsay && now-a.nodes[i].since < leftAlone
}

// speaksFor reports whether one of those that speak for a row can be reached, as far as is known. A member counts as
// absent for as long as its row lasts.
func (a *absent) speaksFor(r table.Row, now, lifetime time.Duration) bool {
	if zone.IsMember(r.Label) {
		i := a.find(r.Issuer.ID)
		return i < 0 || now-a.nodes[i].since >= lifetime
	}
	return !a.orphaned(r, now)
}

// orphaned reports whether none of those that the row of a zone names can be reached.
func (a *absent) orphaned(r table.Row, now time.Duration) bool {
	if len(a.nodes) == 0 {
		return false
	}
	for item := range representatives(r.Attributes) {
		if !a.is(peerOf(item).ID, now) {
			return false
		}
	}
	return true
}

// lives notes that a row was stamped at a time: the node that did is there.
func (a *absent) lives(id engine.ID, stamped time.Duration) {
	if i := a.find(id); i >= 0 && stamped > a.nodes[i].since {
		a.received(id)
	}
}

// believe counts as absent the nodes that the row of the node's own zone does not name, though they should represent it
// as far as the node knows, and from which nothing came since it was written. Its writer could not reach them.
// Otherwise nodes that know would be contradicted by those that do not yet. It reports whether there are any. own is
// the zone's table, old and age are of the row, and row is what it should say.
func (a *absent) believe(own *table.Table, old, row attr.Row, age, now time.Duration, self engine.ID) (any bool) {
	for item := range representatives(row) {
		id := peerOf(item).ID
		_, last, known := own.Known(zone.Member(id), now)
		if known && last > age && id != self && !names(old, id) {
			a.lost(absentee{id, now - age, true})
			any = true
		}
	}
	return any
}
