package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Join has the events of a topic delivered from now on.
func (n *Node) Join(topic engine.ID) { n.JoinAt(topic, topic) }

// JoinAt is Join for events that are published at a root of one's own choice: the node closest to
// key, such as that of the publisher.
func (n *Node) JoinAt(topic, key engine.ID) {
	g := n.enter(NameOf(topic, key), n.env.Now())
	if g == nil || g.member {
		return
	}
	g.member, g.since = true, n.env.Now()
	n.comparer.later(&g.comparison)
}

// Leave ends what Join began.
func (n *Node) Leave(topic engine.ID) { n.LeaveAt(topic, topic) }

// LeaveAt ends what JoinAt began.
func (n *Node) LeaveAt(topic, key engine.ID) {
	g := n.find(NameOf(topic, key))
	if g == nil || !g.member {
		return
	}
	g.member = false
	g.comparison.stop()
	n.maybeForget(g)
}

// seek looks for a parent, until there is one.
func (n *Node) seek(g *group) {
	if !g.gone && !g.root && g.search.begin() {
		n.trySeek(g)
	}
}

func (n *Node) trySeek(g *group) {
	if g.gone || !g.search.on {
		return
	}
	if n.finder.isRoot(g.Group) {
		n.becomeRoot(g)
		return
	}
	have, since := n.comparer.holdings(&g.comparison)
	join := Join{Group: g.Group, Child: n.env.Self(), Have: have, Since: since}
	var below []engine.ID
	for c := range g.children.all() {
		below = append(below, c.link.peer.ID)
	}
	n.searcher.try(&g.search, join, below, func() { n.trySeek(g) })
}

// receiveDetour admits a child that does not trust the direct way. It does not if the next node on this one's way is
// one to avoid.
func (n *Node) receiveDetour(m *Detour) {
	if !n.ring.Active() || n.finder.isSelf(m.Join.Child) {
		return
	}
	g := n.find(m.Join.Group)
	bad := g != nil && g.parent != nil && slices.Contains(m.Avoid, g.parent.peer.ID)
	if bad && m.Hops < maxDetours {
		if hop, ok := n.finder.randomHop(append(slices.Clone(m.Avoid), m.Join.Child.ID)); ok {
			n.env.Send(hop, &Detour{Join: m.Join, Avoid: m.Avoid, Hops: m.Hops + 1})
			return
		}
	}
	if !n.admitChild(&m.Join, m.Avoid...) { // it is below the child; those nearer to the root may not be
		join := m.Join
		n.ring.Route(join.Group.rootKey(), &join)
	}
}

// maxDetours is how often a Detour is handed on to somebody else.
const maxDetours = 3

// receiveJoin handles a Join that ends here.
func (n *Node) receiveJoin(m *Join) {
	if n.ring.Active() && !n.finder.isSelf(m.Child) {
		n.admitChild(m)
	}
}

// admitChild makes a node a child, and reports whether it did.
func (n *Node) admitChild(m *Join, avoid ...engine.ID) bool {
	g := n.find(m.Group)
	if g != nil && slices.Contains(g.path, short(m.Child.ID)) {
		return false // it would become a child of a node below it
	}
	if g != nil && g.isParent(m.Child) {
		return false
	}
	if g == nil {
		// What the child lacks has to come this way.
		since := max(0, n.env.Now()-time.Duration(m.Since)*time.Second)
		if g = n.enter(m.Group, since, avoid...); g == nil {
			return false
		}
	}
	c := n.links.child(&g.kin, m.Child.ID)
	if c == nil {
		c = n.links.adopt(&g.kin, m.Child)
		n.env.Trace(Adopted{g.Group, m.Child})
	}
	g.children.stay(c)
	lacks := n.lacking(g, m.Have, m.Since)
	n.env.Send(m.Child, &Joined{Group: g.Group, Line: c.link.down.line, Sent: c.link.down.sent, Path: n.pathOf(g),
		Missed: uint8(len(lacks))})
	n.supply(g, m.Child, lacks)
	n.maybeMove(g)
	return true
}

// receiveJoined accepts a parent.
func (n *Node) receiveJoined(from engine.Peer, m *Joined) {
	g := n.find(m.Group)
	if g == nil || g.root || n.finder.isSelf(from) {
		n.env.Send(from, &Leave{Groups: []Group{m.Group}})
		return
	}
	switch {
	case g.isParent(from):
	case g.parent != nil && !g.search.on:
		n.env.Send(from, &Leave{Groups: []Group{m.Group}}) // another was faster
		return
	default:
		n.dropParent(g, true)
		n.links.setParent(&g.kin, from)
	}
	g.parent.up.start(m.Line, m.Sent)
	g.search.stop()
	n.env.Trace(Found{g.Group, from})
	parent := g.parent
	n.comparer.expect(&g.comparison, int(m.Missed), func() (engine.Peer, bool) {
		return parent.peer, g.parent == parent && !g.gone
	})
	if g.member && n.env.Now() > g.since+n.config.JoinRetry {
		n.comparer.soon(&g.comparison) // the new parent may lack something as well
	}
	n.follow(g, m.Path)
}

// jitter returns d plus or minus up to an eighth of it.
func jitter(env engine.Env, d time.Duration) time.Duration {
	return d - d/8 + time.Duration(env.Rand().Int64N(int64(d/4)+1))
}
