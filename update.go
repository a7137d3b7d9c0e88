package tidings

import "time"

// Update is what is sent and stored: a channel, its new version, and the new items or the delta. Version 1 of a channel
// is an update too. All of its items are new, or its delta is against nothing. So a reader of all updates of a channel
// has all of its content.
type Update struct {
	// ID is the update's place in this node's stream: strictly increasing in the
	// order in which readers may see them, never used twice.
	ID      int64  `json:"id"`
	Channel string `json:"channel"` // canonical URL
	Title   string `json:"title"`   // the channel's
	// of the channel at this node, which counts what it has reported: strictly increasing
	Version Version   `json:"version"`
	Time    time.Time `json:"time"` // when the version was found
	Kind    Kind      `json:"kind"`
	Items   []Item    `json:"items,omitempty"` // feeds: what is new or changed, in the order of the document
	// Delta is for pages: POSIX diff's normal output from the lines of version
	// Version-1 to those of Version. BaseHash and Hash are SHA-256, hexadecimal,
	// of those lines, each ended by a newline.
	Delta    string `json:"delta,omitempty"`
	BaseHash string `json:"base_hash,omitempty"`
	Hash     string `json:"hash,omitempty"`
	// ID of the node that saw the change: this one, if its own poll was first here
	FoundBy string `json:"found_by,omitempty"`
	// ConfirmedBy are the IDs of other nodes that have seen the same at the origin, by polls of their own: witnesses,
	// and this node where its own poll came later; at most MaxConfirmedBy. Empty: FoundBy alone vouches for it.
	ConfirmedBy []string `json:"confirmed_by,omitempty"`
	// fingerprint of the publisher's key, where the publisher has pushed it
	SignedBy string `json:"signed_by,omitempty"`
	// the key of SignedBy is a third party's: the feed did not name it
	ThirdParty bool `json:"third_party,omitempty"`
	// when the origin says it changed, where it can be believed
	OriginChanged time.Time `json:"origin_changed,omitzero"`
	Received      time.Time `json:"received,omitzero"` // when this node stored it
	// Withdrawn says that the update is false; nil: nothing is known against it.
	Withdrawn *Withdrawal `json:"withdrawn,omitempty"`
}

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

// UpdateQuery asks for updates. The zero value of a field asks for everything.
type UpdateQuery struct {
	Channel string    // canonical URL
	Since   time.Time // received at or after
	After   int64     // only updates with a larger ID: the cursor of a stream
	Newest  bool      // the newest Limit of them instead of the oldest; the result is in rising order all the same
	Limit   int       // at most MaxLimit; 0: 50
	// the result is cut after so much text, but never before its first update; 0: by the store's own bound
	Bytes   int
	IDsOnly bool // nothing but the IDs is read
}

// State is a channel's content as of one version.
type State struct {
	Channel string    `json:"channel"`
	Title   string    `json:"title"`
	Kind    Kind      `json:"kind"`
	Version Version   `json:"version"`
	Time    time.Time `json:"time"`

	// Of the update that made the version, as there.
	FoundBy     string      `json:"found_by,omitempty"`
	ConfirmedBy []string    `json:"confirmed_by,omitempty"`
	SignedBy    string      `json:"signed_by,omitempty"`
	ThirdParty  bool        `json:"third_party,omitempty"`
	Withdrawn   *Withdrawal `json:"withdrawn,omitempty"`

	// feeds: newest revision up to Version of each item that was in the document then, in its order
	Items []Item   `json:"items,omitempty"`
	Lines []string `json:"lines,omitempty"` // pages
}

// TrustLevel is what people here think of a node that finds changes for them.
type TrustLevel string

// The levels of trust. What a neutral or preferred node has found is accepted as the network gives it.
const (
	Neutral TrustLevel = "neutral"
	// Preferred nodes are believed also where all others are distrusted; where nodes volunteer, this one
	// relies on their polls as on its own.
	Preferred TrustLevel = "preferred"
	// Distrusted nodes are not believed: what they have found is accepted when a poll of this node has seen it.
	Distrusted TrustLevel = "distrusted"
)

// MaxRepublishers is how many nodes can be preferred or distrusted.
const MaxRepublishers = 1000
