package pastry

import (
	"testing"
	"time"

	"tidings/lab/effort"
	"tidings/network/sim"
)

// Many nodes crash within one second, under 5 % loss. If 30 % have crashed, every leaf set and every lookup is right
// again two keep-alive periods later. If half of them have, it is three (hostile 32).
func TestCrashOfManyIsRepaired(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		size    int
		share   int // of 100
		periods time.Duration
	}{
		{"30 % of 200", 200, 30, 2}, {"50 % of 200", 200, 50, 3},
		{"30 % of 2000", 2000, 30, 2}, {"30 % of 10000", 10000, 30, 2}, {"50 % of 2000", 2000, 50, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.size > 200 || c.size > 2000 && !effort.All() {
				t.Skip("takes seconds")
			}
			r := newRing(t, 1, large)
			if testing.Short() {
				c.size /= 2
			}
			r.grow(c.size, 50*time.Millisecond)
			r.world.Run(time.Minute)
			r.world.SetFaults(sim.Faults{Loss: 0.05})
			for _, n := range r.nodes {
				if r.chance.IntN(100) < c.share {
					r.world.After(time.Duration(r.chance.Int64N(int64(time.Second))), func() { r.world.Crash(n) })
				}
			}
			before, _ := r.traffic()
			r.world.Run(time.Second)
			crashed := r.world.Now()
			for r.wrongLeafSets(r.alive()) > 0 && r.world.Now() < crashed+c.periods*r.config.KeepAlive {
				r.world.Run(time.Second)
			}
			after, _ := r.traffic()
			t.Logf("%d of %d leaf sets are wrong after %v; %.0f messages a node meanwhile", r.wrongLeafSets(r.alive()),
				len(r.alive()), r.world.Now()-crashed, float64(after-before)/float64(len(r.alive())))
			if wrong := r.wrongLeafSets(r.alive()); wrong > 0 {
				t.Errorf("%d leaf sets are wrong", wrong)
			}
			if wrong, _ := r.lookups(short(500, 2000), r.alive()); wrong > 0 {
				t.Errorf("%d lookups went wrong", wrong)
			}
		})
	}
}
