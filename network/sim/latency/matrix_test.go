package latency

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/lab/dataset"
	"tidings/network/sim"
)

// drawMatrix draws round-trip times of a few sites, some of them not measured.
func drawMatrix(t *rapid.T) [][]time.Duration {
	n := rapid.IntRange(1, 12).Draw(t, "sites")
	rtt := make([][]time.Duration, n)
	for i := range rtt {
		rtt[i] = make([]time.Duration, n)
		for j := range rtt[i] {
			if i != j {
				rtt[i][j] = time.Duration(rapid.IntRange(-1, 2000).Draw(t, "rtt")) * 100 * time.Microsecond
			}
		}
	}
	return rtt
}

// Messages have the measured latencies; missing ones are filled.
func TestMatrixIsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rtt := drawMatrix(t)
		m := NewMatrix(rapid.Uint64().Draw(t, "seed"), rtt)
		for from := range sim.Node(len(rtt)) {
			for to := range sim.Node(len(rtt)) {
				i, j := m.Site(from), m.Site(to)
				there, back := rtt[i][j], rtt[j][i]
				got := m.Between(nil, from, to)
				switch {
				case i == j:
					if got != SameSite {
						t.Fatalf("%v on the same site", got)
					}
				case there > 0 && got != there/2:
					t.Fatalf("%v where %v was measured", got, there)
				case there <= 0 && back > 0 && got != back/2:
					t.Fatalf("%v where %v was measured the other way", got, back)
				case got <= 0:
					t.Fatalf("%v where nothing was measured", got)
				}
				if m.RTT(from, to) != got+m.Between(nil, to, from) {
					t.Fatalf("a round trip of %v is not the sum of its ways", m.RTT(from, to))
				}
			}
		}
	})
}

func TestUnmeasuredPairsUseTheShortestRelay(t *testing.T) {
	t.Parallel()
	const x = dataset.Unmeasured
	m := NewMatrix(1, [][]time.Duration{
		{0, 10e6, 30e6, x},
		{10e6, 0, x, 12e6},
		{30e6, 60e6, 0, 4e6},
		{x, 12e6, 4e6, 0},
	})
	at := func(i, j int) time.Duration { return 2 * oneWay(m.cells[4*i+j]) }
	if at(0, 3) != 22e6 || at(1, 2) != 60e6 {
		t.Errorf("filled with %v and %v, want 22ms by way of 1 and 60ms from the other direction", at(0, 3), at(1, 2))
	}
}

// The first nodes have sites of their own; beyond, sites are about equally full. Where a node
// is depends on the seed and its number alone.
func TestSitesAreAssignedByChance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 50).Draw(t, "sites")
		seed := rapid.Uint64().Draw(t, "seed")
		one, other := newSites(seed, count), newSites(seed, count)
		full := make([]float64, count)
		for n := range sim.Node(200 * count) {
			site := one.of(n)
			if site != other.of(n) {
				t.Fatal("the same seed gives another site")
			}
			if full[site] > 0 && int(n) < count {
				t.Fatalf("node %d shares site %d while others are free", n, site)
			}
			full[site]++
		}
		for site, n := range full {
			if math.Abs(n-200) > 7*math.Sqrt(200) {
				t.Fatalf("site %d has %v nodes, want about 200", site, n)
			}
		}
	})
}

// The measured mean deviations come out again.
func TestMatrixScattersAsMeasured(t *testing.T) {
	t.Parallel()
	mean, mdev := dataset.WonderProxy()
	m := NewMatrix(1, mean).Scatter(mdev)
	chance := rand.New(rand.NewPCG(1, 1))
	checked := 0
	for to := sim.Node(1); to < 150; to++ {
		want, dev := ms(mean[m.Site(0)][m.Site(to)])/2, ms(mdev[m.Site(0)][m.Site(to)])/2
		if want <= 0 || dev < .01 || dev > want/2 {
			continue
		}
		checked++
		var sum, squares float64
		const draws = 20000
		for range draws {
			d := ms(m.Between(chance, 0, to))
			sum += d
			squares += d * d
		}
		got := sum / draws
		gotDev := math.Sqrt(squares/draws - got*got)
		if math.Abs(got-want) > .05*dev+.002 || gotDev < .9*dev || gotDev > 1.1*dev {
			t.Errorf("to %d: %.3f ± %.3f ms, want %.3f ± %.3f", to, got, gotDev, want, dev)
		}
	}
	if checked < 50 {
		t.Errorf("only %d pairs fluctuate", checked)
	}
}

// Factors of the fitted spread are what was drawn from.
func TestFitSpreadFindsTheFactors(t *testing.T) {
	t.Parallel()
	slices := make([][][]time.Duration, 3)
	for k, factor := range []time.Duration{90, 100, 150} {
		slices[k] = [][]time.Duration{{0, factor * 1e5, factor * 2e5}, {dataset.Unmeasured, 0, factor * 9e5},
			{-1, -1, 0}}
	}
	spread := FitSpread(slices, 3)
	for c, upTo := range []time.Duration{10e6, 20e6, 90e6} {
		f := spread[c].Factors
		if spread[c].UpTo != upTo || f[0] != 3686 || f[SpreadFactors/2] != 4096 || f[SpreadFactors-1] != 6144 {
			t.Errorf("class %d: %+v", c, spread[c])
		}
	}
}
