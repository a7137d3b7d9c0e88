package corona

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// optimal returns what is measured of channels with so many readers each, in a world of so many nodes.
func optimal(nodes int, readers ...uint32) *measured {
	w := &workload{readers: readers}
	s := sizes{Nodes: nodes, Channels: len(readers), For: time.Hour}
	f := newMeasured(w, s, 30*time.Minute)
	for i := range readers {
		w.length = append(w.length, documentLength)
		w.host = append(w.host, int32(i))
	}
	return f
}

// Pollers are as the roots of readers, as in Lite, within the shared load, and never more than there are nodes.
func TestOptimum(t *testing.T) {
	f := optimal(1000, 100, 25)
	shared := (100*900/(125*2./3) + 25*900/(125/3.)) / 125
	if got := f.optimum(f.everyChannel); math.Abs(got/shared-1) > 1e-6 {
		t.Errorf("of one load %v s, want %v s", got, shared)
	}
	if got, want := f.optimum(f.ofHost), 2*900/125.; math.Abs(got/want-1) > 1e-6 {
		t.Errorf("with a host each %v s, want %v s", got, want)
	}
	f = optimal(50, 100, 25)
	if got, want := f.optimum(f.everyChannel), 900/50.; math.Abs(got/want-1) > 1e-6 {
		t.Errorf("of 50 nodes %v s, want %v s", got, want)
	}
	f = optimal(1000, 100, 100)
	f.work.length[1] *= 4
	longer := (900/(500/3.) + 900/(500/6.)) / 2 // half as many, for four times the bytes
	if got := f.optimum(f.everyChannel); math.Abs(got/longer-1) > 1e-6 {
		t.Errorf("with a document four times as long %v s, want %v s", got, longer)
	}
}

// No other way to spend the load is better.
func TestNothingIsBelowTheOptimum(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	f := optimal(60, 3, 90, 40, 17, 8)
	best, limit := f.optimum(f.everyChannel), 0.
	for _, q := range f.work.readers {
		limit += float64(q)
	}
	for range 10_000 {
		pollers, sum := make([]float64, len(f.work.readers)), 0.
		for i := range pollers {
			pollers[i] = 1 + 59*chance.Float64()
			sum += pollers[i]
		}
		var all weighted
		for i, n := range pollers {
			all.add(900/n, float64(f.work.readers[i]))
		}
		if all.mean() < best && sum <= limit {
			t.Fatalf("%v pollers wait %v s, at the optimum %v s", pollers, all.mean(), best)
		}
	}
}
