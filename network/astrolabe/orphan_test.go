package astrolabe_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// All representatives of a zone crash at once. Its members notice, and name others, long before its row would be
// overdue. A crashed node is not named again, though its own row is still there.
func TestOrphanedZoneNamesOthers(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(setup{seed: t.Seed(), homes: append(all(24, "/eu"), all(24, "/us")...),
			step: 100 * time.Millisecond})
		w.Run(10 * time.Second)
		w.until(t, 5*time.Minute, func() error { return w.agreed(w.up()) })
		dead := make(map[sim.Node]bool)
		for _, p := range w.speakers(30, "/eu") {
			n, _ := w.NodeAt(p)
			dead[n] = true
			w.Crash(n)
		}
		living := func() error {
			reps := w.speakers(30, "/eu")
			for _, p := range reps {
				if n, _ := w.NodeAt(p); dead[n] {
					return fmt.Errorf("%d speaks for /eu, and has crashed", n)
				}
			}
			return nil
		}
		w.until(t, 40*time.Second, living)
		for range 20 {
			w.Run(20 * time.Second)
			if err := living(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// speakers returns the representatives of a zone below the root, as a node sees it.
func (w *world) speakers(n sim.Node, p zone.Path) []engine.Peer {
	r, _ := w.node(n).Table(zone.Root).Get(p.Label())
	return astrolabe.Representatives(r)
}
