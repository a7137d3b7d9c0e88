package view

import (
	"fmt"
	"time"
)

// Config says how a view is kept. Start from Default.
type Config struct {
	// Round is how often a node shuffles: after a start or a change of its interest every FastRound first, then ever
	// slower up to Round. The paper gives no value. A shorter interval finds changes sooner, and costs about 4 KB a
	// round.
	Round, FastRound time.Duration

	// Sample and Alike are how many entries of each kind a message carries, 16 at most.
	Sample, Alike int

	// Share is which part of all nodes a view holds: 0.05 (section 3.7). How many there are is estimated.
	Share float64

	// Least is how many entries a view holds beyond Share and Cover, and Most how many in all: about 300 bytes each. If
	// Least is too small, nodes that are alike lose sight of all others.
	Least, Most int

	// Cover is how many entries are kept for each of the node's topics before all others: K, or slightly more.
	Cover int

	// Broad is as in the overlay's Config: a node that claims to follow that much more than is usual is not kept for
	// it.
	Broad int

	// MaxAge is for how long an entry is believed that its node has not confirmed: the dead are forgotten after that at
	// the latest.
	MaxAge time.Duration

	// Retry is how often one of the lost is tried: those that were not reached, and contacts from outside. MaxLost is
	// how many are kept. They bring two halves of a network together after a partition.
	Retry   time.Duration
	MaxLost int

	// MaxMetered is of how many peers it is known when they shuffled last: one with shuffles that come too often is
	// answered, not believed.
	MaxMetered int
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Round: 10 * time.Second, FastRound: time.Second, Sample: 8, Alike: 8, Share: 0.05, Least: 64, Most: 2048,
		Cover: 5, Broad: 4,
		MaxAge: 15 * time.Minute, Retry: 30 * time.Second, MaxLost: 64, MaxMetered: 1024,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	switch {
	case c.FastRound <= 0 || c.Round < c.FastRound:
		return fmt.Errorf("view: rounds of %v, at first %v", c.Round, c.FastRound)
	case !(c.Share >= 0 && c.Share <= 1):
		return fmt.Errorf("view: a Share of %v", c.Share)
	case c.MaxAge < c.Round || c.MaxAge > 24*time.Hour:
		return fmt.Errorf("view: MaxAge is %v, not between Round and a day", c.MaxAge)
	case c.Retry <= 0:
		return fmt.Errorf("view: Retry is %v", c.Retry)
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Sample", c.Sample, 1, maxEntries}, {"Alike", c.Alike, 0, maxEntries}, {"Least", c.Least, 1, 1 << 16},
		{"Most", c.Most, c.Least, 1 << 16}, {"Cover", c.Cover, 0, 64}, {"Broad", c.Broad, 0, 1 << 20},
		{"MaxLost", c.MaxLost, 1, 1 << 10},
		{"MaxMetered", c.MaxMetered, 1, 1 << 20},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("view: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}
