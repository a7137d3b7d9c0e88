package trees

import (
	"math"
	"slices"
	"testing"
	"time"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/sim"
)

// Each value of the paper has a tolerance, and each figure for which the paper's section 6 has a value is there.
func TestRappelStatesTolerances(t *testing.T) {
	t.Parallel()
	for _, scale := range lab.Scales() {
		of := make(map[string]lab.Expected)
		for _, e := range Rappel.At(scale).Expected {
			of[e.Name] = e
			if e.Paper != nil && e.Tolerance == (lab.Bounds{}) {
				t.Errorf("%s: %s has a value of the paper and no tolerance", scale, e.Name)
			}
		}
		for _, name := range []string{
			"half.latency_median_seconds", "half.latency_p95_seconds", "stretch.measured_median",
			"stretch.coordinates_median", "stretch.coordinates_p95",
			"churn.within_1s", "churn.slower_median_seconds", "churn.latency_worst_seconds", "coverage.all_feeds",
			"overlap.both.above_1_of_several",
			"coverage.alpha4.all_feeds_of_several", "fairness.noise_free_share", "control.median_bytes_per_second",
			"control.median_messages_per_second",
			"control.messages_per_feed",
		} {
			if of[name].Paper == nil {
				t.Errorf("%s: the paper's value of %s is missing", scale, name)
			}
		}
	}
}

func TestFittedFall(t *testing.T) {
	t.Parallel()
	levels := []rejoinedLevel{{height: 0, rejoins: 80, each: 8}, {height: 1, rejoins: 40, each: 4},
		{height: 3, rejoins: 10, each: 1}, {height: 4}}
	if f := fitted(levels); math.Abs(f.first-8) > 1e-9 || math.Abs(f.factor-0.5) > 1e-9 ||
		math.Abs(f.explained-1) > 1e-9 {
		t.Errorf("a fall by half from 8 is fitted as %+v", f)
	}
	levels[1].each = 8
	if f := fitted(levels); f.factor >= 1 || f.factor <= 0.5 || f.explained > 0.99 || f.explained < 0.5 {
		t.Errorf("a fall with a step in it is fitted as %+v", f)
	}
	if f := fitted(nil); f.explained != 0 {
		t.Errorf("no rejoins are fitted as %+v", f)
	}
}

func TestGreedyTree(t *testing.T) {
	t.Parallel()
	at := []time.Duration{0, 10 * time.Second, 20 * time.Second, -10 * time.Second}
	p := func(a, b sim.Node) time.Duration { return (at[a] - at[b]).Abs() }
	nodes := []sim.Node{1, 2, 3}
	if got, want := greedy(p, 0, nodes, 3), []float64{1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("with room for three ways are %v, want %v", got, want)
	}
	if got, want := greedy(p, 0, nodes, 2), []float64{1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("with room for two, of which one is on the way to the third, ways are %v, want %v", got, want)
	}
	if got, want := greedy(p, 0, nodes, 1), []float64{1, 3, 3}; !slices.Equal(got, want) {
		t.Errorf("in a chain ways are %v, want %v", got, want)
	}
}

func TestStretchByDistance(t *testing.T) {
	t.Parallel()
	var r rested
	for i := range 30 {
		r.stretches = append(r.stretches, plot.Point{X: float64(i), Y: float64(40 - i)})
	}
	if near, far := r.stretch(0), r.stretch(9); near != 39 || far != 12 {
		t.Errorf("the nearest tenth has %v, the farthest %v", near, far)
	}
	if points := r.tenths(); len(points) != 10 || points[0] != (plot.Point{X: 1, Y: 39}) ||
		points[9] != (plot.Point{X: 28, Y: 12}) {
		t.Errorf("tenths are %v", points)
	}
}

func TestSharesOfSortedValues(t *testing.T) {
	t.Parallel()
	sorted := []float64{1, 2, 2, 4}
	for x, want := range map[float64]float64{0.5: 0, 1: 0.25, 2: 0.75, 3: 0.75, 4: 1} {
		if got := stats.AtMost(sorted, x); got != want {
			t.Errorf("%v of the values are said to be at most %v, want %v", got, x, want)
		}
	}
	b := befriended{wanted: []float64{3, 9, 12, 10}, covered: []float64{1, 7, 6, 10}}
	if got := b.leastCovered(9); got != 6 {
		t.Errorf("of readers with nine feeds or more the least covered has %v", got)
	}
}
