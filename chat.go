package tidings

import "time"

// Following is the last change of what an address of chat follows, or of when it is sent messages. Nodes that share an
// account exchange it.
type Following struct {
	Address  string    // bare; "": Forgotten says which
	Channel  string    // URL, or FollowingSchedule
	Ended    bool      // the channel is not followed any more
	Schedule *Schedule // of FollowingSchedule; nil of others
	Changed  time.Time // in whole milliseconds; of two for the same, the later is true

	// Forgotten is a hash of an address that wished that nothing is kept of it: all of it that was changed before is
	// void. "" for others.
	Forgotten string
}

// FollowingSchedule stands for the channel where a Following is of an address's schedule. It is behind all URLs in
// their order, so that an address follows something when its schedule is learned.
const FollowingSchedule = "~"

// FollowingCursor is a place in the order of all Following of a node: by address and channel. The forgotten come first,
// by their hashes in the place of the channel.
type FollowingCursor struct{ Address, Channel string }
