package budget

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// Host is what a Budget asks of the node that it is part of, and tells it. Its methods return at once.
type Host interface {
	// Wants returns what is to be claimed for a channel that this node is primary of, with the pollers of so many sizes at most.
	Wants(channel engine.ID, sizes int) Wants
	// NotBefore returns until when the origin of such a channel has asked not to be polled, by Env.Now.
	NotBefore(channel engine.ID) time.Duration
	// Sample returns the subscriptions that prove how many readers such a channel has; see roster.SampleSize.
	Sample(channel engine.ID, nonce uint64) []roster.Subscription
	// Nodes returns how many nodes the ring has, as far as they have been counted.
	Nodes() int
	// Plausible returns how many nodes can be in such a share of the ring: who has counted more is taken to have counted this.
	Plausible(share float64) uint32
	// AlternateKey returns a key close to another on the ring, drawn anew each time.
	AlternateKey(key engine.ID) engine.ID
	// Polls reports whether a channel is polled here, or assigned to others from here.
	Polls(channel engine.ID) bool

	// Pollers returns how many nodes poll a channel by a set of that size, this one included, as far as they have been counted.
	Pollers(channel engine.ID, size machine.Size) float64

	// Joins says that MayJoin may return something else for a channel.
	Joins(channel engine.ID)
	// Permitted says that Permit returns something else for a channel, or lasts longer; Patient, that Patience does.
	Permitted(channel engine.ID)
	Patient(channel engine.ID)
}

// Wants is what a primary claims for a channel.
type Wants struct {
	Readers  uint64
	Size     machine.Size // of the polling set that it would choose
	Pollers  []uint32     // how many nodes would poll, this one included, with a set of that size and of each that is a step smaller
	Verifies uint8        // polls out of turn in an interval, but for one; MaxVerifies at most
}

// Permit is what the owners of a host let one of its channels have.
type Permit struct {
	Size  machine.Size  // at most; Alone: nobody polls but the primary
	Every time.Duration // least time between polls of a primary that polls alone; 0: the polling interval
	Until int64         // in seconds since 1970
}

// Config is a Budget's part of corona.Config; see there.
type Config struct {
	Interval, Maintenance time.Duration
	Forget                time.Duration // subscriptions that are twice as old prove nothing
	HostCeiling           int           // requests of a host in an interval; 0: no bound
	HostOwners            int           // 1 to MaxOwners
	MaxHostReaders        int           // that one node counts for at a host
	MaxCount              int           // that one subscription counts for
	MaxHostClaims         int           // channels of hosts that are divided here
}

// What a Budget traces.
type (
	// Divided says that this node, as an owner of a host, has divided its requests among so many channels, which have so many readers as far as is proved.
	Divided struct {
		Host     engine.ID
		Channels int
		Readers  float64
	}

	// Certified says that this node, as primary, has a permit to have a channel polled by a set, or alone so often.
	Certified struct {
		Channel engine.ID
		Size    machine.Size
		Every   time.Duration
	}

	// Patient says that this node does not poll a host for so long, for the channels that it is primary of, as the host's owners say.
	Patient struct {
		Host engine.ID
		Wait time.Duration
	}
)
