package pastry

import (
	"testing"
	"time"

	"tidings/lab/dataset"
	"tidings/network/sim"
	"tidings/network/sim/latency"
)

// A ring at rest sends next to nothing.
func TestTrafficAtRest(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(short(40, 200), 200*time.Millisecond)
	r.world.Run(5 * time.Minute)
	messages, bytes := r.traffic()
	const period = 20 * time.Minute
	r.world.Run(period)
	after, bytesAfter := r.traffic()
	each := float64(len(r.nodes)) * period.Seconds()
	rate, volume := float64(after-messages)/each, float64(bytesAfter-bytes)/each
	t.Logf("%.2f messages and %.0f bytes a node and second", rate, volume)
	if rate > 0.2 || volume > 60 {
		t.Error("too much")
	}
}

// Of the possible nodes for a slot, near ones are in it. Rows of a ring over PlanetLab's latencies are nearer than
// nodes are on average. The first rows, with the most choice, are so by far (Rowstron and Druschel 2001, section 2.5).
func TestContactsAreNear(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	latency := latency.NewMatrix(1, dataset.PlanetLab()[0])
	r := newRing(t, 1, func(c *sim.Config) { c.Latency = latency })
	r.grow(200, 200*time.Millisecond)
	r.world.Run(30 * time.Minute)
	between := func(a, b sim.Node) time.Duration {
		return latency.Between(r.chance, a, b) + latency.Between(r.chance, b, a)
	}
	var near, all, pairs, contacts time.Duration
	for _, n := range r.nodes {
		for _, p := range r.pastry(n).Contacts(0) {
			other, _ := r.world.NodeAt(p)
			near += between(n, other)
			contacts++
		}
		for _, other := range r.nodes {
			if other != n {
				all += between(n, other)
				pairs++
			}
		}
	}
	t.Logf("round trips: %v to contacts of the first row, %v to all", near/contacts, all/pairs)
	if near/contacts > all/pairs*6/10 {
		t.Error("contacts are not near")
	}
}
