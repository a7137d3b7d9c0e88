package experiments

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/network/astrolabe"
)

// plotAstrolabe draws in how many rounds all nodes know, by their number, and, in the largest network, how many know by when.
func plotAstrolabe(run *lab.Run, s astrolabeSizes, of func(size, way int) []float64) {
	bySize := plot.Plot{
		Name: "rounds", Title: "Rounds until all nodes know what one of them says",
		Caption: "Networks at rest, zones of 32 members in tables of at most 64 rows. A round is 10 s.",
		X:       plot.Axis{Label: "nodes", Log: true}, Y: plot.Axis{Label: "until all know", Unit: "rounds"},
	}
	last := len(s.Frozen) - 1
	byTime := plot.Plot{
		Name: "known", Title: "Who knows by when what one node says", Caption: fmt.Sprintf("%s nodes.", count(s.Frozen[last])),
		X: plot.Axis{Label: "after it is said", Unit: "s", Log: true}, Y: plot.Axis{Label: "of the nodes", Unit: "%"},
	}
	for k, way := range astrolabeWays {
		sizes, times := plot.Series{Label: way.label}, plot.Series{Label: way.label}
		for i, n := range s.Frozen {
			rounds := quantile(of(i, k), 1) / astrolabe.Default().Interval.Seconds()
			sizes.Points = append(sizes.Points, plot.Point{X: float64(n), Y: rounds})
		}
		for q := range 200 {
			times.Points = append(times.Points, plot.Point{X: quantile(of(last, k), float64(q)/199), Y: float64(q) / 1.99})
		}
		bySize.Series, byTime.Series = append(bySize.Series, sizes), append(byTime.Series, times)
	}
	run.Plot(bySize)
	run.Plot(byTime)
}
