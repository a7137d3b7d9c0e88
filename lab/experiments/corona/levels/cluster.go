package levels

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// fixedBits is how many bits behind the point Cluster.Weight and Slack have.
const fixedBits = 24

// Cluster sums up channels with similar factors (section 3.2): adding is merging. All fields are whole numbers and stop
// at the greatest there is. So a sum does not depend on the order in which it was made, and no peer can write a NaN or
// make a sum wrap around.
type Cluster struct {
	Channels    uint64 `cbor:"1,keyasint"`
	Subscribers uint64 `cbor:"2,keyasint"` // Σ q
	Size        uint64 `cbor:"3,keyasint"` // Σ s, in bytes, or in polls as Model.Polls says

	// Weight is Σ q·w in units of 2^-24, where w is what the policy makes of the update
	// interval: 1 for Lite and Fast.
	Weight uint64 `cbor:"4,keyasint"`

	// Due is Σ q·s: the load that these subscribers would cause by polling for themselves.
	Due uint64 `cbor:"5,keyasint"`

	// Load is Σ s·n, where n nodes poll each channel now, and Delay Σ q·w·(delay with n pollers), in units of 2^-24:
	// the real results of the last plans. See Plan.SolveFor.
	Load  uint64 `cbor:"6,keyasint"`
	Delay uint64 `cbor:"7,keyasint"`
}

// errCluster is of a cluster that no channels can make.
var errCluster = errors.New("a cluster of no channels, or with sums that contradict each other")

// Add puts the channels of d into c.
func (c *Cluster) Add(d Cluster) {
	c.Channels = add(c.Channels, d.Channels)
	c.Subscribers = add(c.Subscribers, d.Subscribers)
	c.Size = add(c.Size, d.Size)
	c.Weight = add(c.Weight, d.Weight)
	c.Due = add(c.Due, d.Due)
	c.Load = add(c.Load, d.Load)
	c.Delay = add(c.Delay, d.Delay)
}

// Validate reports whether c can be a sum over channels. A peer can lie all the same.
func (c Cluster) Validate() error {
	if c.Channels == 0 || c.Size < c.Channels || c.Due > multiply(c.Subscribers, c.Size) {
		return fmt.Errorf("levels: %w", errCluster)
	}
	return nil
}

// ratio returns f/g, by which channels are alike or not: at equal wedges their steps have
// equal λ if it is equal.
func (c Cluster) ratio() float64 { return float64(c.Weight) / float64(c.Size) }

// weight and size return the means over the cluster's channels.
func (c Cluster) weight() float64 {
	return math.Ldexp(float64(c.Weight), -fixedBits) / float64(c.Channels)
}
func (c Cluster) size() float64 { return float64(c.Size) / float64(c.Channels) }

// delay returns the sum that Delay stands for.
func (c Cluster) delay() float64 { return math.Ldexp(float64(c.Delay), -fixedBits) }

// add returns a + b, or the greatest number there is.
func add(a, b uint64) uint64 {
	total, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return total
}

// multiply returns a * b, or the greatest number there is.
func multiply(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// fixed returns x, which is not negative, in units of 2^-24: 0 only for 0.
func fixed(x float64) uint64 {
	scaled := math.Ldexp(x, fixedBits)
	switch {
	case x == 0:
		return 0
	case scaled >= 1<<64:
		return math.MaxUint64
	}
	return max(1, uint64(math.Round(scaled)))
}
