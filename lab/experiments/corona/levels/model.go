package levels

import (
	"fmt"
	"math"
	"time"

	"tidings/network/honeycomb"
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
	honeycomb.Model

	// Phases of the nodes of a wedge.
	Phases Phases

	// LevelBits is by how many bits of prefix one level is longer than the one before: 1 to
	// 8. The paper counts digits, 4 bits. Single bits offer more choice: wedges halve from
	// level to level and more of the budget can be spent where it serves most.
	LevelBits int
}

// Default returns the model of a network of Tidings: load in bytes, wedges in bits.
func Default() Model {
	return Model{Model: honeycomb.Model{Interval: 30 * time.Minute}, LevelBits: 1}
}

// Paper returns the model of the paper's tables and figures: wedges in digits of base 16, and load in polls. Its
// formulas assume even phases.
func Paper() Model {
	return Model{Model: honeycomb.Model{Interval: 30 * time.Minute, Polls: true}, LevelBits: 4}
}

// Validate reports which setting of m is not possible.
func (m Model) Validate() error {
	switch {
	case m.Phases >= phases:
		return fmt.Errorf("levels: there are no %v", m.Phases)
	case m.LevelBits < 1 || m.LevelBits > 8:
		return fmt.Errorf("levels: levels of %d bits, want 1 to 8", m.LevelBits)
	}
	return m.Model.Validate()
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

// Cluster returns the cluster of this channel alone, which so many nodes poll now; none count as
// one.
func (m Model) Cluster(f honeycomb.Factors, pollers uint32) Cluster {
	q, s, n := uint64(f.Subscribers), uint64(m.Cost(f)), max(1, pollers)
	weight := m.Worth(f)
	return Cluster{
		Channels: 1, Subscribers: q, Size: s, Weight: fixed(weight), Due: multiply(q, s),
		Load: multiply(s, uint64(n)), Delay: fixed(weight * m.Phases.delay(float64(n))),
	}
}
