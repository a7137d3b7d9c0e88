package feedtree

import (
	"fmt"
	"time"
)

// Config holds the constants of the protocol and the bounds of what a node keeps. Start from
// Default.
type Config struct {
	// Ahead is by how much a time that a publisher has signed may be ahead of this node's calendar. More lets a
	// publisher date its items into the future. Less refuses the items of publishers, or at readers, with a wrong
	// clock.
	Ahead time.Duration

	// Lag is how much later than promised a publisher's word may come before it is overdue. It covers the time of
	// delivery and of mending.
	Lag time.Duration

	// Grace is how long a follower with a gap waits for the router to mend it before it asks for the missing items.
	// Scribe needs three seconds and a round trip.
	Grace time.Duration

	// Hold is how long an item waits here for those before it. Then it is given to the Library out of order: readers
	// see it no later than that, even if earlier ones were lost.
	Hold time.Duration

	// AskWait is how long a node waits for another node's answer before it asks the next one. ArchiveWait is the same
	// for the archive.
	AskWait, ArchiveWait time.Duration

	// Retry is how long a follower rests that has asked everybody in vain. It doubles with
	// each round, up to RetrySlow.
	Retry, RetrySlow time.Duration

	// Window is how many of the latest numbers a follower wants, if it does not say. What lies further back, as
	// after a long absence, is left to the reader of the archive. A number that is never found is given
	// up when it is that old.
	Window int

	// Linger is how long a follower stays in a topic after its key was rotated, for items that were published before
	// and arrive late.
	Linger time.Duration

	// Check is how long items wait after a start of their publisher's node. Meanwhile it asks the network for later
	// ones: the node may have an old state. If no node knows the publisher, the network is asked three times.
	Check time.Duration

	// ServeBytes is how many bytes of items per second a node gives to nodes that ask. MaxServing is how many answers
	// are prepared at a time. Further requesters are sent to other nodes.
	ServeBytes int
	MaxServing int

	// A peer that has passed on Strikes things that no honest node passes on is not listened to
	// for StrikeFor.
	Strikes   int
	StrikeFor time.Duration

	// Bounds of what a node keeps; what would go beyond is refused or forgotten, and traced.
	MaxFollowings   int
	MaxAuthored     int
	MaxKeeping      int // of one channel: items that the Library has not answered for
	MaxPending      int // of all channels: items that wait for others, or for the Library
	MaxPendingBytes int // of these
	MaxQueued       int // of one publisher: what waits for Check
	MaxPeers        int // peers with remembered faults
	MaxVerified     int // statements that are known to be signed, and heads of items
	MaxTopics       int // those with a known latest number and time
	MaxNotices      int // rotations, revocations and equivocations, of each kind
}

// MaxWindow bounds Config.Window and Following.Window: each number that is missing costs memory.
const MaxWindow = 1 << 12

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Ahead: 10 * time.Minute, Lag: 10 * time.Second, Grace: 4 * time.Second, Hold: 10 * time.Second,
		AskWait: 3 * time.Second, ArchiveWait: 15 * time.Second, Retry: 15 * time.Second, RetrySlow: time.Hour,
		Window: 256, Linger: time.Hour, Check: 5 * time.Second,
		ServeBytes: 4 << 20, MaxServing: 16, Strikes: 3, StrikeFor: time.Hour,
		MaxFollowings: 1 << 16, MaxAuthored: 1 << 12, MaxKeeping: 32, MaxPending: 4096, MaxPendingBytes: 64 << 20,
		MaxQueued: 256, MaxPeers: 1024, MaxVerified: 4096, MaxTopics: 1 << 14, MaxNotices: 1024,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"Ahead", c.Ahead}, {"Lag", c.Lag}, {"Grace", c.Grace}, {"Hold", c.Hold}, {"AskWait", c.AskWait},
		{"ArchiveWait", c.ArchiveWait}, {"Retry", c.Retry}, {"RetrySlow", c.RetrySlow}, {"Linger", c.Linger},
		{"Check", c.Check}, {"StrikeFor", c.StrikeFor},
	} {
		if d.d <= 0 {
			return fmt.Errorf("feedtree: %s is %v, not above zero", d.name, d.d)
		}
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Window", c.Window, 1, MaxWindow}, {"ServeBytes", c.ServeBytes, maxAnswer, 1 << 30},
		{"MaxServing", c.MaxServing, 1, 1 << 10},
		{"Strikes", c.Strikes, 1, 1 << 10}, {"MaxFollowings", c.MaxFollowings, 1, 1 << 24},
		{"MaxAuthored", c.MaxAuthored, 1, 1 << 24},
		{"MaxKeeping", c.MaxKeeping, 1, 1 << 10}, {"MaxPending", c.MaxPending, 1, 1 << 24},
		{"MaxPendingBytes", c.MaxPendingBytes, MaxEntry, 1 << 40}, {"MaxQueued", c.MaxQueued, 1, 1 << 16},
		{"MaxPeers", c.MaxPeers, 1, 1 << 20}, {"MaxVerified", c.MaxVerified, 1, 1 << 24},
		{"MaxTopics", c.MaxTopics, 1, 1 << 24},
		{"MaxNotices", c.MaxNotices, 1, 1 << 20},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("feedtree: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}
