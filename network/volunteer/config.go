package volunteer

import (
	"fmt"
	"time"
)

// Config holds the constants of the scheme. Start from Default.
type Config struct {
	// Interval is the mean time between two turns of a node at a channel.
	Interval time.Duration
	// Jitter is by which share of Interval a turn comes sooner or later, drawn anew each time.
	// 0 to 1.
	Jitter float64
	// Enough is how many polls within an interval are so many that nobody volunteers for more.
	Enough int
	// LeastPollProbability is the least probability with which a node volunteers that learns of fewer than Enough
	// polls. Above 0, to 1.
	LeastPollProbability float64
	// Trust is after how many intervals a node polls by itself, whatever it has received. Older reports are not
	// forwarded.
	Trust int
	// Ahead is how far the clock of the polling node may be ahead of this node's.
	Ahead time.Duration
	// MaxChannels is how many channels a node follows; more are refused and traced.
	MaxChannels int
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Interval: 30 * time.Minute, Jitter: 0.5, Enough: 8, LeastPollProbability: 1. / 16, Trust: 48,
		Ahead: 5 * time.Minute, MaxChannels: 1 << 17,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	switch {
	case c.Interval <= 0 || c.Ahead <= 0:
		return fmt.Errorf("volunteer: Interval is %v and Ahead %v, not above zero", c.Interval, c.Ahead)
	case c.Jitter < 0 || c.Jitter > 1:
		return fmt.Errorf("volunteer: Jitter is %v, not between 0 and 1", c.Jitter)
	case c.LeastPollProbability <= 0 || c.LeastPollProbability > 1:
		return fmt.Errorf("volunteer: LeastPollProbability is %v, not above 0 and at most 1", c.LeastPollProbability)
	case c.Enough < 1 || c.Enough > maxHeard:
		return fmt.Errorf("volunteer: Enough is %d, not between 1 and %d", c.Enough, maxHeard)
	case c.Trust < 1 || c.MaxChannels < 1:
		return fmt.Errorf("volunteer: Trust is %d and MaxChannels %d, not above zero", c.Trust, c.MaxChannels)
	}
	return nil
}

// maxHeard bounds how many polls of a channel a node remembers.
const maxHeard = 64
