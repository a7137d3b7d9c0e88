package overlay

import (
	"fmt"
	"time"

	"tidings/network/routers/spidercast/interest"
)

// Config says how an overlay behaves. Start from Default or Paper.
type Config struct {
	// Greedy and Random are how many neighbours should follow each topic of this node's, of those that each task chose:
	// K_g and K_r, 3 and 0 (section 3.3). More makes topics robust and costs links; 0 switches a task off.
	Greedy, Random int

	// Adaptive raises K_r from Random up to MaxRandom where interests are so alike that Greedy links cover everything
	// (section 3.3.1). There topics fall apart without it; elsewhere it has no effect.
	Adaptive  bool
	MaxRandom int // 3

	// MaxShare is for which share of a node's topics one neighbour counts as cover in the random task, 2 topics at
	// least: 1/3. So neighbours that claim to follow everything are never all that a node has. Less costs links where
	// interests are alike. The paper lets one neighbour count for all: 1.
	MaxShare float64

	// Broad is how many times as many topics as usual a node may follow to count as cover at all, see Overlay.Usual: 4.
	// A node that follows more finds its neighbours by itself, and one that claims to follow everything is of no use.
	// Less costs links where nodes follow very different numbers of topics. 0, as in the paper: all count.
	Broad int

	// Margin is how many neighbours beyond L_max, or beyond L, a node accepts in each set: 5 (section 2.3). Less
	// redirects more requests.
	Margin int

	// Interval is how long a task rests after a step: connect_timeout of Figure 2, for which the paper has no value.
	// Less builds the overlay sooner; below a round trip, steps are made before the last one's answer has come. While
	// there is nothing to do, a task rests up to MaxInterval.
	Interval, MaxInterval time.Duration

	// Heartbeat is how often neighbours learn that this node lives, and its degrees. Oftener finds dead neighbours
	// sooner; each costs 40 bytes a link.
	Heartbeat time.Duration

	// Silence is after how long without a word a neighbour counts as dead. Below four heartbeats losses kill the
	// living.
	Silence time.Duration

	// Quarantine is for how long a node is not asked again if it did not become a neighbour, or ceased to be one
	// (section 2.3, Redirect). Suspicion is the same for a node that the dissemination reported.
	Quarantine, Suspicion time.Duration

	// Return is for how long a neighbour that was lost is tried again, so that halves of a network meet after a
	// partition. It is tried the first time after ReturnFirst, then after twice as long each time. 0, as in the paper:
	// never.
	Return, ReturnFirst time.Duration

	// Exact is how many topics a node lists in its profile; with more it sends a Bloom filter. At most
	// interest.MaxExact.
	Exact int

	// Swaps has links exchanged for fewer ones once everything is covered.
	Swaps Swaps

	// Bounds of what is kept and answered besides; what would go beyond is dropped, and traced.
	MaxTopics     int // that a node follows or publishes on
	MaxQuarantine int // nodes in quarantine
	MaxRedirects  int // nodes that a task was redirected to and has not asked yet
	MaxHops       int // redirects that are followed one after the other before a task chooses by itself again
	MaxLost       int // neighbours that were lost and are tried again
	AnswerRate    int // requests that are refused in a second
}

// Default returns what an ordinary network uses: the paper's values, adaptive, and what a partition asks for.
func Default() Config {
	return Config{
		Greedy: 3, Adaptive: true, MaxRandom: 3, MaxShare: 1. / 3, Broad: 4, Margin: 5,
		Interval: time.Second, MaxInterval: 16 * time.Second,
		Heartbeat: 5 * time.Second, Silence: 25 * time.Second,
		Quarantine: 15 * time.Second, Suspicion: 10 * time.Minute,
		Return: time.Hour, ReturnFirst: 5 * time.Second,
		Exact:     interest.MaxExact,
		Swaps:     Swaps{Pause: time.Minute},
		MaxTopics: 1 << 14, MaxQuarantine: 256, MaxRedirects: 16, MaxHops: 4, MaxLost: 64, AnswerRate: 100,
	}
}

// Paper returns the paper's way where Default departs from it: (3,0)-coverage for all, every node counts as cover as it
// claims, and one that is lost is forgotten.
func Paper() Config {
	c := Default()
	c.Adaptive, c.MaxShare, c.Broad, c.Return, c.Swaps = false, 1, 0, 0, Swaps{}
	return c
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name     string
		d, least time.Duration
	}{
		{"Interval", c.Interval, 1}, {"MaxInterval", c.MaxInterval, c.Interval}, {"Heartbeat", c.Heartbeat, 1},
		{"Silence", c.Silence, c.Heartbeat}, {"Quarantine", c.Quarantine, 1}, {"Suspicion", c.Suspicion, 1},
		{"Return", c.Return, 0}, {"ReturnFirst", c.ReturnFirst, 1}, {"Swaps.Pause", c.Swaps.Pause, 0},
	} {
		if d.d < d.least {
			return fmt.Errorf("overlay: %s is %v, less than %v", d.name, d.d, d.least)
		}
	}
	if c.Swaps.Pause > 0 && c.Swaps.Pause < 2*c.Heartbeat {
		return fmt.Errorf("overlay: Swaps.Pause is %v, less than two heartbeats, %v", c.Swaps.Pause, 2*c.Heartbeat)
	}
	if !(c.Swaps.Risk >= 0 && c.Swaps.Risk < 1) {
		return fmt.Errorf("overlay: Swaps.Risk is %v, not from 0 to 1", c.Swaps.Risk)
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Greedy", c.Greedy, 0, 64}, {"Random", c.Random, 0, 64}, {"MaxRandom", c.MaxRandom, c.Random, 64},
		{"Broad", c.Broad, 0, 1 << 20}, {"Margin", c.Margin, 0, 1024}, {"Exact", c.Exact, 0, interest.MaxExact},
		{"MaxTopics", c.MaxTopics, 1, 1 << 15},
		{"MaxQuarantine", c.MaxQuarantine, 1, 1 << 16}, {"MaxRedirects", c.MaxRedirects, 1, 1 << 10},
		{"MaxHops", c.MaxHops, 0, 1 << 10}, {"MaxLost", c.MaxLost, 0, 1 << 10},
		{"AnswerRate", c.AnswerRate, 1, 1 << 20},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("overlay: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	if !(c.MaxShare >= 0 && c.MaxShare <= 1) {
		return fmt.Errorf("overlay: MaxShare is %v, not between 0 and 1", c.MaxShare)
	}
	return nil
}
