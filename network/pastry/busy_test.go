package pastry

import (
	"testing"
	"time"

	"tidings/network/sim"
)

// If all nodes are busy, messages are still sent once, and arrive. A node that believes busy nodes dead only adds to
// their work. Where they have too much to do, messages are lost; but none goes astray, and the ring holds.
func TestBusyNodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		each   time.Duration // the time that a node needs for a message
		right  float64       // at least, of the lookups
		astray int           // at most, of them
		resent float64       // at most, for each lookup
		gone   int           // at most: how often a live node was found dead
	}{
		{"busy", 80 * time.Millisecond, 1, 0, 0.01, 0},
		{"very busy", 100 * time.Millisecond, 1, 0, 0.01, 0},
		{"too busy", 140 * time.Millisecond, 0.6, 5, 6, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const nodes = 24
			r := newRing(t, 1)
			r.count()
			w := newWitness(r)
			r.grow(nodes, 200*time.Millisecond)
			r.world.Run(time.Minute)
			for n := range sim.Node(nodes) {
				r.world.SetSlow(n, c.each)
			}
			before := r.events["pastry.Removed"]
			w.lookupsFor(2*time.Minute, 40)
			r.world.Run(time.Minute)
			v := w.judge()
			all := v.right + v.undelivered + v.twice + v.late + v.wrong
			resent, gone := float64(r.events["pastry.Retried"])/float64(all), r.events["pastry.Removed"]-before
			t.Logf("%.4f right, %+v; %.3f sent again, %d taken for dead", v.share(), v, resent, gone)
			if v.share() < c.right || v.twice+v.wrong > c.astray || resent > c.resent || gone > c.gone {
				t.Errorf("not as expected: %+v", c)
			}
			for n := range sim.Node(nodes) {
				r.world.SetSlow(n, 0)
			}
			r.settles(t, 5*time.Minute)
		})
	}
}

// One node that is slow, or lies, does not make others wait much longer for the rest.
func TestOneSlowNodeMakesNobodyWait(t *testing.T) {
	t.Parallel()
	const nodes, slow = 24, sim.Node(5)
	r := newRing(t, 2)
	w := newWitness(r)
	r.grow(nodes, 200*time.Millisecond)
	r.world.Run(time.Minute)
	r.world.SetSlow(slow, 500*time.Millisecond)
	for range 10 {
		w.lookupsFor(30*time.Second, 40)
		for n := range sim.Node(nodes) {
			if got := r.pastry(n).Patience(); n != slow && got > lagFactor*alone {
				t.Errorf("node %d waits %v longer for everybody", n, got)
			}
		}
	}
}
