package corona

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/lab/stats"
)

// plotHot plots how soon subscribers have an update, and what each node sends for it.
func plotHot(run *lab.Run, s hotSizes, r map[string]*hotMeasured) {
	all, compared := lab.Count(s.Nodes), lab.Count(s.ComparedNodes)
	reach := plot.Plot{
		Name: "reach", Title: "How soon subscribers have an update of a hot channel",
		Caption: fmt.Sprintf("All nodes subscribe; 1 %% of the messages is lost. Shares of all deliveries of %d updates, or %d where routers are compared; "+
			"after the crash of %s nodes, %d.", s.Updates, s.ComparedUpdates, lab.Count(s.Crashed), s.CrashedUpdates),
		X: plot.Axis{Label: "time since the primary numbered it", Unit: "s", Log: true}, Y: plot.Axis{Label: "share of deliveries", Share: true},
	}
	messages := plot.Plot{
		Name: "messages", Title: "What nodes send for an update of a hot channel",
		Caption: "Messages that bear an update (of trees, of wedges, and from the primary itself), by node, for one update on average.",
		X:       plot.Axis{Label: "rank of the node", Log: true}, Y: plot.Axis{Label: "messages for an update", Log: true},
	}
	for _, w := range []struct{ label, name string }{
		{all + " nodes, trees", hotName}, {compared + " nodes, trees", hotByScribe}, {compared + " nodes, direct", hotByDirect},
	} {
		reach.Series = append(reach.Series, plot.CDF(w.label, stats.Thinned(r[w.name].reach)))
		messages.Series = append(messages.Series, plot.Ranked(w.label, r[w.name].messages))
	}
	reach.Series = append(reach.Series, plot.CDF(all+" nodes, trees, after a crash", stats.Thinned(r[hotCrash].reach)))
	run.Plot(reach)
	run.Plot(messages)
}
