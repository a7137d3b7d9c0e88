package view

import "time"

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
	// 40 hexadecimal digits; the first 16, of a node that this one has not met
	ID      string  `json:"id"`
	Address string  `json:"address,omitempty"` // full multiaddr; empty: not known
	RTT     float64 `json:"rtt_ms"`            // measured round trip from this node, in milliseconds; 0: not measured
}

// Friend is a node through which this one joins the trees of the router rappel: it is near, and follows some of the
// same channels.
type Friend struct {
	ID       string  `json:"id"`
	Address  string  `json:"address"`
	RTT      float64 `json:"rtt_ms"`      // measured round trip, in milliseconds; 0: not measured yet
	Distance float64 `json:"distance_ms"` // round trip by network coordinates, in milliseconds; 0: not known yet
	// channels in trees here that it seems to follow too: some may be none of its own
	Shared int `json:"shared"`
	// URLs of those of them that the account follows, sorted; at most MaxFriendChannels
	Channels []string  `json:"channels"`
	Since    time.Time `json:"since"` // when it became a friend
}

// MaxFriendChannels is how many channels in common are named of one friend.
const MaxFriendChannels = 20

// Overlay is how a node is linked to others where the network's router is spidercast: updates travel over its links
// alone, each between two nodes that follow the channel.
type Overlay struct {
	Links  []OverlayLink `json:"links"`  // nearest first
	Wanted int           `json:"wanted"` // how many links a channel should be covered by

	// Thin are the channels that the account follows and that fewer links cover, fewest first: few other nodes follow
	// them, or the node has not found those yet.
	Thin []Coverage `json:"thin"`
}

// OverlayLink is a link to another node.
type OverlayLink struct {
	ID      string  `json:"id"`
	Address string  `json:"address"`
	RTT     float64 `json:"rtt_ms"` // measured round trip, in milliseconds; 0: not measured yet
	// channels that the link covers: both nodes follow them; 0: one only publishes on what the other follows
	Shared int `json:"shared"`
	// channels of them whose updates travel on the link at once; of others it carries announcements
	Carried int `json:"carried"`
	// URLs of those of them that the account follows, sorted; at most MaxFriendChannels
	Channels []string  `json:"channels"`
	Since    time.Time `json:"since"`
}

// Coverage is how many links cover a channel.
type Coverage struct {
	Channel string `json:"channel"` // its URL
	Links   int    `json:"links"`
}
