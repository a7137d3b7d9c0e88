package corona

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
)

// The types that all machines share.
type (
	Channel  = machine.Channel
	Hash     = machine.Hash
	Ring     = machine.Ring
	LimitHit = machine.LimitHit
)

// Poller polls channels. It polls a channel once every interval, at the times that the task says, until it is stopped, and tells what came of each poll that
// gave news by Node.Polled. Its methods return at once and call nothing back before they do.
type Poller interface {
	plan.Poller
	// Verify polls a channel once, now, out of turn, because another node says that it has
	// changed. Whatever comes of it is told by Node.Polled.
	Verify(c Channel)
	// FirstPoll tells how long it may take until this node has polled a channel of which nothing is known
	// here: what that gives is told by Node.Polled, whatever it is. 0: something is known, or nobody polls.
	FirstPoll(channel engine.ID) time.Duration
}

// Task says when a channel is polled.
type Task = plan.Task

// PollResult is what a poll gave.
type PollResult struct {
	// Verified says that the poll was asked for by Poller.Verify.
	Verified bool
	// Update is what changed against the latest version that the Library holds, whose number
	// stands in Version and whose hash in Base; nil: nothing.
	Update *Update
	// Hash is of the content that was read; zero: none was.
	Hash Hash
	// Size is the document's length in bytes; 0: unknown.
	Size uint32
	// Wait is for how long the origin asked not to be polled (Retry-After); Interval how
	// much time it wants between polls (ttl, Cache-Control). 0: it said nothing.
	Wait, Interval time.Duration
}

// Library holds what the versions of channels say. Corona knows their numbers and hashes only.
// Its methods return at once and call nothing back before they do, but for Take, which may.
type Library interface {
	// Held returns the number and the hash of the latest version that is kept of a channel; zero:
	// none.
	Held(channel engine.ID) (version uint64, hash Hash)
	// Content returns the hash of the latest content that is here of a channel, whether it has a number
	// or not; zero: none is known.
	Content(channel engine.ID) Hash
	// Relay has the versions of a channel kept here although it may be neither polled nor subscribed to: this
	// node makes them. It is not polled for that, but by Poller.Verify. Release ends what Relay began; what is
	// polled or subscribed to is kept as before.
	Relay(c Channel)
	Release(channel engine.ID)
	// Take keeps an update of a channel that is polled, subscribed to or relayed here. What becomes
	// of it is told by Node.Taken, then or later. Where u.Hash is that of the version held, only the number
	// is new, and nobody need be told. Otherwise u.Base is that of the version held or of Content, and what
	// u.Payload makes of it must have u.Hash.
	Take(u *Update)
	// Lend finds what leads from a content to the latest one that is kept, and gives it to
	// found; nil if it cannot. The zero Hash stands for nothing at all.
	Lend(channel engine.ID, base Hash, found func(*Update))
}
