package experiments

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
)

// plotFeedtree plots what publishers and origins send, and how soon readers have an item.
func plotFeedtree(run *lab.Run, s feedtreeSizes, pushed []pushing, feeds []recorded) {
	pushes, polls := plot.Series{Label: "publishers that push"}, plot.Series{Label: "origins that are polled"}
	delays := plot.Plot{
		Name: "delays", Title: "How soon readers have an item",
		Caption: fmt.Sprintf("Shares of all readers and items, %d items of each of %d feeds, by the number of nodes, each of which follows all feeds.", s.Items, len(feeds)),
		X:       plot.Axis{Label: "time since it was published", Unit: "s"}, Y: plot.Axis{Label: "share of deliveries", Share: true},
	}
	for i, n := range s.Nodes {
		x := float64(n)
		pushes.Points = append(pushes.Points, plot.Point{X: x, Y: pushed[i].day})
		polls.Points = append(polls.Points, plot.Point{X: x, Y: pollingDay(feeds) * x})
		if len(delays.Series) < plot.MaxSeries {
			delays.Series = append(delays.Series, plot.CDF(count(n)+" nodes", thinned(pushed[i].delays)))
		}
	}
	costs := plot.Plot{
		Name: "costs", Title: "Bytes sent in a day by four publishers, or by four origins",
		Caption: "Four recorded feeds. Pushing: as measured for an item and at rest, times the items a day. Polling: every 30 minutes with conditional requests, nothing compressed.",
		X:       plot.Axis{Label: "readers of each feed", Log: true}, Y: plot.Axis{Label: "sent in a day", Unit: "B", Log: true},
		Series: []plot.Series{pushes, polls},
	}
	run.Plot(costs)
	run.Plot(delays)
}

// maxDelays is how many delays a plot is made of.
const maxDelays = 2000

// thinned returns some of sorted values, evenly.
func thinned(sorted []float64) []float64 {
	if len(sorted) <= maxDelays {
		return sorted
	}
	some := make([]float64, maxDelays)
	for i := range some {
		some[i] = sorted[i*(len(sorted)-1)/(maxDelays-1)]
	}
	return some
}
