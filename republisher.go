package tidings

import "time"

// TrustLevel is what people here think of a node that finds changes for them.
type TrustLevel string

// The standings. What a neutral or preferred node has found is accepted as the network gives it.
const (
	Neutral TrustLevel = "neutral"
	// Preferred nodes are believed also where all others are distrusted; where nodes volunteer, this one
	// relies on their looks as on its own.
	Preferred TrustLevel = "preferred"
	// Distrusted nodes are not believed: what they have found is accepted when a poll of this node has seen it.
	Distrusted TrustLevel = "distrusted"
)

// AllNodes stands in place of a node's ID for all of which nothing else is said.
const AllNodes = "all"

// MaxRepublishers is how many nodes can be preferred or distrusted.
const MaxRepublishers = 1000

// Republisher is a node that finds changes for people here, and what they think of it.
type Republisher struct {
	Node  string     `json:"node"` // ID: 40 hexadecimal digits; or AllNodes
	Trust TrustLevel `json:"trust"`
	Since time.Time  `json:"since,omitzero"`

	// Counts since the node started. Waited is contents that this node alone has reported and that were not accepted on
	// its word. Seen is how many of them a poll here has seen since.
	Waited int64 `json:"waited"`
	Seen   int64 `json:"seen"`
}

// RepublisherCounts counts the nodes that people here prefer and distrust, and what came of it.
type RepublisherCounts struct {
	Preferred  int   `json:"preferred"`
	Distrusted int   `json:"distrusted"` // AllNodes counts as one
	Waited     int64 `json:"waited"`     // as in Republisher
	Seen       int64 `json:"seen"`
}
