// Package engine measures the simulator itself.
package engine

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
)

// Experiment measures the simulator itself.
var Experiment = wording.Of("engine", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Run:    measure,
})

type sizes struct {
	Nodes  []int `json:"nodes"`  // of one world after the other
	Rounds int   `json:"rounds"` // in which the loop and the worlds alternate
	Events int   `json:"events"` // of each of them in a round, about
}

// perRound returns the virtual time in which a world of n nodes has the events of a round.
func (s sizes) perRound(n int) time.Duration {
	return meanLatency * time.Duration(s.Events) / time.Duration(n)
}

// aim is what a world should do on the machine that the aim was written for, and the rate of a bare event loop there,
// in events a second.
type aim struct{ world, loop float64 }

func (a aim) ratio() float64 { return a.world / a.loop }

// aimOf returns the aim for n nodes; nil: there is none.
func aimOf(n int) *aim {
	switch {
	case n >= 1_000_000:
		return &aim{world: 2e6, loop: 1.8e6}
	case n >= 100_000:
		return &aim{world: 4e6, loop: 5.1e6}
	}
	return nil
}

// The ratios to a bare event loop, which alone are judged of the speed.
const (
	fixedRatio = "ratio to a bare event loop, latency by pair"
	drawnRatio = "ratio to a bare event loop, latency by message"
)

func figures(s sizes) (f lab.Figures[map[int]paces]) {
	for _, n := range s.Nodes {
		machine := func(name, unit string, of func(m paces) float64) *lab.Measured[map[int]paces] {
			m := f.Report(lab.Sized(name, n), unit, func(r map[int]paces) float64 { return of(r[n]) })
			m.OfMachine = true
			return m
		}
		loop := machine("message events a second, bare event loop", "1/s", paces.ofLoop)
		fixed := machine("message events a second, latency by pair", "1/s", paces.ofFixed)
		machine("message events a second, latency by message", "1/s", paces.ofDrawn)
		byFixed, byDrawn := machine(fixedRatio, "", paces.fixedRatio), machine(drawnRatio, "", paces.drawnRatio)
		if a := aimOf(n); a != nil {
			loop.Says(a.loop)
			fixed.Says(a.world)
			byFixed.Says(a.ratio()).Bound(lab.AtLeast(a.ratio()))
			byDrawn.Bound(lab.AtLeast(a.ratio() / 2))
		}
		machine("memory a node beyond the protocol's", "B",
			func(m paces) float64 { return m.perNode(n) }).Bound(lab.AtMost(1000))
		machine("memory of the world", "B", func(m paces) float64 { return m.bytes }).Bound(lab.AtMost(8 << 30))
		f.Promise(lab.Sized("messages under way at the end", n), "messages", lab.Exactly(float64(n)),
			func(r map[int]paces) float64 { return r[n].underWay })
	}
	return f
}

func measure(run *lab.Run, s sizes) error {
	total := 0
	for _, n := range s.Nodes {
		total += n
	}
	all := make(map[int]paces)
	for _, n := range s.Nodes {
		run.Stage(lab.Count(n)+" nodes", float64(n)/float64(total))
		all[n] = newRace(run, s, n).measure(s.Rounds)
	}
	figures(s).Give(run, all)
	plots(run, s, all)
	return nil
}

func plots(run *lab.Run, s sizes, all map[int]paces) {
	by := func(label string, of func(m paces) float64) plot.Series {
		return plot.Over(label, s.Nodes, func(i int) float64 { return of(all[s.Nodes[i]]) })
	}
	var aims, least []plot.Point
	for _, n := range s.Nodes {
		if a := aimOf(n); a != nil {
			aims, least = append(aims, plot.Point{X: float64(n), Y: a.world}),
				append(least, plot.Point{X: float64(n), Y: a.ratio()})
		}
	}
	draw := wording.Plots("engine", s)
	run.Plot(draw("speed").
		With(by("latency by pair", paces.ofFixed), by("latency by message", paces.ofDrawn),
			by("bare event loop, 4-ary heap", paces.ofLoop)).
		Beside(aimed("aim, on another machine", aims)...))
	run.Plot(draw("ratio").
		With(by("latency by pair", paces.fixedRatio), by("latency by message", paces.drawnRatio)).
		Beside(aimed("aim, latency by pair", least)...))
	run.Plot(draw("memory").With(plot.Over("here", s.Nodes,
		func(i int) float64 { return all[s.Nodes[i]].perNode(s.Nodes[i]) })))
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
