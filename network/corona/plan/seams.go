package plan

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Host is what a plan asks of the machines beside it. Its methods call nothing back before they return, but for Check, which may.
type Host interface {
	// Factors returns what is known of a channel that this node is primary of.
	Factors(channel engine.ID) honeycomb.Factors
	// Limits returns what all pollers of such a channel heed.
	Limits(channel engine.ID) Limits
	// Permit returns what the channel's host lets it have; false: nothing so far, and nobody is to poll it.
	Permit(channel engine.ID) (Permit, bool)

	// Check tells then which of some assignments hosts allow. then's verdict is for what is followed: it keeps the certificate that allows it.
	Check(list []Assignment, then func(verdict func(i int) Verdict))
	// Certificate returns what shows others that a channel polled here may be polled by many.
	Certificate(channel engine.ID) []machine.Grant
	// MayPoll reports whether a channel may be polled here any longer, as its primary, and MayPollIn whether it may as one of a set of some size.
	MayPoll(channel engine.ID) bool
	MayPollIn(channel engine.ID, size machine.Size) bool
	// MayJoin reports whether this node, which is in a set that another has assigned, may poll as one of it. If it may later, Plan.Joins is called.
	MayJoin(c machine.Channel, size machine.Size) bool
	// Ended says that a channel is neither polled here any more nor assigned to others.
	Ended(channel engine.ID)

	// Held returns the number of the latest version that is kept of a channel, and Heard says that another node has some version.
	Held(channel engine.ID) uint64
	Heard(from engine.Peer, channel engine.ID, version uint64)

	// Moved says that a channel has another size than the other owners have been told.
	Moved(channel engine.ID)
	// Counted says that pollers have been counted anew, or that sizes have been chosen by what was counted.
	Counted(chosen bool)
}

// Limits is what an origin asks for.
type Limits struct {
	NotBefore time.Duration // by Env.Now
	Interval  time.Duration // least time between polls of all nodes together; 0: none
}

// Permit is what the owners of a host let one of its channels have.
type Permit struct {
	Size  machine.Size  // at most
	Every time.Duration // least time between polls of a primary that polls alone; 0: the polling interval
	Until int64         // in seconds since 1970; one that ends later is told to all pollers
}

// Verdict is whether a host allows an assignment.
type Verdict uint8

// The verdicts.
const (
	Refused  Verdict = iota
	Unproved         // the certificate was left out, and is not here
	Allowed
	Renewed // allowed by a certificate that is new here
)

// Poller polls channels. It polls a channel once every interval, at the times that the task says, until it is stopped. Its methods return at once and call
// nothing back before they do.
type Poller interface {
	// Poll begins to poll a channel, or changes when.
	Poll(c machine.Channel, t Task)
	// Stop ends polling.
	Stop(channel engine.ID)
}

// Task says when a channel is polled.
type Task struct {
	// First is the time of the next poll, by Env.Now, within the coming interval.
	First    time.Duration
	Interval time.Duration
	// NotBefore is when the next poll may be at the earliest: the origin asked for patience.
	NotBefore time.Duration
}
