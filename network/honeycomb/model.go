package honeycomb

import (
	"fmt"
	"math"
	"time"
)

// Phases is how the polls of a wedge are spread over the polling interval.
type Phases uint8

// The two that the nodes of a wedge can have. Where n nodes poll once an interval each, a change waits half an interval
// divided by n for the next poll if phases are even. It waits an interval divided by n+1 if they are random: nearly
// twice as long. The paper's formula is for even phases, its protocol draws them at random (section 3.3).
const (
	Even Phases = iota
	Random
	phases
)

func (p Phases) String() string {
	switch p {
	case Even:
		return "even"
	case Random:
		return "random"
	}
	return fmt.Sprintf("phases %d", uint8(p))
}

// delay returns the mean detection time with so many pollers, at least one, in units of what it
// is with one.
func (p Phases) delay(pollers float64) float64 {
	if p == Random {
		return 2 / (pollers + 1)
	}
	return 1 / pollers
}

// Model is what all nodes of a network agree on, to make f and g out of what they know of
// channels. Start from Default.
type Model struct {
	Policy Policy

	// Interval is the time between two polls of a channel by one node: τ, in the paper
	// half an hour. MinInterval to MaxInterval.
	Interval time.Duration

	// Phases of the nodes of a wedge.
	Phases Phases

	// LevelBits is by how many bits of prefix one level is longer than the one before: 1 to
	// 8. The paper counts digits, 4 bits. Single bits offer more choice: wedges halve from
	// level to level and more of the budget can be spent where it serves most.
	LevelBits int

	// Polls says that load is counted in polls, not bytes: every channel has the size 1.
	// The paper's tables count so.
	Polls bool
}

// Bounds of times. Fair-Log divides by the logarithm of seconds, which has to be positive.
const (
	MinInterval = 2 * time.Second
	MaxInterval = 30 * 24 * time.Hour

	// MinUpdate and MaxUpdate are the shortest and the longest time between two updates of a channel that differ to the
	// model.
	MinUpdate = 2 * time.Second
	MaxUpdate = 365 * 24 * time.Hour

	// UnknownUpdate stands for an update interval that is not known yet.
	UnknownUpdate = 24 * time.Hour
)

const (
	// MinSize is the least load of a poll, in bytes: a request and an answer without
	// content. Were there none, nothing would keep the whole network from polling.
	MinSize = 512

	// UnknownSize stands for a content size that is not known yet.
	UnknownSize = 16 << 10
)

// Default returns the model of a network of Tidings: load in bytes, wedges in bits.
func Default() Model { return Model{Interval: 30 * time.Minute, LevelBits: 1} }

// Paper returns the model of the paper's tables and figures: wedges in digits of base 16, and load in polls. Its
// formulas assume even phases.
func Paper() Model { return Model{Interval: 30 * time.Minute, LevelBits: 4, Polls: true} }

// Validate reports which setting of m is not possible.
func (m Model) Validate() error {
	switch {
	case m.Interval < MinInterval || m.Interval > MaxInterval:
		return fmt.Errorf("honeycomb: a polling interval of %v, want %v to %v", m.Interval, MinInterval, MaxInterval)
	case m.Phases >= phases:
		return fmt.Errorf("honeycomb: there are no %v", m.Phases)
	case m.LevelBits < 1 || m.LevelBits > 8:
		return fmt.Errorf("honeycomb: levels of %d bits, want 1 to 8", m.LevelBits)
	}
	return m.Policy.Validate()
}

// Levels returns how many polling levels a network of so many nodes has: K+1, where the wedge of
// level K has one node or less on average. At most MaxLevels.
func (m Model) Levels(nodes int) int {
	levels := 1
	for covered := 1.; covered < float64(nodes) && levels < MaxLevels; levels++ {
		covered *= float64(int(1) << m.LevelBits)
	}
	return levels
}

// Detection returns the mean detection time of a channel with so many pollers, which may be a
// mean itself. Below 1 they count as 1.
func (m Model) Detection(pollers float64) time.Duration {
	return time.Duration(math.Round(m.relative() * 1e9 * m.Phases.delay(max(1, pollers))))
}

// relative returns the seconds that one unit of delay is: the detection time of a single poller.
func (m Model) relative() float64 { return m.Interval.Seconds() / 2 }

// Factors are what an owner knows of a channel.
type Factors struct {
	Subscribers uint32 // q

	// Size of the content is s, in bytes. 0 means unknown: UnknownSize. Less than MinSize
	// counts as that.
	Size uint32

	// Update is the mean time between two updates, u. 0 or less means unknown:
	// UnknownUpdate. It is kept between MinUpdate and MaxUpdate.
	Update time.Duration
}

// Cluster returns the cluster of this channel alone, which so many nodes poll now; none count as
// one.
func (m Model) Cluster(f Factors, pollers uint32) Cluster {
	q, s, n := uint64(f.Subscribers), m.size(f), max(1, pollers)
	weight := m.Worth(f)
	return Cluster{
		Channels: 1, Subscribers: q, Size: s, Weight: fixed(weight), Due: multiply(q, s),
		Load: multiply(s, uint64(n)), Delay: fixed(weight * m.Phases.delay(float64(n))),
	}
}

// Worth returns what finding the channel's changes soon is worth: its subscribers, weighted by the policy.
func (m Model) Worth(f Factors) float64 {
	return float64(f.Subscribers) * m.Policy.Goal.weight(m.Interval, update(f))
}

// Cost returns what one poll of the channel loads its origin with.
func (m Model) Cost(f Factors) float64 { return float64(m.size(f)) }

func (m Model) size(f Factors) uint64 {
	switch {
	case m.Polls:
		return 1
	case f.Size == 0:
		return UnknownSize
	}
	return max(MinSize, uint64(f.Size))
}

func update(f Factors) time.Duration {
	if f.Update <= 0 {
		return UnknownUpdate
	}
	return min(max(f.Update, MinUpdate), MaxUpdate)
}
