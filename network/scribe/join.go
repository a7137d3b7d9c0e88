package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// seeking is a node's search for a parent in one group.
type seeking struct {
	on     bool
	tries  int
	timer  engine.Alarm
	avoid  []avoided
	direct engine.Peer // who is asked first; zero: nobody in particular
}

// avoided is a node that was a bad parent.
type avoided struct {
	id    engine.ID
	until time.Duration
}

func (s *seeking) stop() {
	s.on, s.tries, s.direct = false, 0, engine.Peer{}
	s.timer.Stop()
}

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
	n.compareLater(g)
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
	g.compare.Stop()
	g.comparing.alarm.Stop()
	n.maybeForget(g)
}

// avoid has a node not be asked for a while.
func (n *Node) avoid(g *group, id engine.ID) {
	s := &g.seeking
	now := n.env.Now()
	s.avoid = slices.DeleteFunc(s.avoid, func(a avoided) bool { return a.id == id || a.until <= now })
	if len(s.avoid) == maxAvoided {
		s.avoid = s.avoid[1:]
	}
	s.avoid = append(s.avoid, avoided{id, now + avoidFor})
}

// avoidFor is for how long a bad parent is not asked again.
const avoidFor = 2 * time.Minute

// avoiding returns whom a group does not want as a parent.
func (n *Node) avoiding(g *group) (ids []engine.ID) {
	for _, a := range g.seeking.avoid {
		if a.until > n.env.Now() {
			ids = append(ids, a.id)
		}
	}
	return ids
}

// seek looks for a parent, until there is one.
func (n *Node) seek(g *group) {
	if g.gone || g.root {
		return
	}
	if g.seeking.on {
		return
	}
	g.seeking.on = true
	n.trySeek(g)
}

func (n *Node) trySeek(g *group) {
	s := &g.seeking
	if g.gone || !s.on {
		return
	}
	if n.isRoot(g.rootKey()) {
		n.becomeRoot(g)
		return
	}
	wait := min(n.config.JoinRetry<<min(s.tries, 10), n.config.JoinSlow)
	s.tries++
	s.timer.Stop()
	s.timer.Soon(n.env, n.env.Now()+n.jitter(wait), func() { n.trySeek(g) })
	if n.ring.Active() {
		n.askIn(g)
	}
}

// askIn asks to be taken in: on the way to the root, or over a random node if there is somebody to
// avoid.
func (n *Node) askIn(g *group) {
	join := n.joinOf(g)
	s := &g.seeking
	if !s.direct.IsZero() {
		n.env.Send(s.direct, &join)
		s.direct = engine.Peer{}
		return
	}
	avoid := n.avoiding(g)
	if len(avoid) > 0 && s.tries <= detours {
		if hop, ok := n.randomHop(append(slices.Clone(avoid), n.descendants(g)...)); ok {
			n.env.Send(hop, &Detour{Join: join, Avoid: avoid})
			return
		}
	}
	n.ring.Route(g.rootKey(), &join)
}

func (n *Node) joinOf(g *group) Join {
	have, since := n.holdings(g)
	return Join{Group: g.Group, Child: n.env.Self(), Have: have, Since: since}
}

// descendants returns the children, who cannot be parents.
func (n *Node) descendants(g *group) (ids []engine.ID) {
	for c := range g.children.all() {
		ids = append(ids, c.link.peer.ID)
	}
	return ids
}

// randomHop draws a node of the ring that is none of those to avoid.
func (n *Node) randomHop(avoid []engine.ID) (engine.Peer, bool) {
	known := n.ring.Known()
	for range 8 {
		if len(known) == 0 {
			break
		}
		p := known[n.env.Rand().IntN(len(known))]
		if !n.isSelf(p) && !slices.Contains(avoid, p.ID) {
			return p, true
		}
	}
	return engine.Peer{}, false
}

// takeDetour takes a child in that does not trust the direct way, unless the next node on this
// one's way is one to avoid.
func (n *Node) takeDetour(m *Detour) {
	if !n.ring.Active() || n.isSelf(m.Join.Child) {
		return
	}
	g := n.find(m.Join.Group)
	bad := g != nil && g.parent != nil && slices.Contains(m.Avoid, g.parent.peer.ID)
	if bad && m.Hops < maxDetours {
		if hop, ok := n.randomHop(append(slices.Clone(m.Avoid), m.Join.Child.ID)); ok {
			n.env.Send(hop, &Detour{Join: m.Join, Avoid: m.Avoid, Hops: m.Hops + 1})
			return
		}
	}
	if !n.takeIn(&m.Join, m.Avoid...) { // it is below the child; those nearer to the root may not be
		join := m.Join
		n.ring.Route(join.Group.rootKey(), &join)
	}
}

// detours is how often a node seeks a parent over random nodes before it takes the direct way.
const detours = 4

// maxDetours is how often a Detour is handed on to somebody else.
const maxDetours = 3

// takeJoin takes a Join that ends here.
func (n *Node) takeJoin(m *Join) {
	if n.ring.Active() && !n.isSelf(m.Child) {
		n.takeIn(m)
	}
}

// takeIn makes a node a child, and reports whether it did.
func (n *Node) takeIn(m *Join, avoid ...engine.ID) bool {
	g := n.find(m.Group)
	if g != nil && slices.Contains(g.path, short(m.Child.ID)) {
		return false // it would become a child of a node below it
	}
	if g != nil && g.parent != nil && g.parent.peer.ID == m.Child.ID {
		return false
	}
	if g == nil {
		// What the child lacks has to come this way.
		since := max(0, n.env.Now()-time.Duration(m.Since)*time.Second)
		if g = n.enter(m.Group, since, avoid...); g == nil {
			return false
		}
	}
	c := n.childOf(g, m.Child.ID)
	if c == nil {
		c = n.adopt(g, m.Child)
	}
	c.moving = 0
	g.children.sort(c)
	below := &c.link.below
	lacks := n.lacking(g, m.Have, m.Since)
	n.env.Send(m.Child, &Joined{Group: g.Group, Line: below.line, Sent: below.sent, Path: n.pathOf(g), Missed: uint8(len(lacks))})
	n.supply(g, m.Child, lacks)
	n.maybeMove(g)
	return true
}

// joined takes a parent.
func (n *Node) joined(from engine.Peer, m *Joined) {
	g := n.find(m.Group)
	if g == nil || g.root || n.isSelf(from) {
		n.env.Send(from, &Leave{Groups: []Group{m.Group}})
		return
	}
	switch {
	case g.parent != nil && g.parent.peer.ID == from.ID:
	case g.parent != nil && !g.seeking.on:
		n.env.Send(from, &Leave{Groups: []Group{m.Group}}) // another was faster
		return
	default:
		n.dropParent(g, true)
		n.setParent(g, from)
	}
	up := &g.parent.above
	if up.line != m.Line {
		up.line, up.came = m.Line, window{last: m.Sent}
	}
	g.seeking.stop()
	n.env.Trace(Found{g.Group, from})
	n.expect(g, int(m.Missed))
	if g.member && n.env.Now() > g.since+n.config.JoinRetry {
		n.compareSoon(g) // the new parent may lack something as well
	}
	n.follow(g, m.Path)
}

// jitter returns d, more or less.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - d/8 + time.Duration(n.env.Rand().Int64N(int64(d/4)+1))
}
