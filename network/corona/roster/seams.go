package roster

import (
	"time"

	"tidings/network/engine"
)

// Host is what a roster tells and asks the node that it is part of. Its methods may call the roster back.
type Host interface {
	// Began says that something is held of a channel here from now on.
	Began(o *Owned)
	// Changed says that this node has become a channel's primary or is that no longer, that the first reader has come or the last one gone, that what other
	// owners knew has come in, or that the channel is forgotten (Owned.Gone).
	Changed(o *Owned)
	// Informed says, after Changed, that the owners have told what they know: see Owned.Informed.
	Informed(o *Owned)
	// Compared says that another owner has, or had, that version.
	Compared(o *Owned, version uint64)
	// Told says that another owner has told of a subscriber.
	Told(o *Owned, s *Subscription)

	// State returns what is known of a channel besides its subscriptions; Merge takes what another owner knows, and calls Owned.SetState if it is newer.
	State(o *Owned) State
	Merge(o *Owned, from engine.Peer, s State)
	// Routed reports whether a subscriber that is acknowledged is to join a tree: see Acknowledged.
	Routed(o *Owned) bool

	// Acknowledged says that the owners hold one of this node's own subscriptions, or refuse it, and whether its versions come down a tree.
	Acknowledged(from engine.Peer, a Acknowledgement, routed bool)
	// Homed says that another node than before has acknowledged a subscription to a channel: see Home.
	Homed(channel engine.ID)
	// Unsubscribed says that this node has no subscription to a channel any more.
	Unsubscribed(channel engine.ID)
	// Silent says that nobody answers a subscription, or that somebody does again.
	Silent(channel engine.ID, silent bool)
}

// Config is a roster's part of corona.Config; see there.
type Config struct {
	Owners      int           // of a channel
	Maintenance time.Duration // how often owners compare their tables
	Renew       time.Duration // how often subscriptions are renewed
	Forget      time.Duration // when those that are not renewed are forgotten

	MaxChannels      int // owned here
	MaxSubscriptions int // of one channel
	MaxEntries       int // subscriptions of all channels owned here
	MaxPerNode       int // of these, for which one node speaks
	MaxCount         int // readers that one subscription counts for at most
	MaxUnacked       int // own subscriptions under way at a time
}
