package experiments

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/network/pastry"
)

// plotRepair plots how leaf sets became right again.
func plotRepair(run *lab.Run, s pastrySizes, wrongLeaves plot.Series) {
	run.Plot(plot.Plot{
		Name: "repair", Title: fmt.Sprintf("Repair after 30%% of %s nodes crashed", count(s.CrashNodes)),
		Caption: "Share of the live nodes whose leaf set is not what the ring's order says, by seconds after the crashes began; all happen in the first second. One of twenty messages is lost.",
		X:       plot.Axis{Label: "time since the first crash", Unit: "s"}, Y: plot.Axis{Label: "wrong leaf sets", Unit: "share of nodes", Share: true},
		Series: []plot.Series{wrongLeaves},
		Said:   []plot.Reference{plot.Upright("two keep-alive periods", 2*pastry.Default().KeepAlive.Seconds())},
	})
}

// plotRests plots what was measured of rings at rest.
func plotRests(run *lab.Run, s pastrySizes, rests []atRest) {
	hops, known := plot.Series{Label: "here"}, plot.Series{Label: "here"}
	var theory, tables []plot.Point
	for i, n := range s.Nodes {
		x := float64(n)
		hops.Points = append(hops.Points, plot.Point{X: x, Y: rests[i].mean})
		known.Points = append(known.Points, plot.Point{X: x, Y: rests[i].known})
		theory = append(theory, plot.Point{X: x, Y: log16(n)})
		tables = append(tables, plot.Point{X: x, Y: tableSize(n)})
	}
	nodes := plot.Axis{Label: "nodes", Log: true}
	run.Plot(plot.Plot{
		Name: "hops", Title: "Mean hops of a lookup by the size of the ring",
		Caption: fmt.Sprintf("%s lookups of random keys from random nodes in each ring, at rest.", count(s.Lookups)),
		X:       nodes, Y: plot.Axis{Label: "mean hops"},
		Series: []plot.Series{hops}, Said: []plot.Reference{plot.Curve("log16 N, the paper's expectation", theory...)},
	})
	largest := s.Nodes[len(s.Nodes)-1]
	run.Plot(plot.Plot{
		Name: "distribution", Title: fmt.Sprintf("Hops of a lookup, %s nodes", count(largest)),
		Caption: fmt.Sprintf("Shares of %s lookups, at rest.", count(s.Lookups)),
		X:       plot.Axis{Label: "hops"}, Y: plot.Axis{Label: "share of lookups", Share: true},
		Series: []plot.Series{plot.Shares("here", rests[len(rests)-1].hops)},
		Said:   []plot.Reference{plot.Upright("log16 N", log16(largest))},
	})
	run.Plot(plot.Plot{
		Name: "state", Title: "How many others a node knows",
		Caption: "Mean over all nodes of leaf set and routing table together, at rest. The paper's bound counts full rows: 15⌈log16 N⌉ and the leaf set.",
		X:       nodes, Y: plot.Axis{Label: "nodes known to one"},
		Series: []plot.Series{known}, Said: []plot.Reference{plot.Curve("paper: full rows and the leaf set", tables...)},
	})
}
