package astrolabe_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Nodes come back at other addresses. Nodes that have learned of that do not look for them at the old ones, so that a
// network at rest writes no row of a zone that is news.
func TestMovedAddresses(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(setup{seed: t.Seed(), homes: append(all(3, "/eu"), all(3, "/us")...),
			step: 100 * time.Millisecond})
		w.Run(2 * time.Second)
		w.until(t, 3*time.Minute, func() error { return w.agreed(w.up()) })
		for _, n := range []sim.Node{4, 3, 2} {
			w.Crash(n)
			w.Move(n)
			w.Boot(n)
			w.Run(time.Minute)
		}
		w.until(t, 5*time.Minute, func() error { return w.agreed(w.up()) })
		w.Run(w.aggregation.Lifetime)
		news := 0
		w.Observe(func(_ time.Duration, n sim.Node, event any) {
			if e, ok := event.(astrolabe.Issued); ok && e.News {
				news++
			}
		})
		w.Run(30 * time.Minute)
		if news > 0 {
			t.Errorf("rows of zones were news %d times in half an hour in which nothing happened", news)
		}
	})
}
