package scribe

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// A member compares what it has with what one of the roots has, now and then, so that a node
// between them that swallows events is found out. It looks for another parent then. One that finds that out by itself
// (network.Recoverer) compares only when it has a new parent, and after it has been found to lack something. Others compare when
// they have reason to: a node that becomes the root of a group may lack what the root before it had.

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
	if g.haste == 0 && n.recovers(g) {
		return
	}
	n.compareIn(g, n.jitter(n.config.Compare/time.Duration(max(1, g.haste))))
}

// recovers reports whether the member finds out by itself what is kept back from it.
func (n *Node) recovers(g *group) bool {
	r, ok := n.member.(network.Recoverer)
	return ok && r.Recovers(g.Topic)
}

func (n *Node) compareIn(g *group, wait time.Duration) {
	g.compare.Soon(n.env, n.env.Now()+wait, func() { n.compareWithRoot(g) })
}

// compareSoon has a gap filled.
func (n *Node) compareSoon(g *group) { n.compareIn(g, n.jitter(gapWait)) }

// denied has all groups of which a peer is the parent compare, as it does not send again what it says that it
// has sent.
func (n *Node) denied(l *link) {
	l.above.denied = n.env.Now()
	for i, g := range l.above.groups {
		n.compareIn(g, time.Duration(i)*time.Millisecond) // there may be many
	}
}

// compareAll has all groups of which a peer is the parent filled.
func (n *Node) compareAll(l *link) {
	for _, g := range l.above.groups {
		n.sendCompare(g, l.peer)
	}
}

// compareWithRoot asks one of the roots that have not answered in this round, drawn by lot: the closest
// last, for it may be the one that swallows.
func (n *Node) compareWithRoot(g *group) {
	if g.gone {
		return
	}
	if g.member {
		n.compareLater(g)
	}
	g.missed = 0
	now := n.env.Now()
	if owners, sure := n.ring.Owners(g.rootKey(), n.config.Roots); sure {
		g.comparing.rootsChanged(g.roots.list, owners)
		g.roots.set(owners, now)
	}
	if g.roots.old(now) {
		n.askRoots(g)
		n.compareIn(g, n.jitter(min(gapWait<<g.roots.vain, n.config.Compare)))
		g.roots.vain = min(g.roots.vain+1, 16)
		return
	}
	if root, ok := n.nextRoot(g); ok {
		g.comparing.with = root
		n.sendCompare(g, root)
		g.comparing.alarm.Stop()
		g.comparing.alarm.Soon(n.env, now+gapWait, func() { n.notCompared(g) })
	}
	if n.env.Rand().IntN(4) == 0 {
		n.askRoots(g) // from another side, in case of lies
	}
}

func (n *Node) sendCompare(g *group, to engine.Peer) {
	have, since := n.holdings(g)
	n.env.Send(to, &Compare{Group: g.Group, Have: have, Since: since})
}

// holdings returns which of the latest events this node has, and from how many seconds ago on it wants those
// that it has not.
func (n *Node) holdings(g *group) (have []uint64, since uint32) {
	from := max(g.since, g.comparing.settled-overlap)
	return g.seen.since(from - overlap), inSeconds(n.env.Now() - from)
}

// overlap is by how much longer than since the last round a node looks back: an event comes to some
// nodes later than to others.
const overlap = 30 * time.Second

// compare answers with the events that a peer lacks.
func (n *Node) compare(from engine.Peer, m *Compare) {
	g := n.find(m.Group)
	if g == nil {
		n.env.Send(from, &Compared{Group: m.Group})
		return
	}
	n.maybeCompareBack(g, from, m.Have)
	lacks := n.lacking(g, m.Have, m.Since)
	n.supply(g, from, lacks)
	n.env.Send(from, &Compared{Group: m.Group, Missed: uint8(len(lacks)), Again: n.pace(g)})
}

// maybeCompareBack has a root ask for what a member has and it has not: an event that went to the roots of another part of the
// ring while that had fallen apart, or to roots that crashed before they had handed it to all. What comes goes down the
// tree. One member is asked at a time, so that liars who name events that do not exist cost little.
func (n *Node) maybeCompareBack(g *group, from engine.Peer, have []uint64) {
	now := n.env.Now()
	if !g.root || now < g.asked.back+gapWait || !slices.ContainsFunc(have, func(name uint64) bool { return !g.seen.has(name) }) {
		return
	}
	g.asked.back = now
	n.env.Send(from, &Compare{Group: g.Group, Have: g.seen.since(g.since), Since: inSeconds(now - g.since)})
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
	back          time.Duration // when this root asked one who asked it
}

// compared takes the end of an answer.
func (n *Node) compared(from engine.Peer, m *Compared) {
	g := n.find(m.Group)
	if g == nil {
		return
	}
	c := &g.comparing
	whole := int(m.Missed) <= g.missed // else some were lost on the way, or kept back
	if c.with.ID == from.ID {
		c.alarm.Stop()
		c.tries, c.with = 0, engine.Peer{}
		c.answered = append(c.answered, from.ID)
		c.partly = c.partly || !whole
	}
	switch {
	case !whole:
		n.compareSoon(g)
	case m.Again > 0 && g.member && !n.recovers(g): // else it had no mind to ask again
		wait := min(time.Duration(m.Again)*time.Second, maxPace)
		g.compare.Stop()
		n.compareIn(g, n.jitter(wait))
	}
}

// maxPace bounds how long a root can have a member not compare.
const maxPace = time.Hour

// blame looks for another parent where the parent has kept an event from this node: somebody has had it
// for longer than it takes. It may be somebody above the parent who swallows; so the root that gave the event is
// asked first.
func (n *Node) blame(g *group, from engine.Peer, m *Missed) {
	if g.parent == nil || g.parent.peer.ID == from.ID || g.root {
		return
	}
	if name, _, ok := n.admit(&m.Event, from); !ok || g.seen.has(name) {
		return
	}
	now, up := n.env.Now(), &g.parent.above
	excused := m.Age < inMilliseconds(innocent) || now < g.parented+innocent ||
		up.troubled > 0 && now < up.troubled+innocent // losses on the way are being mended
	if denied := up.denied > 0 && now < up.denied+innocent; excused && !denied {
		return
	}
	if g.roots.has(from.ID) {
		g.seeking.direct = from // it gets what it is to get, whoever else swallows: even the root
	}
	n.accuse(g)
}

func inSeconds(d time.Duration) uint32 { return uint32(min(max(0, d/time.Second), 1<<32-1)) }

func inMilliseconds(d time.Duration) uint32 { return uint32(min(max(0, d/time.Millisecond), 1<<32-1)) }
