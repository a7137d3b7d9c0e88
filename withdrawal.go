package tidings

import "time"

// MaxConfirmedBy is how many nodes an update names that have confirmed it.
const MaxConfirmedBy = 8

// Withdrawal says that an update, which was shown here because other nodes vouched for it, is false: its origin has not
// shown this node what it says.
type Withdrawal struct {
	Time   time.Time `json:"time"`
	Reason string    `json:"reason"` // plain words
	// VouchedBy are the IDs of the nodes that have vouched for it: the one that gave it its number, its finder, its
	// witnesses.
	VouchedBy []string `json:"vouched_by"`
}

// Bounds of the penalties that a node remembers. Of more nodes, those go that were penalized longest ago.
const (
	MaxPenalized      = 1024               // nodes
	MaxPenaltyReasons = 3                  // of a node, the latest
	PenaltyAge        = 7 * 24 * time.Hour // a node without a new one for so long has none
)

// Penalty is what a node has against another: versions of channels for which that has vouched, and which their origins
// did not show. It may be an origin that shows everybody something else: nothing follows from a penalty by itself.
type Penalty struct {
	Node    string          `json:"node"`    // ID
	Times   int64           `json:"times"`   // how many versions
	Reasons []PenaltyReason `json:"reasons"` // of the latest, the last first
}

// PenaltyReason is a version for which a node has vouched.
type PenaltyReason struct {
	Time    time.Time `json:"time"`              // when the origin did not show it
	Channel string    `json:"channel,omitempty"` // canonical URL; empty: of a channel that is not known here any more
	Reason  string    `json:"reason"`            // plain words: what the node had to do with it
}
