package newswire

import (
	"fmt"
	"slices"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/astrolabe"
)

// plotAstrolabe draws in how many rounds all nodes know, by their number, and, in the largest network, how many know by when.
func plotAstrolabe(run *lab.Run, s astrolabeSizes, r *astrolabeResults) {
	largest := s.Frozen[len(s.Frozen)-1]
	bySize := plot.Plot{
		Name: "rounds", Title: "Rounds until all nodes know what one of them says",
		Caption: "Networks at rest, zones of 32 members in tables of at most 64 rows. A round is 10 s.",
		X:       plot.Axis{Label: "nodes", Log: true}, Y: plot.Axis{Label: "until all know", Unit: "rounds"},
	}
	byTime := plot.Plot{
		Name: "known", Title: "Who knows by when what one node says", Caption: fmt.Sprintf("%s nodes.", lab.Count(largest)),
		X: plot.Axis{Label: "after it is said", Unit: "s", Log: true}, Y: plot.Axis{Label: "of the nodes", Unit: "%"},
	}
	for _, way := range astrolabeWays {
		bySize.Series = append(bySize.Series, plot.Over(way.label, s.Frozen, func(i int) float64 {
			return stats.Quantile(*r.frozen[astrolabeKey(way.name, s.Frozen[i])], 1) / astrolabe.Default().Interval.Seconds()
		}))
		byTime.Series = append(byTime.Series, percentiles(way.label, *r.frozen[astrolabeKey(way.name, largest)]))
	}
	run.Plot(bySize)
	run.Plot(byTime)
}

// percentiles returns how many percent of ascending values are not above which.
func percentiles(label string, sorted []float64) plot.Series {
	at := make([]float64, 200)
	for q := range at {
		at[q] = stats.Quantile(sorted, float64(q)/199)
	}
	return plot.Over(label, at, func(q int) float64 { return float64(q) / 1.99 })
}

// plotReach draws how soon items come to all, by the size of the network, and, in the largest, to how many by when.
func plotReach(run *lab.Run, s newswireSizes, r *newswireResults) {
	bySize := plot.Plot{
		Name: "reach", Title: "How soon subscribers have an item, with 1 % loss and a tenth of the representatives failing",
		Caption: "Nodes at PlanetLab's sites; five items on popular topics, published as the representatives fail.",
		X:       plot.Axis{Label: "nodes", Log: true}, Y: plot.Axis{Label: "after publishing", Unit: "s", Log: true},
	}
	for _, line := range []struct {
		label string
		q     float64
	}{{"half of the subscribers", 0.5}, {"99 %", 0.99}, {"99.9 %", 0.999}, {"all", 1}} {
		bySize.Series = append(bySize.Series, plot.Over(line.label, s.Nodes, func(i int) float64 { return stats.Quantile(r.reach(s.Nodes[i]).seconds, line.q) }))
	}
	run.Plot(bySize)
	largest := slices.Max(s.Nodes)
	byTime := plot.Plot{
		Name: "spread", Title: "Who has an item by when", Caption: fmt.Sprintf("%s nodes.", lab.Count(largest)),
		X: plot.Axis{Label: "after publishing", Unit: "s", Log: true}, Y: plot.Axis{Label: "of the subscribers", Unit: "%"},
	}
	for _, t := range s.troubles(largest) {
		label := fmt.Sprintf("%g %% loss, %g %% of the representatives fail", 100*t.loss, 100*t.failed)
		byTime.Series = append(byTime.Series, percentiles(label, r.reached[newswireKey(t.name, largest)].seconds))
	}
	run.Plot(byTime)
}
