package feedtree

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/lab/stats"
)

// plots plots what publishers and origins send, and how soon readers have an item.
func plots(run *lab.Run, s sizes, r *results) {
	delays := plot.Plot{
		Name: "delays", Title: "How soon readers have an item",
		Caption: fmt.Sprintf("Shares of all readers and items, %d items of each of %d feeds, by the number of nodes, each of which follows all feeds.", s.Items, len(r.feeds)),
		X:       plot.Axis{Label: "time since it was published", Unit: "s"}, Y: plot.Axis{Label: "share of deliveries", Share: true},
	}
	for i, n := range s.Nodes[:min(len(s.Nodes), plot.MaxSeries)] {
		delays.Series = append(delays.Series, plot.CDF(lab.Count(n)+" nodes", stats.Thinned(r.pushed[i].delays)))
	}
	run.Plot(plot.Plot{
		Name: "costs", Title: "Bytes sent in a day by four publishers, or by four origins",
		Caption: "Four recorded feeds. Pushing: as measured for an item and at rest, times the items a day. Polling: every 30 minutes with conditional requests, nothing compressed.",
		X:       plot.Axis{Label: "readers of each feed", Log: true}, Y: plot.Axis{Label: "sent in a day", Unit: "B", Log: true},
		Series: []plot.Series{
			plot.Over("publishers that push", s.Nodes, func(i int) float64 { return r.pushed[i].day }),
			plot.Over("origins that are polled", s.Nodes, func(i int) float64 { return pollingDay(r.feeds) * float64(s.Nodes[i]) }),
		},
	})
	run.Plot(delays)
}
