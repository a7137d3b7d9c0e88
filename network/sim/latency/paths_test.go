package latency

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/lab/dataset"
	"tidings/network/sim"
)

// testPaths are the default ones; with -short, of a few networks.
var testPaths = sync.OnceValue(func() *Paths {
	c := DefaultPaths(1)
	if testing.Short() {
		c.Networks = 8
	}
	return NewPaths(c)
})

// The model was made to match round trips between PlanetLab nodes (Rappel, figure 5). It does match those at hand in
// their middle, and its paths are about as long as paths of networks were found to be.
func TestPathsMatchPlanetLab(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a figure of paths between many networks")
	}
	p := testPaths()
	var real, model []time.Duration
	for i, row := range dataset.PlanetLab()[0] {
		for j, d := range row {
			if i != j && d > 0 {
				real = append(real, d)
				model = append(model, p.RTT(sim.Node(i), sim.Node(j)))
			}
		}
	}
	slices.Sort(real)
	slices.Sort(model)
	for _, percent := range []int{10, 25, 50, 75, 90, 99} {
		there, here := real[len(real)*percent/100], model[len(model)*percent/100]
		t.Logf("percentile %2d of round trips: PlanetLab %6.1f ms, model %6.1f ms", percent, ms(there), ms(here))
		if ratio := ms(here) / ms(there); percent >= 50 && percent <= 90 && (ratio < .75 || ratio > 1.25) {
			t.Errorf("percentile %d: the model gives %.2f times what was measured", percent, ratio)
		}
	}
	t.Logf("%.2f links on average", p.Hops())
	if p.Hops() < 3 || p.Hops() > 4.5 {
		t.Errorf("paths have %.2f links on average", p.Hops())
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Links have the latencies of Rappel's section 6.1.1.
func TestLinksHaveThePapersLatencies(t *testing.T) {
	t.Parallel()
	g := newASGraph(3, asCount)
	var slow, middle, fast, all float64
	for _, links := range g.links {
		for _, l := range links {
			all++
			switch d := time.Duration(l.rtt) * time.Microsecond; {
			case d < 4*time.Millisecond:
				fast++
			case d < 30*time.Millisecond:
				middle++
			case d < 115*time.Millisecond:
				slow++
			}
		}
	}
	for name, share := range map[string][2]float64{"0-4 ms": {fast / all, .1}, "4-30 ms": {middle / all, .3},
		"30-115 ms": {slow / all, .6}} {
		if share[0] < share[1]-.01 || share[0] > share[1]+.01 {
			t.Errorf("%s: %.3f of the links, want %.1f", name, share[0], share[1])
		}
	}
}

// Few networks have most links: the degrees follow a power law. Bu and Towsley give its exponent
// for the complementary distribution as 1.15 to 1.2.
func TestDegreesFollowAPowerLaw(t *testing.T) {
	t.Parallel()
	g := newASGraph(1, asCount)
	atLeast := func(k int) (n float64) {
		for _, links := range g.links {
			if len(links) >= k {
				n++
			}
		}
		return n / asCount
	}
	for _, k := range []int{2, 4, 8, 16, 32, 64} {
		ratio := atLeast(k) / atLeast(2*k)
		t.Logf("with %3d links or more: %.5f of the networks, %.2f times those with twice as many", k,
			atLeast(k), ratio)
		if ratio < 1.8 || ratio > 3.2 {
			t.Errorf("from %d to %d links the networks become fewer by %.2f, want about 2^1.15", k, 2*k, ratio)
		}
	}
}

// Paths are the fewest links, and of these the least latency: a slow search over all ways
// agrees.
func TestPathsAreShortest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := newASGraph(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(glpStart, 60).Draw(t, "networks"))
		n := len(g.links)
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		paths := make([]path, n)
		g.paths(uint32(from), paths, nil)

		// Bellman and Ford, with links weighing more than any latency.
		const link = 1 << 40
		cost := make([]uint64, n)
		for i := range cost {
			cost[i] = 1 << 60
		}
		cost[from] = 0
		for range n {
			for i, links := range g.links {
				for _, l := range links {
					cost[l.to] = min(cost[l.to], cost[i]+link+uint64(l.rtt))
				}
			}
		}
		for i, p := range paths {
			if got := uint64(p.hops)*link + uint64(p.rtt); got != cost[i] {
				t.Fatalf("to %d: %+v, want %d links and %d µs", i, p, cost[i]/link, cost[i]%link)
			}
		}
	})
}

