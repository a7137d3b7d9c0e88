package experiments

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/plot"
)

// plotWoods plots what was measured of trees without faults.
func plotWoods(run *lab.Run, s scribeSizes, rests []woods) {
	of := func(values func(w woods) plot.Series) (all []plot.Series) {
		for i, row := range scribeRows {
			series := values(rests[i])
			series.Label = row.words
			all = append(all, series)
		}
		return all
	}
	sizes := groupsOf(s.Groups, s.Nodes)
	groups := plot.Axis{Label: "share of groups", Share: true}
	twice := []plot.Reference{plot.Upright("about twice, says the paper", 2)}
	run.Plot(plot.Plot{
		Name: "rad", Title: "Mean delay from the root, over that of direct sends",
		Caption: sizes + "; each value is one group's ratio of the means over its members (RAD).",
		X:       plot.Axis{Label: "delay", Unit: "of direct"}, Y: groups, Said: twice,
		Series: of(func(w woods) plot.Series { return plot.CDF("", w.fromRoot.rad) }),
	})
	run.Plot(plot.Plot{
		Name: "rmd", Title: "Greatest delay from the root, over that of direct sends",
		Caption: sizes + "; each value is one group's ratio of the maxima over its members (RMD).",
		X:       plot.Axis{Label: "delay", Unit: "of direct"}, Y: groups, Said: twice,
		Series: of(func(w woods) plot.Series { return plot.CDF("", w.fromRoot.rmd) }),
	})
	run.Plot(plot.Plot{
		Name: "children", Title: "How many children nodes have",
		Caption: sizes + "; children in all groups together, by node.",
		X:       plot.Axis{Label: "children of a node"}, Y: plot.Axis{Label: "share of nodes", Share: true},
		Series: of(func(w woods) plot.Series { return plot.CDF("", w.entries) }),
	})
	run.Plot(plot.Plot{
		Name: "tables", Title: "In how many groups nodes have children",
		Caption: sizes + "; by node.",
		X:       plot.Axis{Label: "groups in which a node has children"}, Y: plot.Axis{Label: "share of nodes", Share: true},
		Series: of(func(w woods) plot.Series { return plot.CDF("", w.tables) }),
	})
}

// plotTroublesOfScribe plots how late events came, and how many came soon.
func plotTroublesOfScribe(run *lab.Run, s scribeSizes, troubles []endured) {
	var delays, soon []plot.Series
	for _, e := range troubles {
		late := plot.CDF(e.words, e.outcome.delays)
		delays = append(delays, late)
		soon = append(soon, plot.Series{Label: e.words, Points: e.soon(s.TroubleFor)})
	}
	sizes := groupsOf(s.TroubleGroups, s.TroubleNodes)
	run.Plot(plot.Plot{
		Name: "late", Title: "How late events come in trouble",
		Caption: sizes + "; an event a second. Of all deliveries, by the time since the event was published.",
		X:       plot.Axis{Label: "delay", Unit: "s", Log: true}, Y: plot.Axis{Label: "share of deliveries", Share: true},
		Series: delays,
	})
	run.Plot(plot.Plot{
		Name: "soon", Title: "What is delivered within five seconds, in trouble",
		Caption: fmt.Sprintf("%s; share of what was due of the events that were published in each %v.", sizes, soonWindow(s.TroubleFor)),
		X:       plot.Axis{Label: "time since the trouble began", Unit: "s"}, Y: plot.Axis{Label: "delivered in 5 s", Share: true},
		Series: soon,
	})
}

// soonWindow is how long the parts are in which what is delivered soon is plotted.
func soonWindow(all time.Duration) time.Duration { return max(10*time.Second, all/60) }

// soon returns the shares that were delivered within five seconds, over time.
func (e endured) soon(all time.Duration) (points []plot.Point) {
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
