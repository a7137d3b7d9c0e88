package trees

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/sim"
)

// rested is what was measured of a feed with many readers at rest (figures 8a and 11a).
type rested struct {
	last      delivery     // of the last ten updates
	stretches []plot.Point // of the last update, in coordinates, by the distance from the publisher in seconds
	levels    []rejoinedLevel
	deepest   int
}

// rejoinedLevel is the nodes of one height in a tree, and the periodic rejoins that they are sent.
type rejoinedLevel struct {
	height, nodes int
	rejoins       int     // that were sent to them
	each          float64 // sent to one of them in ten minutes, on average: as often as a node rejoins
}

func (r *rested) run(w *feedsWorld, s rappelSizes) {
	w.run.Stage("at rest", 1)
	w.open(w.all(), s.LargeFor/6)
	w.every(0, time.Minute, time.Minute/2, s.LargeFor)
	// At first nodes look for better places far oftener than periodically.
	settling := s.LargeFor / 3
	w.run.AdvancePart(w.World, settling, 0, 2)
	clear(w.rejoins)
	w.run.AdvancePart(w.World, s.LargeFor-settling, 1, 2)
	r.levels = w.rejoined(s.LargeFor - settling)
	r.deepest = r.levels[len(r.levels)-1].height
	w.run.Pass(w.World, lateAtMostPull+time.Second)
	last := w.notes[len(w.notes)-1]
	r.last = w.outcome(w.notes[max(len(w.notes)-10, 0):], nil)
	r.last.twice, r.last.noise = w.twice, w.noises()
	for i, n := range w.readers[0] {
		if seat := last.seats[i]; seat.due && seat.came > 0 {
			direct := w.Distance(0, n)
			r.stretches = append(r.stretches,
				plot.Point{X: direct.Seconds(), Y: stats.Share(seat.path.Seconds(), direct.Seconds())})
		}
	}
	slices.SortStableFunc(r.stretches, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
}

// rejoined returns the levels of the first feed's tree that have nodes, from the root down, with the rejoins of a time.
func (w *feedsWorld) rejoined(length time.Duration) (levels []rejoinedLevel) {
	for n := range sim.Node(w.Len()) {
		v, in := w.at(n).Tree(w.topics[0])
		if !in {
			continue
		}
		for len(levels) <= v.Height {
			levels = append(levels, rejoinedLevel{height: len(levels)})
		}
		levels[v.Height].nodes++
		levels[v.Height].rejoins += w.rejoins[n]
	}
	levels = slices.DeleteFunc(levels, func(l rejoinedLevel) bool { return l.nodes == 0 })
	for i := range levels {
		l := &levels[i]
		l.each = float64(l.rejoins) / float64(l.nodes) * float64(w.config.Rejoin) / float64(length)
	}
	return levels
}

// tenth returns the i-th tenth of the readers, by their distance from the publisher, nearest first, and their median
// stretch.
func (r *rested) tenth(i int) (some []plot.Point, median float64) {
	n := len(r.stretches)
	some = r.stretches[i*n/10 : (i+1)*n/10]
	var all []float64
	for _, at := range some {
		all = append(all, at.Y)
	}
	return some, stats.QuantileOf(all, 0.5)
}

func (r *rested) stretch(tenth int) float64 {
	_, median := r.tenth(tenth)
	return median
}

// rejoins returns how many rejoins a node is sent, by its height.
func (r *rested) rejoins() (points []plot.Point) {
	for _, l := range r.levels {
		points = append(points, plot.Point{X: float64(l.height), Y: l.each})
	}
	return points
}

// topRejoins returns how many rejoins a node of the heights 0 and 1 is sent, on average.
func (r *rested) topRejoins() float64 {
	all, nodes := 0.0, 0
	for _, l := range r.levels {
		if l.height <= 1 {
			all, nodes = all+l.each*float64(l.nodes), nodes+l.nodes
		}
	}
	return stats.Share(all, float64(nodes))
}

// tenths returns the median stretch of each tenth of the readers, at the distance of its middle.
func (r *rested) tenths() (points []plot.Point) {
	for i := range 10 {
		if some, median := r.tenth(i); len(some) > 0 {
			points = append(points, plot.Point{X: some[len(some)/2].X, Y: median})
		}
	}
	return points
}

// fall returns the exponential fall that fits rejoins best, over the heights at which there were any.
func (r *rested) fall(readers string) plot.Reference {
	f := fitted(r.levels)
	line := plot.Reference{Label: fmt.Sprintf("%s: times %.2f a height", readers, f.factor)}
	for _, l := range r.levels {
		if l.rejoins > 0 {
			line.Points = append(line.Points,
				plot.Point{X: float64(l.height), Y: f.first * math.Pow(f.factor, float64(l.height))})
		}
	}
	return line
}

// exponential is a fall from a height to the next by a factor.
type exponential struct {
	first     float64 // at height 0
	factor    float64
	explained float64 // which share of the differences between heights it explains (R²)
}

// fitted returns the exponential fall that fits the rejoins of levels best. It uses least squares of logarithms, in
// which each height counts by how many rejoins were seen there.
func fitted(levels []rejoinedLevel) exponential {
	var weights, mx, my float64
	each := func(f func(weight, x, y float64)) {
		for _, l := range levels {
			if l.rejoins > 0 {
				f(float64(l.rejoins), float64(l.height), math.Log(l.each))
			}
		}
	}
	each(func(weight, x, y float64) { weights, mx, my = weights+weight, mx+weight*x, my+weight*y })
	mx, my = stats.Share(mx, weights), stats.Share(my, weights)
	var vx, vy, both float64
	each(func(weight, x, y float64) {
		vx, vy, both = vx+weight*(x-mx)*(x-mx), vy+weight*(y-my)*(y-my), both+weight*(x-mx)*(y-my)
	})
	rate := stats.Share(both, vx)
	return exponential{first: math.Exp(my - rate*mx), factor: math.Exp(rate), explained: stats.Share(both*both, vx*vy)}
}
