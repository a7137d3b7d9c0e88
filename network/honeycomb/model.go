package honeycomb

import (
	"fmt"
	"math"
	"time"
)

// Model is what all nodes of a network agree on, to weigh the channels that they know.
type Model struct {
	Policy Policy

	// Interval is the time between two polls of a channel by one node: τ, in the paper
	// half an hour. MinInterval to MaxInterval.
	Interval time.Duration

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

// Validate reports which setting of m is not possible.
func (m Model) Validate() error {
	if m.Interval < MinInterval || m.Interval > MaxInterval {
		return fmt.Errorf("honeycomb: a polling interval of %v, want %v to %v", m.Interval, MinInterval, MaxInterval)
	}
	return m.Policy.Validate()
}

// Detection returns the mean detection time of a channel with so many pollers at even phases, which may be a mean
// itself. Below 1 they count as 1.
func (m Model) Detection(pollers float64) time.Duration {
	return time.Duration(math.Round(m.Interval.Seconds() / 2 * 1e9 * (1 / max(1, pollers))))
}

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

// Worth returns what finding the channel's changes soon is worth: its subscribers, weighted by the policy.
func (m Model) Worth(f Factors) float64 {
	return float64(f.Subscribers) * m.Policy.Goal.weight(m.Interval, update(f))
}

// Cost returns what one poll of the channel loads its origin with: a whole number.
func (m Model) Cost(f Factors) float64 {
	switch {
	case m.Polls:
		return 1
	case f.Size == 0:
		return UnknownSize
	}
	return float64(max(MinSize, f.Size))
}

func update(f Factors) time.Duration {
	if f.Update <= 0 {
		return UnknownUpdate
	}
	return min(max(f.Update, MinUpdate), MaxUpdate)
}
