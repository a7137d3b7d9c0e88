package scribe

import (
	"time"

	"tidings/network/engine"
)

// innocent is how long a root may have an event that a member does not have yet, without anybody being to blame.
const innocent = 5 * time.Second

// compareEach makes all groups with a peer as the parent compare, because the peer does not send again what it claims
// to have sent.
func (n *Node) compareEach(l *link) {
	for i, name := range l.namesAbove() {
		n.comparer.in(&n.find(name).comparison, time.Duration(i)*time.Millisecond) // there may be many
	}
}

// compareAll has all groups of which a peer is the parent filled.
func (n *Node) compareAll(l *link) {
	for _, name := range l.namesAbove() {
		n.comparer.send(&n.find(name).comparison, l.peer)
	}
}

// receiveCompare answers with the events that a peer lacks.
func (n *Node) receiveCompare(from engine.Peer, m *Compare) {
	g := n.find(m.Group)
	if g == nil {
		n.env.Send(from, &Compared{Group: m.Group})
		return
	}
	if g.root {
		n.comparer.maybeCompareBack(&g.comparison, from, m.Have)
	}
	lacks := n.lacking(g, m.Have, m.Since)
	n.supply(g, from, lacks)
	n.env.Send(from, &Compared{Group: m.Group, Missed: uint8(len(lacks)), Again: n.comparer.pace(&g.comparison)})
}

// blame looks for another parent where the parent has kept an event from this node: somebody has had it
// for longer than it needs. It may be one above the parent that swallows; so the root that gave the event is
// asked first.
func (n *Node) blame(g *group, from engine.Peer, m *Missed) {
	if g.parent == nil || g.isParent(from) || g.root {
		return
	}
	if name, _, ok := admit(n.member, &m.Event, from); !ok || g.seen.has(name) {
		return
	}
	troubled, denied := g.parent.up.excused()
	if !denied && (troubled || m.Age < inMilliseconds(innocent) || n.env.Now() < g.parented+innocent) {
		return
	}
	if g.comparison.roots.has(from.ID) {
		g.search.askFirst(from) // it gets what it is to get, whichever other swallows: even the root
	}
	n.accuse(g)
}

// accuse looks for another parent.
func (n *Node) accuse(g *group) {
	g.comparison.hurry()
	n.env.Trace(Blamed{g.Group, g.parent.peer})
	g.search.addAvoided(g.parent.peer.ID, n.env.Now())
	n.dropParent(g, true)
	n.seek(g)
}

// Distrust makes another node than the parent carry a topic's events to this one. It is found over a random node of the
// ring. The layer above knows that the parent keeps something back.
func (n *Node) Distrust(topic engine.ID) {
	if g := n.find(Group{Topic: topic}); g != nil && g.parent != nil && !g.root {
		n.accuse(g)
	}
}

func inSeconds(d time.Duration) uint32 { return uint32(min(max(0, d/time.Second), 1<<32-1)) }

func inMilliseconds(d time.Duration) uint32 { return uint32(min(max(0, d/time.Millisecond), 1<<32-1)) }
