package engine

import (
	"strings"
	"testing"

	"tidings/lab"
)

// The pace is judged where there is an aim, by the bare loop beside it and not by the clock.
func TestWhatIsJudgedOfThePace(t *testing.T) {
	bounds := func(n int) map[string]lab.Bounds {
		judged := make(map[string]lab.Bounds)
		for _, e := range figures(sizes{Nodes: []int{n}}).Expected() {
			if strings.HasPrefix(e.Name, "ratio") && !e.Aside {
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
		fixed, drawn := got[lab.Sized(fixedRatio, n)], got[lab.Sized(drawnRatio, n)]
		if len(got) != 2 || !fixed.Hold(ratio+0.001) || fixed.Hold(ratio-0.001) || !drawn.Hold(ratio/2+0.001) ||
			drawn.Hold(ratio/2-0.001) {
			t.Errorf("%d nodes: judged are %v", n, got)
		}
	}
}
