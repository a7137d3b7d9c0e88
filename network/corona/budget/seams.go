package budget

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// Host is the node around a Budget. Its methods return at once.
type Host interface {
	// Sample returns the subscriptions that prove the readers of a channel that this node is primary of; see
	// roster.SampleSize.
	Sample(channel engine.ID, nonce uint64) []roster.Subscription
	// Nodes returns how many nodes the ring has, as far as counted.
	Nodes() int
	// Readers returns how many readers a channel has that this node is primary of.
	Readers(channel engine.ID) uint64
	// Size returns the size of the set of a channel that this node is primary of.
	Size(channel engine.ID) machine.Size
	// Pollers returns how many nodes poll a channel by a set of that size, this one included, as far as counted.
	Pollers(channel engine.ID, size machine.Size) float64

	// Joins reports that Proved or MayJoin may return something else for a channel.
	Joins(channel engine.ID)
	// Renew reports that Spacing or Patience returns something else for a channel that this node is primary of.
	Renew(channel engine.ID)
	// Refused reports to a channel's primary that its host asks for so much patience.
	Refused(channel engine.ID, wait time.Duration)
}

// Config is a Budget's part of corona.Config; see there.
type Config struct {
	Interval, Maintenance time.Duration
	Forget                time.Duration // subscriptions twice as old prove nothing
	HostCeiling           int           // turns of a host in an interval; 0: no bound
	MaxHostReaders        int           // that one node counts for at a host
	MaxCount              int           // that one subscription counts for
}

// Trace events of a Budget.
type (
	// Paid reports how many readers of a channel are proved to this node, and how many nodes are to poll it.
	Paid struct {
		Channel engine.ID
		Readers float64
		Pollers float64
	}

	// Patient reports that this node leaves a host in peace for so long, as the origins of two of its channels ask.
	Patient struct {
		Host engine.ID
		Wait time.Duration
	}
)
