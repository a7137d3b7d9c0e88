package engine

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
)

// plots plots paces and memory by the worlds' size.
func plots(run *lab.Run, s sizes, all map[int]paces) {
	by := func(label string, of func(m paces) float64) plot.Series {
		return plot.Over(label, s.Nodes, func(i int) float64 { return of(all[s.Nodes[i]]) })
	}
	var aims, least []plot.Point
	for _, n := range s.Nodes {
		if a := aimOf(n); a != nil {
			aims, least = append(aims, plot.Point{X: float64(n), Y: a.world}), append(least, plot.Point{X: float64(n), Y: a.ratio()})
		}
	}
	nodes := plot.Axis{Label: "nodes", Log: true}
	taken := fmt.Sprintf("Every node has one ping or answer under way; medians of %d rounds in which all take turns.", s.Rounds)
	run.Plot(plot.Plot{
		Name: "speed", Title: "Message events a second of processor time", OfMachine: true, Caption: taken,
		X: nodes, Y: plot.Axis{Label: "message events", Unit: "1/s"}, Said: aimed("aim, on another machine", aims),
		Series: []plot.Series{by("latency by pair", paces.ofFixed), by("latency by message", paces.ofDrawn), by("bare event loop, 4-ary heap", paces.ofLoop)},
	})
	run.Plot(plot.Plot{
		Name: "ratio", Title: "Pace of the simulator in paces of a bare event loop", OfMachine: true, Caption: taken,
		X: nodes, Y: plot.Axis{Label: "ratio to a bare event loop"}, Said: aimed("aim, latency by pair", least),
		Series: []plot.Series{by("latency by pair", paces.fixedRatio), by("latency by message", paces.drawnRatio)},
	})
	run.Plot(plot.Plot{
		Name: "memory", Title: "Memory a node, beyond the protocol's own", OfMachine: true,
		Caption: "Heap after a collection, of the world with its nodes and the messages under way, less what the protocol keeps.",
		X:       nodes, Y: plot.Axis{Label: "heap", Unit: "B/node"}, Said: []plot.Reference{plot.Level("bound: 1,000 B", 1000)},
		Series: []plot.Series{plot.Over("here", s.Nodes, func(i int) float64 { return all[s.Nodes[i]].perNode(s.Nodes[i]) })},
	})
}

// aimed returns a line through the aims: level where there is one, none without any.
func aimed(label string, aims []plot.Point) []plot.Reference {
	switch len(aims) {
	case 0:
		return nil
	case 1:
		return []plot.Reference{plot.Level(fmt.Sprintf("%s, %s nodes", label, lab.Count(int(aims[0].X))), aims[0].Y)}
	}
	return []plot.Reference{plot.Curve(label, aims...)}
}
