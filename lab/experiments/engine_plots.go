package experiments

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
)

// plotEngine plots paces and memory by the worlds' size.
func plotEngine(run *lab.Run, s engineSizes, all []paces) {
	by := func(label string, of func(m paces, n int) float64) plot.Series {
		series := plot.Series{Label: label}
		for i, n := range s.Nodes {
			series.Points = append(series.Points, plot.Point{X: float64(n), Y: of(all[i], n)})
		}
		return series
	}
	var aims, least []plot.Point
	for _, n := range s.Nodes {
		if a := aimOf(n); a != nil {
			aims = append(aims, plot.Point{X: float64(n), Y: a.world})
			least = append(least, plot.Point{X: float64(n), Y: a.ratio()})
		}
	}
	nodes := plot.Axis{Label: "nodes", Log: true}
	taken := fmt.Sprintf("Every node has one ping or answer under way; medians of %d rounds in which all take turns.", s.Rounds)
	run.Plot(plot.Plot{
		Name: "speed", Title: "Message events a second of processor time", OfMachine: true, Caption: taken,
		X: nodes, Y: plot.Axis{Label: "message events", Unit: "1/s"},
		Series: []plot.Series{
			by("latency by pair", func(m paces, _ int) float64 { return median(m.fixed) }),
			by("latency by message", func(m paces, _ int) float64 { return median(m.drawn) }),
			by("bare event loop, 4-ary heap", func(m paces, _ int) float64 { return median(m.loop) }),
		},
		Said: aimed("aim, on another machine", aims),
	})
	run.Plot(plot.Plot{
		Name: "ratio", Title: "Pace of the simulator in paces of a bare event loop", OfMachine: true, Caption: taken,
		X: nodes, Y: plot.Axis{Label: "ratio to a bare event loop"},
		Series: []plot.Series{
			by("latency by pair", func(m paces, _ int) float64 { return median(ratios(m.fixed, m.loop)) }),
			by("latency by message", func(m paces, _ int) float64 { return median(ratios(m.drawn, m.loop)) }),
		},
		Said: aimed("aim, latency by pair", least),
	})
	run.Plot(plot.Plot{
		Name: "memory", Title: "Memory a node, beyond the protocol's own", OfMachine: true,
		Caption: "Heap after a collection, of the world with its nodes and the messages under way, less what the protocol keeps.",
		X:       nodes, Y: plot.Axis{Label: "heap", Unit: "B/node"},
		Series: []plot.Series{by("here", paces.perNode)}, Said: []plot.Reference{plot.Level("bound: 1,000 B", 1000)},
	})
}

// aimed returns a line through the aims: level where there is one, none without any.
func aimed(label string, aims []plot.Point) []plot.Reference {
	switch len(aims) {
	case 0:
		return nil
	case 1:
		return []plot.Reference{plot.Level(fmt.Sprintf("%s, %s nodes", label, count(int(aims[0].X))), aims[0].Y)}
	}
	return []plot.Reference{plot.Curve(label, aims...)}
}
