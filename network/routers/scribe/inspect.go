package scribe

import (
	"slices"

	"tidings/network/engine"
)

// Place is where a node stands in a group's tree.
type Place struct {
	Member   bool // it has joined
	Root     bool
	Parent   engine.Peer   // zero: none, as at the root
	Children []engine.Peer // in the order of joining
	Leaving  int           // of these: sent to another parent, or not measured yet, so that they may be
	Depth    int           // nodes above it
	Above    []uint64      // the first 8 bytes of their IDs, the parent first; they stay when the parent is lost
	Rooted   bool          // the last of them is the root
	Kept     int           // events that it could send again
}

// Place returns where this node stands in the tree of a group, and whether it is in it.
func (n *Node) Place(name Group) (p Place, in bool) {
	g := n.find(NameOf(name.Topic, name.rootKey()))
	if g == nil {
		return p, false
	}
	p = Place{
		Member: g.member, Root: g.root, Depth: len(g.path), Above: slices.Clone(g.path), Rooted: g.rooted,
		Kept:    g.kept.count(),
		Leaving: g.children.count - len(g.children.staying),
	}
	if g.parent != nil {
		p.Parent = g.parent.peer
	}
	for c := range g.children.all() {
		p.Children = append(p.Children, c.link.peer)
	}
	return p, true
}

// Parent returns the node that hands the events of a topic to this one, and whether there is one: a root has no
// parent, nor has a node that is looking for one.
func (n *Node) Parent(topic engine.ID) (engine.Peer, bool) {
	g := n.find(Group{Topic: topic})
	if g == nil || g.parent == nil {
		return engine.Peer{}, false
	}
	return g.parent.peer, true
}

// Children returns the nodes to which this one hands the events of a topic, in the order of joining: members,
// and forwarders for others.
func (n *Node) Children(topic engine.ID) (children []engine.Peer) {
	if g := n.find(Group{Topic: topic}); g != nil {
		for c := range g.children.all() {
			children = append(children, c.link.peer)
		}
	}
	return children
}

// Roots returns the roots of a topic as far as this node knows, closest first, without itself. If it is near the topic
// on the ring, it knows them by its own place. Otherwise it knows what it has learned as a member or publisher, which
// may be wrong. None: it does not know. It then asks if it is in the group.
func (n *Node) Roots(topic engine.ID) []engine.Peer {
	roots, sure := n.finder.owners(Group{Topic: topic})
	if !sure || !n.ring.Active() {
		roots = nil
		name := Group{Topic: topic}
		if roots = n.knownRoots(name); roots == nil {
			roots = n.publisher.knownRoots(name)
		}
		if g := n.find(name); roots == nil && g != nil {
			n.comparer.maybeAskRoots(&g.comparison)
		}
		roots = slices.Clone(roots)
	}
	return slices.DeleteFunc(roots, n.finder.isSelf)
}

// Load is what a node keeps.
type Load struct {
	Groups   int // that it is in
	Links    int // peers that are parent or child
	Children int // in all groups
	Kept     int // events
	Bytes    int // of them
}

// Load returns what this node keeps.
func (n *Node) Load() Load {
	return Load{len(n.groups.list), len(n.links.list), n.links.load, n.cache.live, n.cache.bytes}
}
