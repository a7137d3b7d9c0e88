package latency

import (
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/sim"
)

// everyLatency returns one of each kind of latency, by whether it is steady.
func everyLatency() (steady, changing map[string]sim.Latency) {
	ms := time.Millisecond
	matrix := NewMatrix(1, [][]time.Duration{{0, 20 * ms, 30 * ms}, {25 * ms, 0, 80 * ms}, {31 * ms, 90 * ms, 0}})
	paths := PathConfig{Seed: 1, Networks: 4}
	fluctuating := paths
	fluctuating.Spread = PlanetLabSpread()
	deviation := [][]time.Duration{{0, 9 * ms, 9 * ms}, {9 * ms, 0, 9 * ms}, {9 * ms, 9 * ms, 0}}
	return map[string]sim.Latency{
			"constant": sim.Constant(50 * ms), "matrix": matrix, "paths": NewPaths(paths),
		}, map[string]sim.Latency{
			"uniform": sim.Uniform{Min: 10 * ms, Max: 20 * ms}, "scattered matrix": matrix.Scatter(deviation),
			"fluctuating matrix": matrix.Fluctuate(PlanetLabSpread()), "fluctuating paths": NewPaths(fluctuating),
		}
}

func TestSteadyLatenciesDoNotChange(t *testing.T) {
	t.Parallel()
	steady, changing := everyLatency()
	chance := rand.New(rand.NewPCG(1, 2))
	changes := func(l sim.Latency) bool {
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

func isSteady(l sim.Latency) bool {
	s, ok := l.(sim.Steady)
	return ok && s.Steady()
}
