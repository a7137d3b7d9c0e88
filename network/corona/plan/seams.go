package plan

import (
	"time"

	"tidings/network/corona/curve"
	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Host is the plan's view of the machines beside it. Its methods call nothing back before they return.
type Host interface {
	// Factors returns what is known of a channel that this node is primary of.
	Factors(channel engine.ID) honeycomb.Factors
	// Limits returns the limits that all pollers of such a channel keep.
	Limits(channel engine.ID) Limits
	// Most returns how many nodes may poll such a channel, at most. ok is false if there is no bound.
	Most(channel engine.ID) (pollers float64, ok bool)

	// Proved reports whether an assignment for a set of that size may be followed: the channel's readers are proved. If
	// not yet, and Asking, Plan.Joins is called later.
	Proved(c machine.Channel, size machine.Size) bool
	// Asking reports whether proof of a channel's readers is on its way.
	Asking(channel engine.ID) bool
	// MayJoin reports whether this node may poll as a member of an assigned set. If it may later, Plan.Joins is called.
	MayJoin(c machine.Channel, size machine.Size) bool
	// Waits reports that no node is to poll a channel until a time by Env.Now, as its origin asks.
	Waits(channel engine.ID, until time.Duration)
	// Ended reports that a channel is no longer polled here or assigned to others.
	Ended(channel engine.ID)

	// Held returns the number of the latest version that is kept of a channel. Learned reports that another node has a
	// version.
	Held(channel engine.ID) uint64
	Learned(from engine.Peer, channel engine.ID, version uint64)

	// Moved reports that a channel has another size than the other owners know.
	Moved(channel engine.ID)
	// Planned reports that sizes have been chosen.
	Planned()
}

// Limits are an origin's wishes.
type Limits struct {
	NotBefore time.Duration // by Env.Now
	Interval  time.Duration // least time between polls of all nodes together; 0: none
}

// Optimizer chooses how many nodes poll each channel that this node is primary of, with the best result for all
// channels of the network. Sums that nodes add up travel from contact to contact.
type Optimizer interface {
	// Own sums up the channels that this node is primary of.
	Own() Summary
	// Merge adds up summaries.
	Merge(of []*Summary) Summary
	// Read returns the summary in a peer's Aggregate; false if it cannot be one.
	Read(a *Aggregate) (s Summary, ok bool)
	// Choose chooses sizes, by Plan.Choose, from the summary of this node's channels and those of contacts.
	Choose(own *Summary, contacts []*Summary)
}

// Summary sums up many channels.
type Summary struct {
	Curve  curve.Curve
	Other  engine.Message // of an experiment's Optimizer, in place of Curve
	Sum    uint64         // identifies both
	Totals Totals
}

// Totals are the values that should soon be sent on when they change.
type Totals [3]float64

// Known is what a node knows when it chooses sizes.
type Known struct {
	Config    Config
	Nodes     uint32    // of the ring, as counted
	Primaries []Primary // by ID
}

// Primary is a channel that this node is primary of.
type Primary struct {
	Channel engine.ID
	Size    machine.Size
	Factors honeycomb.Factors
	Most    float64 // nodes that can poll it, at least 1: see Plan.most
}

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
	// First is the time of the next poll in turn, by Env.Now. No turn is made before it, even if a poll out of turn
	// comes first: it is two intervals away at most where a turn is left out (Plan.Rest).
	First    time.Duration
	Interval time.Duration
	// NotBefore is the earliest time of the next poll: the origin asked for patience.
	NotBefore time.Duration
}
