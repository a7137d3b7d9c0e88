package corona

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/livenet"
	"tidings/lab/plot"
)

// plotLive plots Figures 9 and 10 of the paper, and how updates travel.
func plotLive(run *lab.Run, j *liveJudge) {
	s, l := j.sizes, j.net.Polls
	windows := min(int(s.For/l.Window), len(l.Windows))
	over := func(value func(w livenet.Window) float64) (points []plot.Point) {
		for i := range windows {
			points = append(points, plot.Point{X: (float64(i) + 0.5) * l.Window.Minutes(), Y: value(l.Windows[i])})
		}
		return points
	}
	times := plot.Axis{Label: "time since the first subscription", Unit: "min"}
	caption := fmt.Sprintf("%s nodes over libp2p, %s channels, %s subscriptions, interval %s. All have subscribed after %s; %d nodes are killed "+
		"and %d join at %s, those that were killed come back at %s.",
		lab.Count(s.Nodes), lab.Count(s.Channels), lab.Count(s.Subscriptions), s.Interval, s.Subscribe, s.Killed, s.Joined, s.half(), s.back())
	begins := []plot.Reference{plot.Upright("killed, joined", s.half().Minutes()), plot.Upright("back", s.back().Minutes())}
	run.Plot(plot.Plot{
		Name: "live-detection", Title: "Average detection time, live (Figure 9)", Caption: caption, OfMachine: true,
		X: times, Y: plot.Axis{Label: "detection time", Unit: "s", Log: true},
		Series: []plot.Series{
			{Label: "from gaps between requests", Points: over(livenet.Window.Detection)},
			{Label: "of changes", Kind: plot.Dots, Points: j.changesOver(windows)},
		},
		Said: append(begins, plot.Level("legacy", s.Interval.Seconds()/2), plot.Level("the paper", s.scaled(paperLiveDetection).Seconds())),
	})
	run.Plot(plot.Plot{
		Name: "live-load", Title: "Requests at the origin, live (Figure 10)", Caption: caption, OfMachine: true,
		X: times, Y: plot.Axis{Label: "requests a second"},
		Series: []plot.Series{{Label: "Tidings", Points: over(func(w livenet.Window) float64 { return float64(w.Requests) / l.Window.Seconds() })}},
		Said:   append(begins, plot.Level("legacy", float64(s.Subscriptions)/s.Interval.Seconds())),
	})
	run.Plot(plot.Plot{
		Name: "live-spread", Title: "From the change, and from its detection, to each subscriber", Caption: caption, OfMachine: true,
		X: plot.Axis{Label: "time", Unit: "s", Log: true}, Y: plot.Axis{Label: "share of tellings", Share: true},
		Series: []plot.Series{
			plot.CDF("since it was detected", j.waits), plot.CDF("the same after half time", j.moved), plot.CDF("since the change, at any time", j.late),
		},
	})
}

// changesOver returns the mean detection time of changes by window, weighted by subscriptions.
func (j *liveJudge) changesOver(windows int) (points []plot.Point) {
	w := j.net.Polls.Window
	for i := range windows {
		if y := j.changesDetection(w*time.Duration(i), w*time.Duration(i+1)); y > 0 {
			points = append(points, plot.Point{X: (float64(i) + 0.5) * w.Minutes(), Y: y})
		}
	}
	return points
}
