//go:build unix

package store

import (
	"fmt"
	"testing"
	"time"
)

// hostile 53: what an entry costs to remove does not depend on how many came with it.
// In processor time, which other load on the machine does not change.
func TestHostile53LargeVersionsCostNoMore(t *testing.T) {
	if testing.Short() {
		t.Skip("it removes thousands of entries")
	}
	const entries = 4000
	cost := func(versions int) time.Duration {
		clk := newClock()
		s := newStore(t, func(c *Config) { c.Now = clk.now })
		follow(t, s, feedURL)
		for v := range versions {
			var stories []story
			for i := range entries / versions {
				stories = append(stories, story{fmt.Sprint(v, "-", i), words(i, 20)})
			}
			publish(t, s, feedURL, stories...)
		}
		publish(t, s, feedURL, story{"last", "x"})
		began := cpuTime(t)
		pruneAll(t, s, clk.now().Add(400*day))
		took := cpuTime(t) - began
		if stats, err := s.Stats(t.Context()); err != nil || stats.Items != 1 {
			t.Fatalf("%d entries are left, want 1 (%v)", stats.Items, err)
		}
		return took
	}
	many, one := cost(50), cost(1)
	t.Logf("%d entries: %v in 50 versions, %v in one", entries, many, one)
	if one > 4*many {
		t.Errorf("%d entries cost %v in 50 versions, %v in one", entries, many, one)
	}
}
