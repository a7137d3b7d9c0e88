package budget

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// Host is the node around a Budget. Its methods return at once.
type Host interface {
	// Wants returns the claim for a channel that this node is primary of, with the pollers of at most so many sizes.
	Wants(channel engine.ID, sizes int) Wants
	// NotBefore returns until when the origin of such a channel has asked not to be polled, by Env.Now.
	NotBefore(channel engine.ID) time.Duration
	// Sample returns the subscriptions that prove the readers of such a channel; see roster.SampleSize.
	Sample(channel engine.ID, nonce uint64) []roster.Subscription
	// Nodes returns how many nodes the ring has, as far as counted.
	Nodes() int
	// Plausible returns how many nodes can be in such a share of the ring. A higher count is treated as this one.
	Plausible(share float64) uint32
	// AlternateKey returns a key close to another on the ring, drawn anew each time.
	AlternateKey(key engine.ID) engine.ID
	// Polls reports whether a channel is polled here, or assigned to others from here.
	Polls(channel engine.ID) bool

	// Pollers returns how many nodes poll a channel by a set of that size, this one included, as far as counted.
	Pollers(channel engine.ID, size machine.Size) float64

	// Joins reports that MayJoin may return something else for a channel.
	Joins(channel engine.ID)
	// Permitted reports that Permit returns something else for a channel, or lasts longer. Patient reports the same of
	// Patience.
	Permitted(channel engine.ID)
	Patient(channel engine.ID)
}

// Wants is what a primary claims for a channel.
type Wants struct {
	Readers uint64
	Size    machine.Size // of the polling set that it would choose
	// how many nodes would poll, this one included, in a set of that size and in each that is a step smaller
	Pollers  []uint32
	Verifies uint8 // polls out of turn in an interval, besides one; at most MaxVerifies
}

// Permit is what the owners of a host grant one of its channels.
type Permit struct {
	Size  machine.Size  // at most; Alone: only the primary polls
	Every time.Duration // least time between polls of a primary that polls alone; 0: the polling interval
	Until int64         // in seconds since 1970
}

// Config is a Budget's part of corona.Config; see there.
type Config struct {
	Interval, Maintenance time.Duration
	Forget                time.Duration // subscriptions twice as old prove nothing
	HostCeiling           int           // requests of a host in an interval; 0: no bound
	HostOwners            int           // 1 to MaxOwners
	MaxHostReaders        int           // that one node counts for at a host
	MaxCount              int           // that one subscription counts for
	MaxHostClaims         int           // channels of hosts that are divided here
}

// Trace events of a Budget.
type (
	// Divided reports that this node, as an owner of a host, has divided its requests among so many channels, with so
	// many proved readers.
	Divided struct {
		Host     engine.ID
		Channels int
		Readers  float64
	}

	// Certified reports that this node, as primary, has a permit to have a channel polled by a set, or alone so often.
	Certified struct {
		Channel engine.ID
		Size    machine.Size
		Every   time.Duration
	}

	// Patient reports that this node does not poll a host for so long, as the host's owners ask. It affects the
	// channels that the node is primary of.
	Patient struct {
		Host engine.ID
		Wait time.Duration
	}
)
