package scribe

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// groups are those that this node is in: as a member, as a forwarder for others, or as a root.
type groups struct {
	index map[Group]*group
	list  []*group // in no order that means anything, the same in each run
	tidy  int      // those from here on have been looked at by tidy
}

// group is what a node of a tree knows of it.
type group struct {
	Group
	at     int // in the list
	gone   bool
	member bool
	since  time.Duration // when it began to want the events, for itself or for others

	root     bool // this node is the closest to the key
	parent   *link
	atParent int      // in the parent's list
	path     []uint64 // above this node, the parent first; it stays when the parent is lost
	rooted   bool     // the path leads to the root
	children children

	seeking seeking
	awaited awaited

	seen    seen
	sources sources
	kept    messageCache
	touched time.Duration // the last event

	roots     rootsOf
	compare   engine.Alarm
	comparing comparing
	asked     asked
	haste     int           // by how much faster it compares
	missed    int           // Missed that came since it compared last, or found its parent
	parented  time.Duration // since when the parent is the parent
}

// child is a child in one group.
type child struct {
	group  *group
	link   *link
	at     int           // in the link's list
	place  int           // in the group's
	moving time.Duration // until when it may find another parent; 0: it need not
	has    has
}

// NameOf returns the name of the tree of a topic that is rooted at a key.
func NameOf(topic, key engine.ID) Group {
	if key == topic {
		return Group{Topic: topic}
	}
	return Group{topic, key}
}

// rootKey returns what the root is the closest to.
func (g Group) rootKey() engine.ID {
	if g.Key == (engine.ID{}) {
		return g.Topic
	}
	return g.Key
}

// hash is what a group adds to the sums of Heartbeats.
func (g Group) hash() uint64 {
	return engine.Mix(binary.LittleEndian.Uint64(g.Topic[:]) ^ engine.Mix(binary.LittleEndian.Uint64(g.Key[4:])))
}

// short is how paths name a node.
func short(id engine.ID) uint64 { return binary.BigEndian.Uint64(id[:]) }

func (n *Node) find(g Group) *group { return n.groups.index[g] }

// enter returns a group, which this node is in from now on if it was not before: it wants the events since
// a time, and looks for a parent that is none of those to avoid. It returns nil if it is in too many.
func (n *Node) enter(name Group, since time.Duration, avoid ...engine.ID) *group {
	if g := n.find(name); g != nil {
		return g
	}
	if len(n.groups.list) >= n.config.MaxGroups {
		n.limitHit("MaxGroups", n.config.MaxGroups)
		return nil
	}
	g := &group{Group: name, at: len(n.groups.list), since: since, touched: n.env.Now()}
	n.groups.index[name] = g
	n.groups.list = append(n.groups.list, g)
	for _, id := range avoid {
		n.avoid(g, id)
	}
	n.settle(g)
	return g
}

// settle makes this node the root of a group or has it look for a parent, as the ring says.
func (n *Node) settle(g *group) {
	root := n.isRoot(g.rootKey())
	switch {
	case root && !g.root:
		n.becomeRoot(g)
	case !root && g.root, g.parent == nil:
		g.root = false
		n.seek(g)
	}
}

// isRoot reports whether this node is the closest to a key.
func (n *Node) isRoot(key engine.ID) bool {
	if !n.ring.Active() {
		return false
	}
	owners, sure := n.ring.Owners(key, 1)
	return sure && len(owners) > 0 && n.isSelf(owners[0])
}

func (n *Node) becomeRoot(g *group) {
	g.root = true
	n.dropParent(g, true)
	g.seeking.stop()
	n.env.Trace(Rooted{g.Group})
	n.setPath(g, nil, true)
	n.compareSoon(g)
}

// setPath notes who is above, and has the children know.
func (n *Node) setPath(g *group, path []uint64, rooted bool) {
	if g.rooted == rooted && slices.Equal(g.path, path) {
		return
	}
	g.path, g.rooted = path, rooted
	for c := range g.children.all() {
		n.env.Send(c.link.peer, &Above{Group: g.Group, Path: n.pathOf(g)})
	}
}

// pathOf returns what the children of a group have above them.
func (n *Node) pathOf(g *group) Path {
	path := append([]uint64{short(n.env.Self().ID)}, g.path...)
	return Path{Nodes: path[:min(len(path), maxPath)], Rooted: g.rooted}
}

// takeAbove takes a parent's path.
func (n *Node) takeAbove(from engine.Peer, m *Above) {
	g := n.find(m.Group)
	if g == nil || g.parent == nil || g.parent.peer.ID != from.ID {
		return
	}
	n.follow(g, m.Path)
}

// follow takes what the parent says of the path, unless that leads in a circle.
func (n *Node) follow(g *group, p Path) {
	if slices.Contains(p.Nodes, short(n.env.Self().ID)) || len(p.Nodes) >= maxPath {
		n.env.Trace(Circle{g.Group, g.parent.peer})
		n.avoid(g, g.parent.peer.ID)
		n.dropParent(g, true)
		n.seek(g)
		return
	}
	n.setPath(g, p.Nodes, p.Rooted)
}

// maybeForget leaves a group in which this node is of no use.
func (n *Node) maybeForget(g *group) {
	if g.gone || g.member || g.children.count > 0 {
		return
	}
	if n.isAmongRoots(g.rootKey()) && n.env.Now() < g.touched+n.config.Idle && len(g.kept.list) > 0 {
		return // others may compare with it
	}
	n.forget(g)
}

func (n *Node) forget(g *group) {
	n.dropParent(g, true)
	g.seeking.stop()
	g.compare.Stop()
	g.comparing.alarm.Stop()
	g.awaited.alarm.Stop()
	n.keepNone(g)
	g.gone = true
	delete(n.groups.index, g.Group)
	list := n.groups.list
	last := len(list) - 1
	list[g.at] = list[last]
	list[g.at].at = g.at
	list[last] = nil
	n.groups.list = list[:last]
}

// isAmongRoots reports whether this node is one of a group's roots.
func (n *Node) isAmongRoots(key engine.ID) bool {
	owners, _ := n.ring.Owners(key, n.config.Roots)
	return slices.ContainsFunc(owners, n.isSelf)
}
