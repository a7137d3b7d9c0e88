package scribe

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// group is what a node of a tree knows of it.
type group struct {
	kin
	place  int // in the list
	gone   bool
	member bool
	since  time.Duration // when it began to want the events, for itself or for others

	root   bool     // this node is the closest to the key
	path   []uint64 // above this node, the parent first; it stays when the parent is lost
	rooted bool     // the path leads to the root

	search     search
	awaited    awaited
	comparison comparison

	seen    seen
	sources sources
	kept    messageCache
	touched time.Duration // the last event
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

// isMember reports whether the node has joined the group.
func (g *group) isMember() bool { return g.member }

// wantsSince returns from when on the node wants the group's events.
func (g *group) wantsSince() time.Duration { return g.since }

// has reports whether an event has come.
func (g *group) has(name uint64) bool { return g.seen.has(name) }

// namesSince returns the names of the latest events that came at a time or later.
func (g *group) namesSince(from time.Duration) []uint64 { return g.seen.since(from) }

// avoided returns the nodes of which none is to be asked anything.
func (g *group) avoided(now time.Duration) []engine.ID { return g.search.avoided(now) }

func (n *Node) find(g Group) *group { return n.groups.index[g] }

// enter returns a group, which this node is in from now on if it was not before: it wants the events since
// a time, and looks for a parent that is none of those to avoid. It returns nil if it is in too many.
func (n *Node) enter(name Group, since time.Duration, avoid ...engine.ID) *group {
	if g := n.find(name); g != nil {
		return g
	}
	if len(n.groups.list) >= n.config.MaxGroups {
		n.env.Trace(LimitHit{"MaxGroups", n.config.MaxGroups})
		return nil
	}
	g := &group{kin: kin{Group: name}, since: since, touched: n.env.Now()}
	g.awaited = awaited{env: n.env, group: name}
	g.comparison = comparison{of: name, held: g}
	n.groups.add(g)
	for _, id := range avoid {
		g.search.addAvoided(id, n.env.Now())
	}
	n.settle(g)
	return g
}

// settle makes this node the root of a group or has it look for a parent, as the ring says.
func (n *Node) settle(g *group) {
	root := n.finder.isRoot(g.Group)
	switch {
	case root && !g.root:
		n.becomeRoot(g)
	case !root && g.root, g.parent == nil:
		g.root = false
		n.seek(g)
	}
}

func (n *Node) becomeRoot(g *group) {
	g.root = true
	n.dropParent(g, true)
	g.search.stop()
	n.env.Trace(Rooted{g.Group})
	n.setPath(g, nil, true)
	n.comparer.soon(&g.comparison)
}

// setPath notes which nodes are above, and has the children know.
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

// receiveAbove receives a parent's path.
func (n *Node) receiveAbove(from engine.Peer, m *Above) {
	g := n.find(m.Group)
	if g == nil || !g.isParent(from) {
		return
	}
	n.follow(g, m.Path)
}

// follow adopts what the parent says of the path, unless that leads in a circle.
func (n *Node) follow(g *group, p Path) {
	if slices.Contains(p.Nodes, short(n.env.Self().ID)) || len(p.Nodes) >= maxPath {
		n.env.Trace(Circle{g.Group, g.parent.peer})
		g.search.addAvoided(g.parent.peer.ID, n.env.Now())
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
	if n.finder.isAmongRoots(g.Group) && n.env.Now() < g.touched+n.config.Idle && g.kept.count() > 0 {
		return // others may compare with it
	}
	n.forget(g)
}

func (n *Node) forget(g *group) {
	n.dropParent(g, true)
	g.search.stop()
	g.comparison.stop()
	g.awaited.stop()
	n.cache.dropAll(&g.kept)
	g.gone = true
	n.groups.remove(g)
}
