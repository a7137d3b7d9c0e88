package experiments

import (
	"slices"
	"testing"

	"tidings/lab"
)

// The pace is judged where there is an aim, by the bare loop beside it and not by the clock.
func TestWhatIsJudgedOfThePace(t *testing.T) {
	bounds := func(n int) map[string]lab.Bounds {
		judged := make(map[string]lab.Bounds)
		for _, e := range expectPace(n) {
			if !e.Aside {
				judged[e.Name] = e.Within
			}
		}
		return judged
	}
	if got := bounds(10_000); len(got) > 0 {
		t.Errorf("judged without an aim: %v", got)
	}
	for n, ratio := range map[int]float64{100_000: 4 / 5.1, 1_000_000: 2 / 1.8} {
		got := bounds(n)
		fixed, drawn := got[sized(fixedRatio, n)], got[sized(drawnRatio, n)]
		if len(got) != 2 || !fixed.Hold(ratio+0.001) || fixed.Hold(ratio-0.001) || !drawn.Hold(ratio/2+0.001) || drawn.Hold(ratio/2-0.001) {
			t.Errorf("%d nodes: judged are %v", n, got)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{9, 1}, 5}, {[]float64{3, 100, 1}, 3}, {[]float64{4, 1, 3, 100}, 3.5}} {
		before := slices.Clone(c.values)
		if got := median(c.values); got != c.want || !slices.Equal(c.values, before) {
			t.Errorf("of %v: %v, want %v", before, got, c.want)
		}
	}
}
