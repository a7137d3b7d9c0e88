package newswire

import (
	"fmt"
	"slices"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/astrolabe"
)

// plotAstrolabe draws in how many rounds all nodes know, by their number, and, in the largest network, how many know by when.
func plotAstrolabe(run *lab.Run, s astrolabeSizes, r *astrolabeResults) {
	draw, largest := wording.Plots("astrolabe", s), s.Frozen[len(s.Frozen)-1]
	rounds, known := draw("rounds"), draw("known", lab.Count(largest))
	for _, way := range astrolabeWays {
		rounds = rounds.With(plot.Over(way.label, s.Frozen, func(i int) float64 {
			return stats.Quantile(*r.frozen[lab.NodesKey(way.name, s.Frozen[i])], 1) / astrolabe.Default().Interval.Seconds()
		}))
		known = known.With(percentiles(way.label, *r.frozen[lab.NodesKey(way.name, largest)]))
	}
	run.Plot(rounds)
	run.Plot(known)
}

// percentiles returns how many percent of ascending values are not above which.
func percentiles(label string, sorted []float64) plot.Series {
	at := make([]float64, 200)
	for q := range at {
		at[q] = stats.Quantile(sorted, float64(q)/199)
	}
	return plot.Over(label, at, func(q int) float64 { return float64(q) / 1.99 })
}

// plotNewswire draws what filters claim in vain, how soon items come to all, by the size of the network, and, in the largest, to how many by when.
func plotNewswire(run *lab.Run, s newswireSizes, r *newswireResults) {
	draw, largest := wording.Plots("newswire", s), slices.Max(s.Nodes)
	run.Plot(draw("filter").With(r.filterLines()...))
	reach := draw("reach")
	for _, line := range []struct {
		label string
		q     float64
	}{{"half of the subscribers", 0.5}, {"99 %", 0.99}, {"99.9 %", 0.999}, {"all", 1}} {
		reach = reach.With(plot.Over(line.label, s.Nodes, func(i int) float64 { return stats.Quantile(r.reach(s.Nodes[i]).seconds, line.q) }))
	}
	run.Plot(reach)
	spread := draw("spread", lab.Count(largest))
	for _, t := range s.troubles(largest) {
		label := fmt.Sprintf("%g %% loss, %g %% of the representatives fail", 100*t.loss, 100*t.failed)
		spread = spread.With(percentiles(label, r.reached[lab.NodesKey(t.name, largest)].seconds))
	}
	run.Plot(spread)
}
