package tidings

import "time"

// Friend is a node through which this one joins the trees of the router rappel: it is near, and follows some of the
// same channels.
type Friend struct {
	ID       string    `json:"id"`
	Address  string    `json:"address"`
	RTT      float64   `json:"rtt_ms"`      // measured round trip, in milliseconds; 0: not measured yet
	Distance float64   `json:"distance_ms"` // round trip by network coordinates, in milliseconds; 0: not known yet
	Shared   int       `json:"shared"`      // channels in trees here that it seems to follow too: some may be none of its own
	Channels []string  `json:"channels"`    // URLs of those of them that the account follows, sorted; at most MaxFriendChannels
	Since    time.Time `json:"since"`       // when it became a friend
}

// MaxFriendChannels is how many channels in common are named of one friend.
const MaxFriendChannels = 20
