package pastry

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/sim"
	"tidings/network/sim/churn"
)

// First comes a safety phase with faults that the seed draws, a random part of them switched off in each run. Then
// comes a liveness phase without faults: after it the ring is right. A failure names its seed; to repeat it, go test
// -run TestManySeeds/SEED.
func TestManySeeds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(short(2, 12)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := trouble(t, seed)
			r.world.Heal()
			r.world.SetFaults(sim.Faults{})
			for _, n := range r.nodes {
				if !r.world.Up(n) {
					r.world.Boot(n)
				}
			}
			r.world.Run(45 * time.Second) // what was held up by the faults comes, or is given up
			r.settles(t, 5*time.Minute)
			if alive := len(r.alive()); alive != len(r.nodes) {
				t.Errorf("%d of %d are active", alive, len(r.nodes))
			}
			if err := r.atRest(); err != nil {
				t.Error(err)
			}
		})
	}
}

// trouble is a safety phase.
func trouble(t tester, seed uint64) *ring {
	r := newRing(t, seed)
	lasts := time.Duration(short(150, 500)) * time.Second
	sometimes := func() bool { return r.chance.IntN(2) == 0 }
	r.grow(10+r.chance.IntN(40), 200*time.Millisecond)
	r.world.Run(time.Minute)
	var faults sim.Faults
	if sometimes() {
		faults.Loss = r.chance.Float64() / 5
	}
	if sometimes() {
		faults.Duplicate = r.chance.Float64() / 2
	}
	if sometimes() {
		faults.Reorder, faults.ReorderBy = r.chance.Float64(), time.Second
	}
	if sometimes() {
		faults.Spike, faults.SpikeBy = r.chance.Float64()/100, 30*time.Second
	}
	r.world.SetFaults(faults)
	if sometimes() {
		churn.Exponential{Up: 5 * time.Minute, Down: time.Minute, Leaving: churn.Leaving{InOrder: 0.5},
			For: lasts - lasts/25}.Drive(r.world, r.nodes[1:])
	}
	if sometimes() {
		cut := r.world.Partition(r.nodes[:len(r.nodes)/2])
		if sometimes() {
			cut.Flap(10 * time.Second)
		}
	}
	if sometimes() {
		r.world.CutOneWay(r.nodes[:3], r.nodes[3:])
	}
	if sometimes() {
		r.world.Suspend(r.nodes[r.chance.IntN(len(r.nodes))], 5*time.Minute)
	}
	for end := r.world.Now() + lasts; r.world.Now() < end; {
		r.route(r.someone(), r.key())
		r.world.Run(5 * time.Second)
		for _, n := range r.nodes {
			if r.world.Up(n) {
				if err := broken(r.pastry(n)); err != nil {
					t.Errorf("%v", err)
				}
			}
		}
	}
	r.neverTwice()
	return r
}

// The same seed gives the same run.
func TestSameSeedSameRun(t *testing.T) {
	t.Parallel()
	one, other := trouble(t, 5), trouble(t, 5)
	if one.world.TraceHash() != other.world.TraceHash() {
		t.Error("a run differs from the one before it with the same seed")
	}
	if trouble(t, 6).world.TraceHash() == one.world.TraceHash() {
		t.Error("the trace hash tells nothing")
	}
}
