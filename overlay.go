package tidings

import "time"

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
	ID       string    `json:"id"`
	Address  string    `json:"address"`
	RTT      float64   `json:"rtt_ms"`   // measured round trip, in milliseconds; 0: not measured yet
	Shared   int       `json:"shared"`   // channels that the link covers: both nodes follow them; 0: one only publishes on what the other follows
	Carried  int       `json:"carried"`  // channels of them whose updates travel on the link at once; of others it carries announcements
	Channels []string  `json:"channels"` // URLs of those of them that the account follows, sorted; at most MaxFriendChannels
	Since    time.Time `json:"since"`
}

// Coverage is how many links cover a channel.
type Coverage struct {
	Channel string `json:"channel"` // its URL
	Links   int    `json:"links"`
}
