package rappel

import (
	"time"

	"tidings/network/engine"
)

// TreeView is a node's place in a tree, for people and experiments.
type TreeView struct {
	Joined bool // the node wants the topic's events
	Root   bool // the node is the root

	Ancestors []AncestorView // the parent first, the root last
	Children  []engine.Peer  // those that stay
	Height    int            // how far below the root: 0 is the root
	// Path is the length of the way from the root in coordinates, Direct that of the straight line: round trips.
	Path, Direct time.Duration
	// ParentRTT is the measured round trip to the parent; 0: not measured.
	ParentRTT time.Duration

	Epoch, Last uint64 // of the latest update known
	Missing     int    // updates that are being pulled
}

// AncestorView is one of those above a node.
type AncestorView struct{ Peer engine.Peer }

// Tree returns the node's place in a topic's tree, and whether it is in it, or on the way.
func (n *Node) Tree(topic engine.ID) (TreeView, bool) {
	t := n.trees[topic]
	if t == nil || !t.joined && !t.top && t.leaving == 0 {
		return TreeView{}, false
	}
	v := TreeView{
		Joined: t.joined, Root: t.top, Children: t.children.peers(),
		Epoch: t.feed.Epoch, Last: t.feed.Last, Missing: t.feed.Lacking(),
	}
	if !t.parent.IsZero() {
		for _, p := range t.announced.Chain {
			v.Ancestors = append(v.Ancestors, AncestorView{p})
		}
		v.Height, v.Path, v.Direct = len(v.Ancestors), t.path(), t.remote().distance
		if nb := n.links.byID[t.parent.ID]; nb != nil {
			v.ParentRTT = nb.rtt
		}
	}
	return v, true
}

// FriendView is a friend, for people and experiments.
type FriendView struct {
	Peer     engine.Peer
	Distance time.Duration // by coordinates, or as measured if that is more; 0: not known yet
	RTT      time.Duration // as measured; 0: not yet
	Shared   []engine.ID   // topics of this node that the friend seems to have joined, as its filter says
	Since    time.Duration // when it became a friend, since the node started
}

// Friends returns the friends.
func (n *Node) Friends() (list []FriendView) {
	for _, g := range n.friends.list {
		v := FriendView{Peer: g.peer, RTT: g.rtt, Since: g.since}
		if g.profile != nil {
			v.Distance = n.friends.distance(g.profile, g.rtt)
			for _, t := range n.order {
				if t.joined && g.profile.filter.Has(t.topic) {
					v.Shared = append(v.Shared, t.topic)
				}
			}
		}
		list = append(list, v)
	}
	return list
}

// Fans returns how many nodes have this one for a friend.
func (n *Node) Fans() int { return n.friends.fans() }

// Parent returns the node that hands the updates of a topic to this one, and whether there is one.
func (n *Node) Parent(topic engine.ID) (engine.Peer, bool) {
	if t := n.trees[topic]; t != nil && !t.parent.IsZero() {
		return t.parent, true
	}
	return engine.Peer{}, false
}

// Children returns the nodes to which this one hands the updates of a topic.
func (n *Node) Children(topic engine.ID) []engine.Peer {
	if t := n.trees[topic]; t != nil {
		return t.children.peers()
	}
	return nil
}

// Roots returns the root of a topic's tree, if it is known and another node.
func (n *Node) Roots(topic engine.ID) []engine.Peer {
	if root := n.seams.Directory.Root(topic); !root.IsZero() && root.ID != n.id() {
		return []engine.Peer{root}
	}
	return nil
}

// Distrust leaves the parent in a topic's tree for another: it keeps something back.
func (n *Node) Distrust(topic engine.ID) {
	if t := n.trees[topic]; t != nil && !t.parent.IsZero() {
		t.blame("distrusted")
	}
}
