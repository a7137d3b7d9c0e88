package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// links are the peers that are parents or children of this node.
type links struct {
	index map[engine.ID]*link
	list  []*link // in no order that means anything, the same in each run
	load  int     // children in all groups
}

// link is what this node and another have to do with each other, in all groups together.
type link struct {
	peer engine.Peer
	at   int           // in the list
	rtt  time.Duration // 0: not measured
	// measuring tells that rtt will be known soon, or that it will not. Until then no child is handed down for the peer.
	measuring bool

	below lineDown
	above lineUp
}

// lineDown is the side of a parent.
type lineDown struct {
	children []*child // of the peer, one for each group; in no order that means anything
	sum      uint64   // of the groups' hashes
	line     uint32
	sent     uint64
	last     []sentDown    // a ring of the last ones; see resendable
	latest   time.Duration // when the last one was sent
	unheard  engine.Alarm  // when the child is asked whether it knows of it
	repeated int           // how often it was
}

type sentDown struct {
	key   engine.ID
	event *Event
}

// resendable is how many Disseminates back a child can ask for.
const resendable = 64

// remember keeps a Disseminate, the number of which is sent, to send it again. Most links carry few: the ring grows
// as they come.
func (d *lineDown) remember(s sentDown) {
	if len(d.last) < resendable {
		d.last = append(d.last, s)
	} else {
		*d.sentAt(d.sent) = s
	}
}

// sentAt returns what a number stands for, one of the last that were sent.
func (d *lineDown) sentAt(number uint64) *sentDown { return &d.last[(number-1)%resendable] }

// lineUp is the side of a child.
type lineUp struct {
	groups []*group // of which the peer is the parent, in no order that means anything
	sum    uint64
	heard  time.Duration
	differ int // Heartbeats in a row that did not fit

	line     uint32 // names the numbering; 0: none yet
	came     window // of its Disseminates
	asked    int    // how often for those missing
	overdue  engine.Alarm
	telling  engine.Alarm  // when the peer is told how far this node knows of its Disseminates
	troubled time.Duration // when Disseminates were missing last; 0: never
	denied   time.Duration // when the peer did not send them again, last; 0: never
}

func (n *Node) link(p engine.Peer) *link { return n.links.index[p.ID] }

// linkTo returns the link to a peer, from now on if there was none.
func (n *Node) linkTo(p engine.Peer) *link {
	l := n.link(p)
	if l == nil {
		l = &link{peer: p, at: len(n.links.list)}
		n.links.index[p.ID] = l
		n.links.list = append(n.links.list, l)
		n.measure(l)
	}
	l.peer = p
	return l
}

// maybeUnlink forgets a link that no group needs.
func (n *Node) maybeUnlink(l *link) {
	if len(l.below.children) > 0 || len(l.above.groups) > 0 || n.links.index[l.peer.ID] != l {
		return
	}
	delete(n.links.index, l.peer.ID)
	list := n.links.list
	last := len(list) - 1
	list[l.at] = list[last]
	list[l.at].at = l.at
	list[last] = nil
	n.links.list = list[:last]
}

// hear notes that a peer is alive.
func (n *Node) hear(from engine.Peer) {
	if l := n.link(from); l != nil {
		l.peer = from
		l.above.heard = n.env.Now()
	}
}

// measure asks for the round trip time to a peer, if the ring does not know it.
func (n *Node) measure(l *link) {
	if rtt, ok := n.ring.RTT(l.peer.ID); ok {
		l.rtt = rtt
		return
	}
	l.measuring = true
	n.probe(l.peer, func(rtt time.Duration) {
		l.rtt, l.measuring = rtt, false
		for _, c := range l.below.children {
			c.group.children.sort(c)
		}
		for _, c := range slices.Clone(l.below.children) {
			n.maybeMove(c.group)
		}
	})
}

// adopt makes a peer a child in a group.
func (n *Node) adopt(g *group, p engine.Peer) *child {
	l := n.linkTo(p)
	if len(l.below.children) == 0 {
		l.below = lineDown{line: 1 + n.env.Rand().Uint32N(1<<31)}
	}
	c := &child{group: g, link: l, at: len(l.below.children)}
	g.children.add(c)
	l.below.children = append(l.below.children, c)
	l.below.sum += g.hash()
	n.links.load++
	n.env.Trace(Adopted{g.Group, p})
	return c
}

// disown ends that.
func (n *Node) disown(g *group, c *child) {
	g.children.remove(c)
	below := &c.link.below
	last := len(below.children) - 1
	below.children[c.at] = below.children[last]
	below.children[c.at].at = c.at
	below.children[last] = nil
	below.children = below.children[:last]
	below.sum -= g.hash()
	if last == 0 {
		below.unheard.Stop()
	}
	n.links.load--
	n.maybeUnlink(c.link)
}

// setParent makes a peer the parent in a group.
func (n *Node) setParent(g *group, p engine.Peer) {
	l := n.linkTo(p)
	g.parent, g.parented, g.atParent = l, n.env.Now(), len(l.above.groups)
	l.above.groups = append(l.above.groups, g)
	l.above.sum += g.hash()
	l.above.heard = n.env.Now()
}

// dropParent ends that, and tells the parent if it may not know.
func (n *Node) dropParent(g *group, tell bool) {
	l := g.parent
	if l == nil {
		return
	}
	g.parent = nil
	last := len(l.above.groups) - 1
	l.above.groups[g.atParent] = l.above.groups[last]
	l.above.groups[g.atParent].atParent = g.atParent
	l.above.groups[last] = nil
	l.above.groups = l.above.groups[:last]
	l.above.sum -= g.hash()
	if len(l.above.groups) == 0 {
		l.above.overdue.Stop()
		l.above.telling.Stop()
		l.above = lineUp{}
	}
	if tell {
		n.env.Send(l.peer, &Leave{Groups: []Group{g.Group}})
	}
	n.maybeUnlink(l)
}

// farewell tells a peer that this node goes.
func (n *Node) farewell(l *link) {
	var all []Group
	for _, g := range l.above.groups {
		all = append(all, g.Group)
	}
	for _, c := range l.below.children {
		all = append(all, c.group.Group)
	}
	for part := range slices.Chunk(all, maxTopics) {
		n.env.Send(l.peer, &Leave{Groups: part})
	}
}

// lost has all groups do without a peer that cannot be reached.
func (n *Node) lost(p engine.Peer) {
	l := n.link(p)
	if l == nil {
		return
	}
	for _, c := range slices.Clone(l.below.children) {
		n.disown(c.group, c)
		n.maybeForget(c.group)
	}
	n.abandon(l, false)
}

// abandon looks for another parent than a peer, which may answer all others.
func (n *Node) abandon(l *link, alive bool) {
	for _, g := range slices.Clone(l.above.groups) {
		n.env.Trace(LostParent{g.Group, l.peer})
		if alive {
			n.avoid(g, l.peer.ID)
		}
		n.dropParent(g, false)
		n.seek(g)
	}
}

// takeLeave takes that a peer is no child, or no parent, any more.
func (n *Node) takeLeave(from engine.Peer, m *Leave) {
	for _, name := range m.Groups {
		g := n.find(name)
		if g == nil {
			continue
		}
		if c := n.childOf(g, from.ID); c != nil {
			n.disown(g, c)
			n.maybeForget(g)
		}
		if !g.gone && g.parent != nil && g.parent.peer.ID == from.ID {
			n.dropParent(g, false)
			n.seek(g)
		}
	}
}
