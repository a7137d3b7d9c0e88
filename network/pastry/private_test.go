package pastry

import (
	"testing"
	"time"

	"tidings/network/sim"
)

// homes has a ring of which most nodes are private, in a world in which connections last.
func homes(c *sim.Config) { c.Connections, c.Idle = true, time.Hour }

func TestPrivateProbe(t *testing.T) {
	for _, private := range []float64{0.000001, 0.7} {
		r := newRing(t, 1, homes)
		r.private = private
		r.count()
		r.grow(100, 2*time.Second)
		r.world.Run(2 * time.Minute)
		t.Logf("private %v active %d wrong leaf sets %d events %v", private, len(r.alive()), r.wrongLeafSets(r.nodes), r.events)
		m0, b0 := r.traffic()
		wrong, hops := r.lookups(1000, r.nodes)
		m1, b1 := r.traffic()
		t.Logf("wrong %d, hops %v; msgs %d bytes %d; %v", wrong, mean(hops), m1-m0, b1-b0, r.events)
		for k, c := range r.world.Counters().Kinds {
			t.Log(codec.Name(k), c.Sent, c.Bytes, c.Dropped)
		}
	}
}
