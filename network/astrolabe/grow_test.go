package astrolabe_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/sim"
)

// Nodes join one by one, and become one tree with copies that agree. A third crashes, and is forgotten; then all is as
// quiet as before.
func TestGrow(t *testing.T) {
	for _, size := range []int{3, 60, 300} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if testing.Short() && size > 60 {
				t.Skip("needs seconds")
			}
			t.Parallel()
			w := newWorld(setup{homes: all(size, zone.Root), step: 200 * time.Millisecond})
			w.Run(time.Duration(size) * 200 * time.Millisecond)
			w.until(t, 15*time.Minute, func() error { return w.agreed(w.up()) })
			grown := w.Now()
			w.Run(10 * time.Minute)
			before := w.perMinute()

			for n := range sim.Node(size) {
				if n%3 == 1 {
					w.Crash(n)
				}
			}
			crashed := w.Now()
			w.until(t, w.aggregation.Lifetime+5*time.Minute, func() error { return w.agreed(w.up()) })
			forgotten := w.Now() - crashed
			w.Run(15 * time.Minute) // until no crashed one is remembered
			after := w.perMinute()
			t.Logf("%d nodes agree after %v; after a crash %v later; %.1f messages a node and minute, %.1f afterwards",
				size, grown, forgotten, before, after)
			if after > 1.5*before {
				t.Errorf("%.1f messages a node and minute, %.1f before the crash", after, before)
			}
		})
	}
}
