package pastry

import (
	"testing"
	"time"

	"tidings/network/sim"
)

// Loss, duplicates, reordering and delays (hostile 30). While they last, no node gets a message twice. When they are
// over, the ring and every lookup are right.
func TestBadWeather(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		faults sim.Faults
		right  float64 // at least, of the lookups that are sent meanwhile
	}{
		{"loss 1 %", sim.Faults{Loss: 0.01}, 0.999},
		{"loss 10 %", sim.Faults{Loss: 0.1}, 0.99},
		{"loss 50 %", sim.Faults{Loss: 0.5}, 0}, // live neighbours are found dead all the time
		{"duplicates", sim.Faults{Duplicate: 0.5}, 1},
		{"reordering", sim.Faults{Reorder: 0.5, ReorderBy: time.Second}, 0.99},
		{"delays of 30 s", sim.Faults{Spike: 0.01, SpikeBy: 30 * time.Second}, 0.9},
		{"all", sim.Faults{Loss: 0.05, Duplicate: 0.05, Reorder: 0.05, ReorderBy: time.Second, Spike: 0.01,
			SpikeBy: 30 * time.Second}, 0.9},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.faults.Loss > 0.2 {
				t.Skip("takes seconds")
			}
			r := newRing(t, 1)
			r.count()
			w := newWitness(r)
			r.grow(short(24, 40), 200*time.Millisecond)
			r.world.Run(time.Minute)
			r.world.SetFaults(c.faults)
			w.lookupsFor(time.Duration(short(30, 60))*time.Second, 10)
			r.world.Run(2 * time.Minute)
			v := w.judge()
			t.Logf("%.4f right, %+v; %d leaf sets wrong, %v", v.share(), v, r.wrongLeafSets(r.alive()), r.events)
			if v.undelivered > 0 {
				t.Errorf("%d lookups were delivered nowhere", v.undelivered)
			}
			if v.share() < c.right {
				t.Errorf("%.4f of the lookups were right", v.share())
			}
			r.neverTwice()
			r.world.SetFaults(sim.Faults{})
			r.world.Run(45 * time.Second) // what was held up comes, or is given up
			r.settles(t, 5*time.Minute)
		})
	}
}

// neverTwice fails if a node was given a note twice in one life. In a further life it knows
// nothing of those before.
func (r *ring) neverTwice() {
	for note, got := range r.got {
		for i, a := range got {
			for _, b := range got[:i] {
				if a.node == b.node && a.life == b.life {
					r.t.Errorf("node %d was given note %d at %v and at %v", a.node, note, b.at, a.at)
				}
			}
		}
	}
}
