package tidings

// Tree is where a node stands on the way of a followed channel's updates, as far as it knows.
type Tree struct {
	Channel string `json:"channel"` // its URL

	// Router says how the updates come to this node: direct (the channel's primary owner sends them itself), scribe,
	// rappel or spidercast (down a tree of nodes), newswire (down the network's zones). Empty: no other node brings
	// them.
	Router string `json:"router"`
	// Pushed says that the tree is that of the channel's publisher; Turns, that of nodes that poll in turns. Else it is
	// that of the channel's owners.
	Pushed bool `json:"pushed,omitempty"`
	Turns  bool `json:"turns,omitempty"`

	// Root says that updates begin their way at this node.
	Root bool `json:"root"`
	// Rooted says that the way from the root is known: the last of Ancestors is the root, or this node is.
	Rooted bool `json:"rooted"`
	// Ancestors are the nodes above this one, the parent first. With direct, the primary owner alone. Empty: this node
	// is the root, or is looking for a parent.
	Ancestors []TreeNode `json:"ancestors"`
	Children  []TreeNode `json:"children"` // to which this node passes updates on
	// Zone is the one that the node is in, where the router is newswire.
	Zone string `json:"zone,omitempty"`
}

// Role returns what the i-th of the ancestors is: owner, root, parent, or nothing of these.
func (t Tree) Role(i int) string {
	switch {
	case t.Router == "direct":
		return "owner"
	case t.Rooted && i == len(t.Ancestors)-1:
		return "root"
	case i == 0:
		return "parent"
	}
	return ""
}

// TreeNode is another node in a Tree.
type TreeNode struct {
	ID      string  `json:"id"`                // 40 hexadecimal digits; the first 16, of a node that this one has not met
	Address string  `json:"address,omitempty"` // full multiaddr; empty: not known
	RTT     float64 `json:"rtt_ms"`            // measured round trip from this node, in milliseconds; 0: not measured
}
