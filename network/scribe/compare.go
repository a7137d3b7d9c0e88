package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// A member compares what it has with what one of the roots has, now and then, so that a node
// between them that swallows events is found out. It looks for another parent then.

// gapWait is how long a member waits for events that were overtaken before it asks for them.
const gapWait = 3 * time.Second

// innocent is for how long a root may have an event that a member does not have yet, without
// anybody being to blame.
const innocent = 5 * time.Second

// hurry is by how much faster a member compares that has just been found to lack something: its new
// parent may be no better than the last. It slows down again by half with each comparison.
const hurry = 8

func (n *Node) compareLater(g *group) {
	g.haste /= 2
	n.compareIn(g, n.jitter(n.config.Compare/time.Duration(max(1, g.haste))))
}

func (n *Node) compareIn(g *group, wait time.Duration) {
	g.compare.Soon(n.env, n.env.Now()+wait, func() { n.compareWithRoot(g) })
}

// compareSoon has a gap filled.
func (n *Node) compareSoon(g *group) { n.compareIn(g, n.jitter(gapWait)) }

// compareAll has all groups of which a peer is the parent filled.
func (n *Node) compareAll(l *link) {
	for _, g := range l.above.groups {
		n.sendCompare(g, l.peer)
	}
}

// compareWithRoot asks one of the roots, drawn by lot: seldom the first, who may be the one that
// swallows.
func (n *Node) compareWithRoot(g *group) {
	if g.gone || !g.member {
		return
	}
	n.compareLater(g)
	g.missed = 0
	now := n.env.Now()
	if owners, sure := n.ring.Owners(g.rootKey(), n.config.Roots); sure {
		g.roots.set(owners, now)
	}
	if g.roots.old(now) {
		n.askRoots(g)
		n.compareIn(g, n.jitter(gapWait))
		return
	}
	list := slices.DeleteFunc(slices.Clone(g.roots.list), n.isSelf)
	if len(list) > 1 && list[0] == g.roots.list[0] && n.env.Rand().IntN(4) > 0 {
		list = list[1:]
	}
	if len(list) > 0 {
		n.sendCompare(g, list[n.env.Rand().IntN(len(list))])
	}
	if n.env.Rand().IntN(4) == 0 {
		n.askRoots(g) // from another side, in case of lies
	}
}

func (n *Node) sendCompare(g *group, to engine.Peer) {
	n.env.Send(to, &Compare{Group: g.Group, Have: g.seen.latest(), Since: n.sinceOf(g)})
}

// sinceOf returns for how many seconds this node has wanted a group's events.
func (n *Node) sinceOf(g *group) uint32 { return inSeconds(n.env.Now() - g.since) }

// compare answers with the events that a peer lacks.
func (n *Node) compare(from engine.Peer, m *Compare) {
	g := n.find(m.Group)
	if g == nil {
		n.env.Send(from, &Compared{Group: m.Group})
		return
	}
	sent := n.supply(g, from, m.Have, m.Since)
	n.env.Send(from, &Compared{Group: m.Group, Missed: uint8(min(sent, 255)), Again: n.pace(g)})
}

// pace returns how many seconds an asker is to leave this root in peace.
func (n *Node) pace(g *group) uint32 {
	now := n.env.Now()
	if now >= g.asked.since+n.config.Compare {
		g.asked.before, g.asked.count, g.asked.since = g.asked.count, 0, now
	}
	g.asked.count++
	load := max(g.asked.before, g.asked.count)
	if load <= n.config.CompareLoad {
		return 0
	}
	return inSeconds(n.config.Compare * time.Duration(load/n.config.CompareLoad+1))
}

// asked counts comparisons.
type asked struct {
	since         time.Duration
	count, before int
}

// compared takes the end of an answer.
func (n *Node) compared(_ engine.Peer, m *Compared) {
	g := n.find(m.Group)
	switch {
	case g == nil || !g.member:
		return
	case int(m.Missed) > g.missed: // lost on the way, or kept back
		n.compareSoon(g)
		return
	case m.Again == 0:
		return
	}
	wait := min(time.Duration(m.Again)*time.Second, maxPace)
	g.compare.Stop()
	n.compareIn(g, n.jitter(wait))
}

// maxPace bounds how long a root can have a member not compare.
const maxPace = time.Hour

// blame looks for another parent where the parent has kept an event from this node: somebody has had it
// for longer than it takes.
func (n *Node) blame(g *group, from engine.Peer, m *Missed) {
	if g.parent == nil || g.parent.peer.ID == from.ID || g.root || m.Age < inMilliseconds(innocent) {
		return
	}
	if name, _, ok := n.admit(&m.Event, from); !ok || g.seen.has(name) || n.env.Now() < g.parented+innocent {
		return
	}
	if sinceLoss := n.env.Now() - g.parent.above.troubled; g.parent.above.troubled > 0 && sinceLoss < time.Minute {
		return // losses on the way are being mended
	}
	n.accuse(g)
}

func inSeconds(d time.Duration) uint32 { return uint32(min(max(0, d/time.Second), 1<<32-1)) }

func inMilliseconds(d time.Duration) uint32 { return uint32(min(max(0, d/time.Millisecond), 1<<32-1)) }
