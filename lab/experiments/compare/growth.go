package compare

import (
	"fmt"
	"slices"

	"tidings/lab"
	"tidings/lab/stats"
)

// grownBy are what worlds grow by, one while the others stay.
var grownBy = []struct {
	name  string
	sizes func(s sizes) []size
	of    func(s size) int
}{
	{"nodes", func(s sizes) []size { return vary(s, s.Grown, func(z *size, n int) { z.nodes = n }) },
		func(s size) int { return s.nodes }},
	{"topics", func(s sizes) []size { return vary(s, s.GrownTopics, func(z *size, n int) { z.topics = n }) },
		func(s size) int { return s.topics }},
	{"follows", func(s sizes) []size { return vary(s, s.GrownFollows, func(z *size, n int) { z.follows = n }) },
		func(s size) int { return s.follows }},
}

// vary returns sizes that differ in one thing from the world in the middle of the grown ones, with that world.
func vary(s sizes, to []int, set func(z *size, n int)) (all []size) {
	middle := s.size(s.Grown[len(s.Grown)/2])
	for _, n := range to {
		z := middle
		set(&z, n)
		all = append(all, z)
	}
	if !slices.Contains(all, middle) {
		all = append(all, middle)
	}
	return all
}

// grown returns all sizes, each once.
func (s sizes) grown() (all []size) {
	for _, by := range grownBy {
		for _, z := range by.sizes(s) {
			if !slices.Contains(all, z) {
				all = append(all, z)
			}
		}
	}
	return all
}

func grownKey(c *contestant, z size) string {
	return fmt.Sprintf("%s.growth.n%dt%df%d", c.name, z.nodes, z.topics, z.follows)
}

// growths are what is fitted: by what it grows, and how much of it there is.
var growths = []struct {
	name, by string
	of       func(o *outcome) float64
}{
	{"latency", "nodes", func(o *outcome) float64 { return stats.Quantile(o.delays, 0.5) }},
	{"control", "nodes", func(o *outcome) float64 { return stats.Mean(o.control) }},
	{"state", "nodes", func(o *outcome) float64 { return stats.Mean(o.state) }},
	{"messages", "nodes", func(o *outcome) float64 { return stats.Mean(o.messages) }},
	{"links", "nodes", func(o *outcome) float64 { return stats.Mean(o.links) }},
	{"entry", "nodes", func(o *outcome) float64 { return stats.Mean(o.entry) }},
	{"control", "topics", func(o *outcome) float64 { return stats.Mean(o.control) }},
	{"state", "topics", func(o *outcome) float64 { return stats.Mean(o.state) }},
	{"links", "topics", func(o *outcome) float64 { return stats.Mean(o.links) }},
	{"control", "follows", func(o *outcome) float64 { return stats.Mean(o.control) }},
	{"state", "follows", func(o *outcome) float64 { return stats.Mean(o.state) }},
	{"links", "follows", func(o *outcome) float64 { return stats.Mean(o.links) }},
}

// web is a network of the size that the web would need: everybody follows a hundred of its channels.
var web = struct {
	nodes   []int
	follows int
}{[]int{1e5, 1e6, 1e7}, 100}

// scaled are what is extrapolated to web: what each node pays.
var scaled = []struct {
	name, unit string
	of         func(o *outcome) float64
}{
	{"control_at_web", "B/s", func(o *outcome) float64 { return stats.Mean(o.control) }},
	{"messages_at_web", "1/s", func(o *outcome) float64 { return stats.Mean(o.messages) }},
	{"state_at_web", "B", func(o *outcome) float64 { return stats.Mean(o.state) }},
	{"links_at_web", "", func(o *outcome) float64 { return stats.Mean(o.links) }},
	{"latency_at_web", "s", func(o *outcome) float64 { return stats.Quantile(o.delays, 0.5) }},
}

// scaleFigures are what web would cost if it grew on as the measured worlds do, each with the interval in which it
// would then be. They say which cost becomes the first problem, and how little is known of it.
func (s sizes) scaleFigures() (f lab.Figures[results]) {
	for _, c := range s.systems() {
		for _, g := range scaled {
			for _, n := range web.nodes {
				name := fmt.Sprintf("%s.web1e%d.%s", c.name, len(fmt.Sprint(n))-1, g.name)
				predict := func(all results) (p [3]float64) {
					if fit, ok := s.fitAll(c, g.of, all); ok {
						p[0], p[1], p[2] = fit.Predict(float64(n), float64(web.follows))
					}
					return p
				}
				f.Report(name, g.unit, func(all results) float64 { return predict(all)[0] })
				f.Report(name+".low", g.unit, func(all results) float64 { return predict(all)[1] })
				f.Report(name+".high", g.unit, func(all results) float64 { return predict(all)[2] })
			}
		}
	}
	return f
}

// fitAll fits powers of nodes and follows to what was measured in all worlds of zipf05. It returns false if there are
// too few. How many topics there are is left out: what a node pays depends on those that it follows (the exponents by
// topics are none), and any small error of that exponent would be the largest part of the prediction.
func (s sizes) fitAll(c *contestant, of func(o *outcome) float64, all results) (stats.Powers, bool) {
	var points [][]float64
	var y []float64
	add := func(z size, o *outcome) {
		if o != nil {
			points = append(points, []float64{float64(z.nodes), float64(z.follows)})
			y = append(y, of(o))
		}
	}
	for _, z := range s.grown() {
		add(z, all.of[grownKey(c, z)])
	}
	add(s.size(s.Nodes), all.of[c.name+".zipf05"])
	return stats.FitPowers(points, y)
}

// growthFigures are exponents with their intervals: how what a system costs grows.
func (s sizes) growthFigures() (f lab.Figures[results]) {
	for _, c := range s.systems() {
		for _, g := range growths {
			name := c.name + ".growth." + g.name + "_by_" + g.by
			fit := func(all results) stats.Power { return s.fit(c, g.by, g.of, all) }
			f.Report(name, "", func(all results) float64 { return fit(all).Exponent })
			f.Report(name+".low", "", func(all results) float64 { return fit(all).Low })
			f.Report(name+".high", "", func(all results) float64 { return fit(all).High })
		}
	}
	return f
}

// fit fits a power of what worlds grow by to what was measured.
func (s sizes) fit(c *contestant, by string, of func(o *outcome) float64, all results) stats.Power {
	x, y := s.points(c, by, of, all)
	return stats.FitPower(x, y)
}

// points returns what worlds grow by, and what was measured of them.
func (s sizes) points(c *contestant, by string, of func(o *outcome) float64, all results) (x, y []float64) {
	for _, b := range grownBy {
		if b.name != by {
			continue
		}
		for _, z := range b.sizes(s) {
			x, y = append(x, float64(b.of(z))), append(y, of(all.of[grownKey(c, z)]))
		}
	}
	if o := all.of[c.name+".zipf05"]; o != nil && by == "nodes" { // the same with more nodes
		x, y = append(x, float64(s.Nodes)), append(y, of(o))
	}
	return x, y
}
