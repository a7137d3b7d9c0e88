package trees

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/plot"
)

// plotRests plots what was measured of trees without faults.
func plotRests(run *lab.Run, s scribeSizes, rests []*atRest) {
	twice := []plot.Reference{plot.Upright("about twice, says the paper", 2)}
	delay, groups, nodes := plot.Axis{Label: "delay", Unit: "of direct"}, plot.Axis{Label: "share of groups", Share: true}, plot.Axis{Label: "share of nodes", Share: true}
	for _, p := range []struct {
		name, title, caption string
		x, y                 plot.Axis
		said                 []plot.Reference
		of                   func(w *atRest) []float64
	}{
		{"rad", "Mean delay from the root, over that of direct sends", "each value is one group's ratio of the means over its members (RAD).",
			delay, groups, twice, func(w *atRest) []float64 { return w.fromRoot.rad }},
		{"rmd", "Greatest delay from the root, over that of direct sends", "each value is one group's ratio of the maxima over its members (RMD).",
			delay, groups, twice, func(w *atRest) []float64 { return w.fromRoot.rmd }},
		{"children", "How many children nodes have", "children in all groups together, by node.",
			plot.Axis{Label: "children of a node"}, nodes, nil, func(w *atRest) []float64 { return w.entries }},
		{"tables", "In how many groups nodes have children", "by node.",
			plot.Axis{Label: "groups in which a node has children"}, nodes, nil, func(w *atRest) []float64 { return w.tables }},
	} {
		var all []plot.Series
		for i, row := range scribeRows {
			all = append(all, plot.CDF(row.words, p.of(rests[i])))
		}
		run.Plot(plot.Plot{Name: p.name, Title: p.title, Caption: groupsOf(s.Groups, s.Nodes) + "; " + p.caption, X: p.x, Y: p.y, Said: p.said, Series: all})
	}
}

func groupsOf(groups, nodes int) string {
	return fmt.Sprintf("%s groups, %s nodes", lab.Count(groups), lab.Count(nodes))
}

// plotTroubles plots how late events came, and how many came soon.
func plotTroubles(run *lab.Run, s scribeSizes, troubles []*troubled) {
	var delays, soon []plot.Series
	for _, e := range troubles {
		delays = append(delays, plot.CDF(e.words, e.outcome.delays))
		soon = append(soon, plot.Series{Label: e.words, Points: e.soon(s.TroubleFor)})
	}
	sizes := groupsOf(s.TroubleGroups, s.TroubleNodes)
	run.Plot(plot.Plot{
		Name: "late", Title: "How late events come in trouble", Series: delays,
		Caption: sizes + "; an event a second. Of all deliveries, by the time since the event was published.",
		X:       plot.Axis{Label: "delay", Unit: "s", Log: true}, Y: plot.Axis{Label: "share of deliveries", Share: true},
	})
	run.Plot(plot.Plot{
		Name: "soon", Title: "What is delivered within five seconds, in trouble", Series: soon,
		Caption: fmt.Sprintf("%s; share of what was due of the events that were published in each %v.", sizes, soonWindow(s.TroubleFor)),
		X:       plot.Axis{Label: "time since the trouble began", Unit: "s"}, Y: plot.Axis{Label: "delivered in 5 s", Share: true},
	})
}

// soonWindow is how long the parts are in which what is delivered soon is plotted.
func soonWindow(all time.Duration) time.Duration { return max(10*time.Second, all/60) }

// soon returns the shares that were delivered within five seconds, over time.
func (e *troubled) soon(all time.Duration) (points []plot.Point) {
	if len(e.events) == 0 {
		return nil
	}
	window, start := soonWindow(all), e.events[0].at
	for from := time.Duration(0); from < all; from += window {
		var part []*published
		for _, p := range e.events {
			if at := p.at - start; at >= from && at < from+window {
				part = append(part, p)
			}
		}
		if o := e.of(part); o.due > 0 {
			points = append(points, plot.Point{X: (from + window/2).Seconds(), Y: o.share(5 * time.Second)})
		}
	}
	return points
}
