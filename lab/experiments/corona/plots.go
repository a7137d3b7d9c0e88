package corona

import (
	"cmp"
	"slices"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
)

// plotTable plots Figures 3 to 8 of the paper.
func plotTable(run *lab.Run, s sizes, r results) {
	page := wording.Plots("corona", s)
	draw := func(p plot.Plot, points func(label string, m *measured) plot.Series, policies ...string) {
		if all := r.series(points, policies...); len(all) > 0 {
			run.Plot(p.With(all...))
		}
	}
	polls := func(m *measured, i int) float64 { return m.load[i] * windowsInInterval / float64(m.sizes.Channels) }
	draw(page("load"), over(polls), "legacy", "lite", "fast")
	draw(page("detection").Beside(plot.Level("the target of fast", fastTarget.Seconds())),
		over((*measured).detectionIn), "legacy", "lite", "fast")
	step := max(1, s.Channels/mostRanked)
	ranks := make([]int, (s.Channels+step-1)/step)
	for i := range ranks {
		ranks[i] = i*step + 1
	}
	ranked := func(value func(m *measured, channel int) float64) func(label string, m *measured) plot.Series {
		return dots(ranks, func(m *measured, i int) float64 { return value(m, i*step) })
	}
	draw(page("pollers", step), ranked((*measured).pollers), "legacy", "lite")
	legacy := plot.Level("legacy", settings[0].config().Interval.Seconds()/2)
	draw(page("channels", step).Beside(legacy), ranked(func(m *measured, i int) float64 { return m.gaps[i] }), "lite")
	draw(page("fairness", mostByUpdates), byUpdates, "lite", "fair")
	draw(page("fairness-sqrt-log", mostByUpdates), byUpdates, "fair-sqrt", "fair-log")
}

// series returns one series for each setting of several policies, and each policy, that was measured. Legacy, which is
// the same for all settings, comes once.
func (r results) series(points func(label string, m *measured) plot.Series, policies ...string) (all []plot.Series) {
	for i, setting := range settings {
		if setting.lite {
			continue // its row is beside the paper's figures
		}
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
	names := s.some(crash, overnet, torChurn)
	draw := func(name string, value func(m *measured, window int) float64) {
		p := wording.Plots("corona", s)(name).Beside(plot.Upright("it begins", s.Settle.Minutes()))
		for _, name := range names {
			p = p.With(over(value)(troubleWords[name], r[name]))
		}
		run.Plot(p)
	}
	if len(names) == 0 {
		return
	}
	draw("trouble-load", (*measured).relative)
	draw("trouble-detection", (*measured).detectionIn)
}