// A message's latency scatters around half of the expected round trip.
func TestPathsFluctuate(t *testing.T) {
	t.Parallel()
	p := testPaths()
	chance := rand.New(rand.NewPCG(1, 2))
	var over []float64
	for range 20000 {
		from, to := sim.Node(chance.IntN(1e6)), sim.Node(chance.IntN(1e6))
		over = append(over, ms(p.Between(chance, from, to))/ms(p.RTT(from, to)/2))
	}
	slices.Sort(over)
	if median := over[len(over)/2]; median < .99 || median > 1.01 {
		t.Errorf("the median is %.3f of the expected", median)
	}
	if low, high := over[len(over)/50], over[len(over)*49/50]; low > .95 || low < .6 || high < 1.1 || high > 2 {
		t.Errorf("2%% are below %.2f and 2%% above %.2f of the expected", low, high)
	}
}

// A message costs no memory and few nanoseconds; a million nodes cost what two do.
func TestLatenciesAllocateNothing(t *testing.T) {
	matrix := NewMatrix(1, [][]time.Duration{{0, 4e6}, {5e6, 0}})
	for name, l := range map[string]sim.Latency{
		"paths": testPaths(), "matrix": matrix, "scattered": matrix.Scatter([][]time.Duration{{0, 1e6}, {1e6, 0}}),
		"fluctuating": matrix.Fluctuate(PlanetLabSpread()), "uniform": sim.Uniform{Min: 1, Max: 10},
	} {
		chance := rand.New(rand.NewPCG(1, 1))
		if n := testing.AllocsPerRun(1000, func() { l.Between(chance, 999_999, 3) }); n != 0 {
			t.Errorf("%s: %v allocations a message", name, n)
		}
	}
}

func BenchmarkPaths(b *testing.B)  { benchmarkLatency(b, testPaths()) }
func BenchmarkMatrix(b *testing.B) { benchmarkLatency(b, NewMatrix(1, dataset.PlanetLab()[0])) }
func BenchmarkFluctuatingMatrix(b *testing.B) {
	benchmarkLatency(b, NewMatrix(1, dataset.PlanetLab()[0]).Fluctuate(PlanetLabSpread()))
}

func benchmarkLatency(b *testing.B, l sim.Latency) {
	chance := rand.New(rand.NewPCG(1, 1))
	var n sim.Node
	for b.Loop() {
		n = (n*1664525 + 1013904223) & 0xfffff
		l.Between(chance, n, n>>3)
	}
}

// Each class of round trips fluctuates by its own factors.
func TestEachClassHasItsFactors(t *testing.T) {
	t.Parallel()
	var fixed Spread
	for _, class := range []struct {
		upTo   time.Duration
		factor uint16
	}{{10e6, spreadOne}, {20e6, 2 * spreadOne}, {30e6, 3 * spreadOne}} {
		c := SpreadClass{UpTo: class.upTo}
		for i := range c.Factors {
			c.Factors[i] = class.factor
		}
		fixed = append(fixed, c)
	}
	chance := rand.New(rand.NewPCG(1, 1))
	for rtt, want := range map[time.Duration]time.Duration{10e6: 5e6, 11e6: 11e6, 20e6: 20e6, 22e6: 33e6, 40e6: 60e6} {
		m := NewMatrix(1, [][]time.Duration{{0, rtt}, {rtt, 0}}).Fluctuate(fixed)
		if got := m.Between(chance, 0, 1); got != want {
			t.Errorf("a round trip of %v is %v one way, want %v", rtt, got, want)
		}
		if m.RTT(0, 1) != rtt {
			t.Errorf("a round trip of %v is expected to last %v", rtt, m.RTT(0, 1))
		}
	}
}

// The network of a seed is the same on every machine.
func TestPathsAreAFunctionOfTheSeed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes four networks")
	}
	sum := func(seed uint64) uint64 {
		c := DefaultPaths(seed)
		c.Networks = 64
		h := fnv.New64a()
		p := NewPaths(c)
		for from := range sim.Node(200) {
			for to := range sim.Node(200) {
				fmt.Fprint(h, p.RTT(from, to))
			}
		}
		return h.Sum64()
	}
	const elsewhere = 0x31231bf8e5686861
	if got := sum(7); got != elsewhere {
		t.Errorf("seed 7 gives a network with sum %#x, elsewhere it was %#x", got, uint64(elsewhere))
	}
	if sum(8) == sum(9) {
		t.Error("two seeds give one network")
	}
}
