package sim

import (
	"math/rand/v2"
	"time"
)

// Latency is how long messages are under way, one way. A Latency that is read-only after it
// was made, as all here are, can serve many worlds at once.
type Latency interface {
	// Between draws the latency of one message. It is a function of its arguments and
	// of what it draws from chance.
	Between(chance *rand.Rand, from, to Node) time.Duration
}

// Distances is a Latency that knows what to expect, for measures of stretch and proximity.
// All of this package are.
type Distances interface {
	Latency

	// RTT returns the expected time of a message from one node to another and one
	// back. Where latencies fluctuate it is what they fluctuate around.
	RTT(from, to Node) time.Duration
}

// Constant is the same latency for all messages.
type Constant time.Duration

// Between returns c.
func (c Constant) Between(*rand.Rand, Node, Node) time.Duration { return time.Duration(c) }

// RTT returns 2c.
func (c Constant) RTT(_, _ Node) time.Duration { return 2 * time.Duration(c) }

// Uniform draws each message's latency between Min and Max.
type Uniform struct{ Min, Max time.Duration }

// Between draws from u.
func (u Uniform) Between(chance *rand.Rand, _, _ Node) time.Duration {
	return u.Min + time.Duration(chance.Int64N(int64(u.Max-u.Min)+1))
}

// RTT returns twice the mean.
func (u Uniform) RTT(_, _ Node) time.Duration { return u.Min + u.Max }
