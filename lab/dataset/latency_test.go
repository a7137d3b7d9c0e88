package dataset

import (
	"slices"
	"testing"
	"time"
)

func TestLatencyMatricesAreWhole(t *testing.T) {
	planetLab, seattle := PlanetLab(), Seattle()
	wonderProxy, deviation := WonderProxy()
	if len(planetLab) != 6 {
		t.Fatalf("%d measurements of PlanetLab, want 6", len(planetLab))
	}
	for _, want := range []struct {
		name       string
		matrix     [][]time.Duration
		nodes      int
		median     time.Duration // of what was measured
		unmeasured float64       // share of the pairs
	}{
		{"PlanetLab", planetLab[0], 294, 136 * time.Millisecond, 0},
		{"PlanetLab, the last", planetLab[5], 294, 136 * time.Millisecond, 0},
		{"WonderProxy", wonderProxy, 150, 147 * time.Millisecond, 0.005},
		{"WonderProxy's deviations", deviation, 150, time.Millisecond, 0.005},
		{"Seattle", seattle, 59, 160 * time.Millisecond, 0},
	} {
		m := want.matrix
		var measured []time.Duration
		unmeasured := 0
		for i, row := range m {
			if len(row) != len(m) || row[i] != 0 {
				t.Fatalf("%s: row %d has %d cells, %v on the diagonal", want.name, i, len(row), row[i])
			}
			for j, rtt := range row {
				switch {
				case rtt == Unmeasured:
					unmeasured++
				case i != j:
					measured = append(measured, rtt)
				}
			}
		}
		slices.Sort(measured)
		median := measured[len(measured)/2]
		if len(m) != want.nodes || (median-want.median).Abs() > 4*time.Millisecond {
			t.Errorf("%s: %d nodes, median %v; want %d, %v", want.name, len(m), median, want.nodes, want.median)
		}
		if share := float64(unmeasured) / float64(len(m)*len(m)); share < want.unmeasured-.001 ||
			share > want.unmeasured+.001 {
			t.Errorf("%s: %.4f of the pairs not measured, want %.4f", want.name, share, want.unmeasured)
		}
	}
	if got := planetLab[0][0][:3]; !slices.Equal(got,
		[]time.Duration{0, 170 * time.Microsecond, 110730 * time.Microsecond}) {
		t.Errorf("PlanetLab opens with %v", got)
	}
}
