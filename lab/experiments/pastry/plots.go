package pastry

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/network/pastry"
)

// plots plots how leaf sets became right again, and what was measured of rings at rest.
func plots(run *lab.Run, s sizes, r *results) {
	nodes, largest := plot.Axis{Label: "nodes", Log: true}, s.Nodes[len(s.Nodes)-1]
	byNodes := func(y func(i int) float64) []plot.Series { return []plot.Series{plot.Over("here", s.Nodes, y)} }
	theory := func(label string, y func(n int) float64) []plot.Reference {
		return []plot.Reference{plot.Curve(label, plot.Over("", s.Nodes, func(i int) float64 { return y(s.Nodes[i]) }).Points...)}
	}
	run.Plot(plot.Plot{
		Name: "hops", Title: "Mean hops of a lookup by the size of the ring",
		Caption: fmt.Sprintf("%s lookups of random keys from random nodes in each ring, at rest.", lab.Count(s.Lookups)),
		X:       nodes, Y: plot.Axis{Label: "mean hops"},
		Series: byNodes(func(i int) float64 { return r.rests[i].mean }), Said: theory("log16 N, the paper's expectation", log16),
	})
	run.Plot(plot.Plot{
		Name: "distribution", Title: fmt.Sprintf("Hops of a lookup, %s nodes", lab.Count(largest)),
		Caption: fmt.Sprintf("Shares of %s lookups, at rest.", lab.Count(s.Lookups)),
		X:       plot.Axis{Label: "hops"}, Y: plot.Axis{Label: "share of lookups", Share: true},
		Series: []plot.Series{plot.Shares("here", r.rests[len(r.rests)-1].hops)},
		Said:   []plot.Reference{plot.Upright("log16 N", log16(largest))},
	})
	run.Plot(plot.Plot{
		Name: "state", Title: "How many others a node knows",
		Caption: "Mean over all nodes of leaf set and routing table together, at rest. The paper's bound counts full rows: 15⌈log16 N⌉ and the leaf set.",
		X:       nodes, Y: plot.Axis{Label: "nodes known to one"},
		Series: byNodes(func(i int) float64 { return r.rests[i].known }), Said: theory("paper: full rows and the leaf set", tableSize),
	})
	run.Plot(plot.Plot{
		Name: "repair", Title: fmt.Sprintf("Repair after 30%% of %s nodes crashed", lab.Count(s.CrashNodes)),
		Caption: "Share of the live nodes whose leaf set is not what the ring's order says, by seconds after the crashes began; all happen in the first second. One of twenty messages is lost.",
		X:       plot.Axis{Label: "time since the first crash", Unit: "s"}, Y: plot.Axis{Label: "wrong leaf sets", Unit: "share of nodes", Share: true},
		Series: []plot.Series{{Label: "here", Points: r.repair.wrongLeaves}},
		Said:   []plot.Reference{plot.Upright("two keep-alive periods", 2*pastry.Default().KeepAlive.Seconds())},
	})
}
