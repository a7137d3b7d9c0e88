package scribe

import "tidings/network/engine"

// Place is where a node stands in a group's tree.
type Place struct {
	Member   bool // it has joined
	Root     bool
	Parent   engine.Peer   // zero: none, as at the root
	Children []engine.Peer // in the order of joining
	Depth    int           // nodes above it
	Kept     int           // events that it could send again
}

// Place returns where this node stands in the tree of a group, and whether it is in it.
func (n *Node) Place(name Group) (p Place, in bool) {
	g := n.find(name)
	if g == nil {
		return p, false
	}
	p = Place{Member: g.member, Root: g.root, Depth: len(g.path), Kept: len(g.kept.list)}
	if g.parent != nil {
		p.Parent = g.parent.peer
	}
	for _, c := range g.children {
		p.Children = append(p.Children, c.link.peer)
	}
	return p, true
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
	return Load{len(n.groups.list), len(n.links.list), n.links.load, n.kept.live, n.kept.bytes}
}
