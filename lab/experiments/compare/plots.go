package compare

import (
	"maps"
	"slices"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
)

// plot draws latencies, what nodes pay by how much they follow, and growth: a line for each system.
func (all results) plot(run *lab.Run, s sizes) {
	draw := wording.Plots("compare", s)
	for _, name := range []string{"zipf05", "crash30"} {
		i := slices.IndexFunc(s.rows(), func(r row) bool { return r.name == name })
		if i < 0 {
			continue
		}
		p := draw("latency-" + name)
		for _, c := range s.systems() {
			p = p.With(plot.CDF(c.title, stats.Thinned(all.of[key(c, s.rows()[i])].delays)))
		}
		run.Plot(p)
	}
	paid := draw("paid")
	for _, c := range s.systems() {
		// The world in the middle of the grown ones, in which nodes follow 1 to 19 topics.
		o := all.of[grownKey(c, s.size(s.Grown[len(s.Grown)/2]))]
		paid = paid.With(plot.Series{Label: c.title, Points: bySubscriptions(o)})
	}
	run.Plot(paid)
	for _, g := range growths {
		if g.by != "nodes" || g.name != "control" && g.name != "entry" {
			continue
		}
		p := draw("growth-" + g.name)
		for _, c := range s.systems() {
			x, y := s.points(c, g.by, g.of, all)
			p = p.With(plot.Over(c.title, x, func(i int) float64 { return y[i] }))
		}
		run.Plot(p)
	}
}

// bySubscriptions returns the mean of what nodes paid that follow about as many topics, a step of two each.
func bySubscriptions(o *outcome) (points []plot.Point) {
	const step = 2
	by := make(map[int][]float64)
	for i, bytes := range o.bytes() {
		at := int(o.subscriptions[i]) / step
		by[at] = append(by[at], bytes)
	}
	for _, at := range slices.Sorted(maps.Keys(by)) {
		points = append(points, plot.Point{X: float64(at*step) + step/2., Y: stats.Mean(by[at])})
	}
	return points
}
