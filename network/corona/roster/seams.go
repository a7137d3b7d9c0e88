package roster

import (
	"time"

	"tidings/network/engine"
)

// Host is the node around a roster. Its methods may call the roster back.
type Host interface {
	// Began reports that this node now has a record of a channel.
	Began(o *Owned)
	// Changed reports a change of a channel: this node has become its primary or no longer is, its first reader has
	// come or its last has gone, or the other owners' knowledge has arrived. It also reports that the record is dropped
	// (Owned.Gone).
	Changed(o *Owned)
	// Informed reports, after Changed, that the owners have sent what they know: see Owned.Informed.
	Informed(o *Owned)
	// Compared reports that another owner has, or had, that version.
	Compared(o *Owned, version uint64)
	// Reported reports that another owner has named a subscriber.
	Reported(o *Owned, s *Subscription)

	// State returns the knowledge of a channel besides its subscriptions. Merge merges another owner's, and calls
	// Owned.SetState if that is newer.
	State(o *Owned) State
	Merge(o *Owned, from engine.Peer, s State)
	// Routed reports whether a subscriber that is acknowledged is to join a tree: see Acknowledged.
	Routed(o *Owned) bool

	// Acknowledged reports that the owners hold one of this node's own subscriptions, or refuse it, and whether a tree
	// carries its versions.
	Acknowledged(from engine.Peer, a Acknowledgement, routed bool)
	// Homed reports that another node than before has acknowledged a subscription to a channel: see Home.
	Homed(channel engine.ID)
	// Unsubscribed reports that this node no longer has a subscription to a channel.
	Unsubscribed(channel engine.ID)
	// Silent reports that no owner answers a subscription, or that one does again.
	Silent(channel engine.ID, silent bool)
}

// Config is a roster's part of corona.Config; see there.
type Config struct {
	Owners      int           // of a channel
	Maintenance time.Duration // how often owners compare their tables
	Renew       time.Duration // how often subscriptions are renewed
	Forget      time.Duration // when those that are not renewed are dropped

	MaxChannels      int // owned here
	MaxSubscriptions int // of one channel
	MaxEntries       int // subscriptions of all channels owned here
	MaxPerNode       int // of these, for which one node speaks
	MaxCount         int // readers that one subscription counts for
	MaxUnacked       int // own subscriptions under way at a time
}
