package pastry

import (
	"errors"
	"fmt"
	"time"
)

// Config holds the constants of the protocol and the bounds of what a node keeps. All nodes of a ring should use the
// same values. A ring of nodes that differ works, but its speed is not promised. Start from Default.
type Config struct {
	// Digit is how many bits one digit of an ID has: the paper's b, 4. Routes have
	// log(N)/Digit hops; the routing table has 2^Digit-1 columns, all to be kept alive.
	// 1, 2, 4 or 8.
	Digit int

	// LeafSet is how many neighbours on the ring a node knows, half of them on either side: the paper's L, 16. The ring
	// falls apart where LeafSet/2 neighbours in a row die within one repair. Even; 2 to 32.
	LeafSet int

	// PerSlot is how many peers the routing table keeps for one prefix: those with the shortest round trips. The paper
	// has 1. More need memory and save time when one dies.
	PerSlot int

	// KeepAlive is how often a node probes its next neighbour, and one of the peers it
	// has lost. A silent death is found within KeepAlive and ProbeTries probe time-outs.
	// It costs two messages of a leaf set's length a period.
	KeepAlive time.Duration

	// TablePeriod is how often a node exchanges a row with one of its contacts, in turn.
	// The paper does so with one contact of each row every 20 minutes.
	TablePeriod time.Duration

	// ProbeTimeout is how long a probe waits for its answer. A peer that has missed ProbeTries of them in a row is
	// dead. Together they must outlast ordinary losses: at 5 % loss one peer in 10^6 that is alive misses six.
	ProbeTimeout time.Duration
	ProbeTries   int

	// HopTimeout is the longest that one hop of a route waits for an acknowledgement before it tries another way. A hop
	// with a known round trip waits twice that and MinHopTimeout. Each further try of the message waits as much longer.
	// HopTries bounds the tries of a message at one node. Together they outlast the probes of a hop that has died.
	// Where hops are busy these times, those of probes and RouteTimeout are longer; see lag.
	HopTimeout    time.Duration
	MinHopTimeout time.Duration
	HopTries      int

	// RouteTimeout is how long the first node of a route waits for news of the delivery before it sends the message
	// again. The wait doubles each time. RouteTries bounds the sendings, the first included.
	RouteTimeout time.Duration
	RouteTries   int

	// MaxHops bounds a route. Each hop is nearer than the one before. So only nodes that break the protocol, or differ
	// about the ring, come near it.
	MaxHops int

	// JoinTimeout is how long a node waits for a seed to answer before it asks the next one. It does not wait for a
	// seed that is known to be down. With each round of the seeds the wait doubles, up to JoinRetry.
	JoinTimeout time.Duration
	JoinRetry   time.Duration

	// LostRetry is the longest time between two looks for a lost peer. The first comes
	// after a KeepAlive, each further one after twice the time.
	LostRetry time.Duration

	MaxSeeds    int // that Join remembers
	MaxProbes   int // outstanding to peers that are known by hearsay alone
	MaxLost     int // dead peers remembered; beyond them one falls out by chance
	MaxPending  int // messages that wait for an acknowledgement of the next hop
	MaxOutgoing int // messages routed from here that are not known to be delivered
	MaxHeld     int // messages that wait until this node is active
	MaxSeen     int // messages remembered, at least, to know a duplicate by
}

// Default returns the paper's constants, with the time-outs of MSPastry.
func Default() Config {
	return Config{
		Digit: 4, LeafSet: 16, PerSlot: 2,
		KeepAlive: 30 * time.Second, TablePeriod: time.Minute,
		ProbeTimeout: time.Second, ProbeTries: 6,
		HopTimeout: 2 * time.Second, MinHopTimeout: 250 * time.Millisecond, HopTries: 12,
		RouteTimeout: 4 * time.Second, RouteTries: 6, MaxHops: 40,
		JoinTimeout: 4 * time.Second, JoinRetry: 2 * time.Minute, LostRetry: time.Hour,
		MaxSeeds: 16, MaxProbes: 128, MaxLost: 64,
		MaxPending: 1024, MaxOutgoing: 1024, MaxHeld: 256, MaxSeen: 4096,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	switch {
	case c.Digit != 1 && c.Digit != 2 && c.Digit != 4 && c.Digit != 8:
		return fmt.Errorf("pastry: a digit of %d bits; must be 1, 2, 4 or 8", c.Digit)
	case c.LeafSet < 2 || c.LeafSet > MaxLeafSet || c.LeafSet%2 != 0:
		return fmt.Errorf("pastry: a leaf set of %d; must be even, 2 to %d", c.LeafSet, MaxLeafSet)
	case min(c.KeepAlive, c.TablePeriod, c.ProbeTimeout, c.HopTimeout, c.MinHopTimeout) <= 0,
		min(c.RouteTimeout, c.JoinTimeout, c.JoinRetry, c.LostRetry) <= 0:
		return errors.New("pastry: a time that is not above zero")
	case min(c.PerSlot, c.ProbeTries, c.HopTries, c.RouteTries, c.MaxHops, c.MaxSeeds) < 1,
		min(c.MaxProbes, c.MaxLost, c.MaxPending, c.MaxOutgoing, c.MaxHeld, c.MaxSeen) < 1:
		return errors.New("pastry: a bound below one")
	case c.RouteTries > 255 || c.MaxHops > 255:
		return errors.New("pastry: more tries or hops than a message can count")
	}
	return nil
}
