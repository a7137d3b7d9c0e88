package pastry

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"tidings/lab/effort"
	"tidings/network/sim"
)

var huge = flag.Bool("huge", false, "prove a ring of 100,000 nodes too: takes minutes, and 3 GB")

// large makes worlds of many nodes affordable: messages are not encoded.
func large(c *sim.Config) { c.Wire = false }

// Every key reaches the numerically closest node, in at most ⌈log16 N⌉+1 hops and log16 N on average (Rowstron and
// Druschel 2001, section 2.3 and figure 4). In a ring of ten, where each knows all, a message needs one hop, or none if
// it starts at the right node: 1-1/N.
func TestRoutesAreRightAndShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size   int
		every  time.Duration // nodes join so often
		change []func(*sim.Config)
	}{
		{10, time.Second, nil}, {100, time.Second, nil}, {1000, 200 * time.Millisecond, nil},
		{10_000, 20 * time.Millisecond, []func(*sim.Config){large}},
		{100_000, 3 * time.Millisecond, []func(*sim.Config){large}},
	} {
		t.Run(fmt.Sprint(c.size), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.size > 100 || c.size > 1000 && !effort.All() || c.size > 10_000 && !*huge {
				t.Skip("takes long; see ./test -all and -huge")
			}
			proveRoutes(t, newRing(t, 1, c.change...), c.size, c.every)
		})
	}
}

func proveRoutes(t *testing.T, r *ring, size int, every time.Duration) {
	before := heap()
	r.grow(size, every)
	r.world.Run(time.Minute)
	bytes := (heap() - before) / int64(size)
	if wrong := r.wrongLeafSets(r.nodes); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
	wrong, hops := r.lookups(max(2000, size), r.nodes)
	if wrong > 0 {
		t.Errorf("%d lookups went wrong", wrong)
	}
	log := math.Log(float64(size)) / math.Log(16)
	known, rows := 0, 0
	for _, n := range r.nodes {
		known += len(r.pastry(n).known.list)
		rows += r.pastry(n).known.rows()
	}
	t.Logf("%d nodes: mean %.2f hops, log16 N = %.2f, most %d; %.0f peers in %.1f rows and %d bytes a node, the simulator's included",
		size, mean(hops), log, slices.Max(hops), float64(known)/float64(size), float64(rows)/float64(size), bytes)
	if most := slices.Max(hops); most > int(math.Ceil(log))+1 {
		t.Errorf("%d hops", most)
	}
	if m := mean(hops); m > max(log, 1-1/float64(size))+0.01 {
		t.Errorf("%.2f hops on average, want at most %.2f", m, log)
	}
}

// heap returns how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
