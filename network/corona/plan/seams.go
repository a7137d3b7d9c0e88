package plan

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Host is the plan's view of the machines beside it. Its methods call nothing back before they return, except Check,
// which may.
type Host interface {
	// Factors returns what is known of a channel that this node is primary of.
	Factors(channel engine.ID) honeycomb.Factors
	// Limits returns the limits that all pollers of such a channel keep.
	Limits(channel engine.ID) Limits
	// Permit returns what the channel's host grants it; false: nothing so far, and no node is to poll it.
	Permit(channel engine.ID) (Permit, bool)

	// Check calls then with a function that returns whether hosts allow an assignment. Then calls it for the
	// assignments that it follows: that keeps the certificate.
	Check(list []Assignment, then func(verdict func(i int) Verdict))
	// Certificate returns the proof that a channel polled here may be polled by many.
	Certificate(channel engine.ID) []machine.Grant
	// MayPoll reports whether a channel may still be polled here by its primary. MayPollIn reports it for a member of a
	// set of that size.
	MayPoll(channel engine.ID) bool
	MayPollIn(channel engine.ID, size machine.Size) bool
	// MayJoin reports whether this node may poll as a member of an assigned set. If it may later, Plan.Joins is called.
	MayJoin(c machine.Channel, size machine.Size) bool
	// Ended reports that a channel is no longer polled here or assigned to others.
	Ended(channel engine.ID)

	// Held returns the number of the latest version that is kept of a channel. Learned reports that another node has a
	// version.
	Held(channel engine.ID) uint64
	Learned(from engine.Peer, channel engine.ID, version uint64)

	// Moved reports that a channel has another size than the other owners know.
	Moved(channel engine.ID)
	// Counted reports that pollers have been counted anew, or that sizes have been chosen by the count.
	Counted(chosen bool)
}

// Limits are an origin's wishes.
type Limits struct {
	NotBefore time.Duration // by Env.Now
	Interval  time.Duration // least time between polls of all nodes together; 0: none
}

// Permit is what the owners of a host grant one of its channels.
type Permit struct {
	Size  machine.Size  // at most
	Every time.Duration // least time between polls of a primary that polls alone; 0: the polling interval
	Until int64         // in seconds since 1970; a later end is sent to all pollers
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

// Poller polls each channel once every interval, at the task's times, until it is stopped. Its methods return at once
// and call nothing back before they return.
type Poller interface {
	// Poll begins to poll a channel, or changes its times.
	Poll(c machine.Channel, t Task)
	// Stop ends polling.
	Stop(channel engine.ID)
}

// Task is the schedule of a channel.
type Task struct {
	// First is the time of the next poll, by Env.Now, within the coming interval.
	First    time.Duration
	Interval time.Duration
	// NotBefore is the earliest time of the next poll: the origin asked for patience.
	NotBefore time.Duration
}
