package corona

import (
	"cmp"
	"fmt"
	"slices"

	"tidings/lab"
	"tidings/lab/plot"
)

// plotTable plots Figures 3 to 8 of the paper.
func plotTable(run *lab.Run, s sizes, r results) {
	draw := func(p plot.Plot, points func(label string, m *measured) plot.Series, policies ...string) {
		if p.Series = r.series(points, policies...); len(p.Series) > 0 {
			run.Plot(p)
		}
	}
	draw(plot.Plot{
		Name: "load", Title: "Load on the origins over time (Figure 3)",
		Caption: "Polls of all nodes, by channel and polling interval, in windows of a third of the interval. All subscribe at time 0.",
		X:       sinceSubscribed, Y: plot.Axis{Label: "polls by channel and 30 min"},
	}, over(func(m *measured, i int) float64 { return m.load[i] * windowsInInterval / float64(m.sizes.Channels) }), "legacy", "lite", "fast")
	draw(plot.Plot{
		Name: "detection", Title: "Average detection time (Figure 4)",
		Caption: "Time from random moments to the next poll of the channel, weighted by subscriptions, by the window of the moment.",
		X:       sinceSubscribed, Y: detectionTime, Said: []plot.Reference{plot.Level("the target of fast", fastTarget.Seconds())},
	}, over((*measured).detectionIn), "legacy", "lite", "fast")
	step := max(1, s.Channels/mostRanked)
	ranks := make([]int, (s.Channels+step-1)/step)
	for i := range ranks {
		ranks[i] = i*step + 1
	}
	ranked := func(value func(m *measured, channel int) float64) func(label string, m *measured) plot.Series {
		return dots(ranks, func(m *measured, i int) float64 { return value(m, i*step) })
	}
	rank := plot.Axis{Label: "channel, by popularity", Log: true}
	draw(plot.Plot{
		Name: "pollers", Title: "Pollers by channel (Figure 5)",
		Caption: fmt.Sprintf("Polls by interval in the time that is measured, of one of %d channels.", step),
		X:       rank, Y: plot.Axis{Label: "polls by 30 min", Log: true},
	}, ranked((*measured).pollers), "legacy", "lite")
	draw(plot.Plot{
		Name: "channels", Title: "Detection time by channel (Figure 6)",
		Caption: fmt.Sprintf("Mean time from a random moment to the next poll, from the gaps between all polls of the last interval, of one of %d channels.", step),
		X:       rank, Y: detectionTime, Said: []plot.Reference{plot.Level("legacy", settings[0].config().Interval.Seconds()/2)},
	}, ranked(func(m *measured, i int) float64 { return m.gaps[i] }), "lite")
	for _, figure := range []struct{ name, title, first, second string }{
		{"fairness", "Detection by how often channels change: Lite and Fair (Figure 7)", "lite", "fair"},
		{"fairness-sqrt-log", "Detection by how often channels change: Fair-Sqrt and Fair-Log (Figure 8)", "fair-sqrt", "fair-log"},
	} {
		draw(plot.Plot{
			Name: figure.name, Title: figure.title,
			Caption: fmt.Sprintf("As Figure 6, of %d channels, ranked by their mean time between changes, the shortest first, then by popularity.", mostByUpdates),
			X:       plot.Axis{Label: "channel, by time between changes"}, Y: detectionTime,
		}, byUpdates, figure.first, figure.second)
	}
}

var (
	sinceSubscribed = plot.Axis{Label: "time since all subscribed", Unit: "min"}
	detectionTime   = plot.Axis{Label: "detection time", Unit: "s", Log: true}
)

// series returns one series for each setting and policy that was measured; legacy, which is the same for all settings, once.
func (r results) series(points func(label string, m *measured) plot.Series, policies ...string) (all []plot.Series) {
	for i, setting := range settings {
		for _, policy := range policies {
			m, label := r[setting.name+"."+policy], policy+", "+setting.words
			if policy == "legacy" {
				label = policy
			}
			if m != nil && (policy != "legacy" || i == 0) {
				all = append(all, points(label, m))
			}
		}
	}
	return all
}

// over returns values by window.
func over(value func(m *measured, window int) float64) func(label string, m *measured) plot.Series {
	return func(label string, m *measured) plot.Series {
		minutes := make([]float64, len(m.load))
		for i := range minutes {
			minutes[i] = (float64(i) + 0.5) * m.window().Minutes()
		}
		return plot.Over(label, minutes, func(i int) float64 { return value(m, i) })
	}
}

// dots returns values at some places.
func dots(at []int, value func(m *measured, i int) float64) func(label string, m *measured) plot.Series {
	return func(label string, m *measured) plot.Series {
		series := plot.Over(label, at, func(i int) float64 { return value(m, i) })
		series.Kind = plot.Dots
		return series
	}
}

const (
	mostRanked    = 2000 // channels that stand for all where they are ranked by popularity
	mostByUpdates = 200  // that do in the paper's Figures 7 and 8
)

// byUpdates returns detection by update intervals.
func byUpdates(label string, m *measured) plot.Series {
	var ranks, order []int
	for i := range m.gaps {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.work.update[a], m.work.update[b]) })
	for at := 0; at < len(order); at += max(1, len(order)/mostByUpdates) {
		ranks = append(ranks, at+1)
	}
	return dots(ranks, func(m *measured, i int) float64 { return m.gaps[order[ranks[i]-1]] })(label, m)
}

// plotTroubles plots how load and detection stray while nodes come and go.
func plotTroubles(run *lab.Run, s sizes, r results) {
	draw := func(name, title string, y plot.Axis, value func(m *measured, window int) float64) {
		p := plot.Plot{
			Name: name, Title: title, X: sinceSubscribed, Y: y, Said: []plot.Reference{plot.Upright("it begins", s.Settle.Minutes())},
			Caption: fmt.Sprintf("%s nodes, %s channels, Lite, bits and slots. Nodes crash without farewell; their readers stay in the owners' tables.",
				lab.Count(s.TroubleNodes), lab.Count(s.TroubleChannels)),
		}
		for _, name := range troubles {
			p.Series = append(p.Series, over(value)(troubleWords[name], r[name]))
		}
		run.Plot(p)
	}
	draw("trouble-load", "Load while nodes come and go", plot.Axis{Label: "load, as a share of the readers' own"}, (*measured).relative)
	draw("trouble-detection", "Detection while nodes come and go", detectionTime, (*measured).detectionIn)
}
