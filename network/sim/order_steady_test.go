package sim

import (
	"math/rand/v2"
	"testing"
	"time"
)

// everyLatency returns one of each kind of latency, by whether it is steady.
func everyLatency() (steady, changing map[string]Latency) {
	ms := time.Millisecond
	matrix := NewMatrix(1, [][]time.Duration{{0, 20 * ms, 30 * ms}, {25 * ms, 0, 80 * ms}, {31 * ms, 90 * ms, 0}})
	paths := PathConfig{Seed: 1, Networks: 4}
	fluctuating := paths
	fluctuating.Spread = PlanetLabSpread()
	deviation := [][]time.Duration{{0, 9 * ms, 9 * ms}, {9 * ms, 0, 9 * ms}, {9 * ms, 9 * ms, 0}}
	return map[string]Latency{
			"constant": Constant(50 * ms), "matrix": matrix, "paths": NewPaths(paths),
		}, map[string]Latency{
			"uniform": Uniform{10 * ms, 20 * ms}, "scattered matrix": matrix.Scatter(deviation),
			"fluctuating matrix": matrix.Fluctuate(PlanetLabSpread()), "fluctuating paths": NewPaths(fluctuating),
		}
}

func TestSteadyLatenciesDoNotChange(t *testing.T) {
	t.Parallel()
	steady, changing := everyLatency()
	chance := rand.New(rand.NewPCG(1, 2))
	changes := func(l Latency) bool {
		first := l.Between(chance, 0, 1)
		for range 1000 {
			if l.Between(chance, 0, 1) != first {
				return true
			}
		}
		return false
	}
	for name, l := range steady {
		if !isSteady(l) || changes(l) {
			t.Errorf("%s: is steady: %t, changes: %t", name, isSteady(l), changes(l))
		}
	}
	for name, l := range changing {
		if isSteady(l) || !changes(l) {
			t.Errorf("%s: is steady: %t, changes: %t", name, isSteady(l), changes(l))
		}
	}
}

// Where no message can overtake another, a world that does not watch over that runs the same.
func TestSteadyWorldsRunTheSame(t *testing.T) {
	t.Parallel()
	steady, _ := everyLatency()
	for name, l := range steady {
		run := func(l Latency) uint64 {
			w := newRally(20, l, false)
			w.After(time.Second, func() { w.SetFaults(Faults{Spike: 0.1, SpikeBy: time.Second}) })
			w.After(3*time.Second, func() { w.SetFaults(Faults{}) })
			w.Run(6 * time.Second)
			return w.TraceHash()
		}
		if run(l) != run(struct{ Latency }{l}) {
			t.Errorf("%s: the trace hash depends on whether the latency says that it is steady", name)
		}
	}
}
