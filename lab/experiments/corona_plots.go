package experiments

import (
	"cmp"
	"fmt"
	"slices"

	"tidings/lab"
	"tidings/lab/plot"
)

// plotCorona plots Figures 3 to 8 of the paper.
func plotCorona(run *lab.Run, s coronaSizes, rows map[string]*coronaFigures) {
	p := coronaPlots{run, s, rows}
	p.overTime()
	p.byPopularity()
	p.byUpdates("fairness", "Detection by how often channels change: Lite and Fair (Figure 7)", "lite", "fair")
	p.byUpdates("fairness-sqrt-log", "Detection by how often channels change: Fair-Sqrt and Fair-Log (Figure 8)", "fair-sqrt", "fair-log")
}

type coronaPlots struct {
	run  *lab.Run
	s    coronaSizes
	rows map[string]*coronaFigures
}

// series returns one series for each setting and policy that was measured; legacy, which is the same
// for all settings, once.
func (p coronaPlots) series(kind plot.Kind, points func(*coronaFigures) []plot.Point, policies ...string) (all []plot.Series) {
	for i, setting := range coronaSettings {
		for _, policy := range policies {
			f := p.rows[setting.name+"."+policy]
			if f == nil || policy == "legacy" && i > 0 {
				continue
			}
			label := policy + ", " + setting.words
			if policy == "legacy" {
				label = policy
			}
			all = append(all, plot.Series{Label: label, Kind: kind, Points: points(f)})
		}
	}
	return all
}

// overTime plots Figures 3 and 4.
func (p coronaPlots) overTime() {
	time := plot.Axis{Label: "time since all subscribed", Unit: "min"}
	over := func(value func(f *coronaFigures, window int) float64) func(*coronaFigures) []plot.Point {
		return func(f *coronaFigures) (points []plot.Point) {
			for i := range f.load {
				points = append(points, plot.Point{X: (float64(i) + 0.5) * f.window().Minutes(), Y: value(f, i)})
			}
			return points
		}
	}
	p.plot(plot.Plot{
		Name: "load", Title: "Load on the origins over time (Figure 3)",
		Caption: "Polls of all nodes, by channel and polling interval, in windows of a third of the interval. All subscribe at time 0.",
		X:       time, Y: plot.Axis{Label: "polls by channel and 30 min"},
		Series: p.series(plot.Lines, over(func(f *coronaFigures, i int) float64 {
			return f.load[i] * windowsInInterval / float64(f.sizes.Channels)
		}), "legacy", "lite", "fast"),
	})
	p.plot(plot.Plot{
		Name: "detection", Title: "Average detection time (Figure 4)",
		Caption: "Time from random moments to the next poll of the channel, weighted by subscriptions, by the window of the moment.",
		X:       time, Y: plot.Axis{Label: "detection time", Unit: "s", Log: true},
		Series: p.series(plot.Lines, over(func(f *coronaFigures, i int) float64 { return f.probed[i].mean() }), "legacy", "lite", "fast"),
		Said:   []plot.Reference{plot.Level("the target of fast", fastTarget.Seconds())},
	})
}

// mostRanked is how many channels stand for all where channels are ranked by popularity.
const mostRanked = 2000

// byPopularity plots Figures 5 and 6.
func (p coronaPlots) byPopularity() {
	step := max(1, p.s.Channels/mostRanked)
	ranked := func(value func(f *coronaFigures, channel int) float64) func(*coronaFigures) []plot.Point {
		return func(f *coronaFigures) (points []plot.Point) {
			for i := 0; i < p.s.Channels; i += step {
				points = append(points, plot.Point{X: float64(i + 1), Y: value(f, i)})
			}
			return points
		}
	}
	rank := plot.Axis{Label: "channel, by popularity", Log: true}
	p.plot(plot.Plot{
		Name: "pollers", Title: "Pollers by channel (Figure 5)",
		Caption: fmt.Sprintf("Polls by interval in the time that is measured, of one of %d channels.", step),
		X:       rank, Y: plot.Axis{Label: "polls by 30 min", Log: true},
		Series: p.series(plot.Dots, ranked((*coronaFigures).pollers), "legacy", "lite"),
	})
	p.plot(plot.Plot{
		Name: "channels", Title: "Detection time by channel (Figure 6)",
		Caption: fmt.Sprintf("Mean time from a random moment to the next poll, from the gaps between all polls of the last interval, of one of %d channels.", step),
		X:       rank, Y: plot.Axis{Label: "detection time", Unit: "s", Log: true},
		Series: p.series(plot.Dots, ranked(func(f *coronaFigures, i int) float64 { return f.gaps[i] }), "lite"),
		Said:   []plot.Reference{plot.Level("legacy", coronaSettings[0].config().Interval.Seconds()/2)},
	})
}

// mostByUpdates is how many channels stand for all in the paper's Figures 7 and 8.
const mostByUpdates = 200

// byUpdates plots detection by update intervals.
func (p coronaPlots) byUpdates(name, title string, policies ...string) {
	points := func(f *coronaFigures) (points []plot.Point) {
		order := make([]int, p.s.Channels)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.work.update[a], f.work.update[b]) })
		step := max(1, len(order)/mostByUpdates)
		for at := 0; at < len(order); at += step {
			points = append(points, plot.Point{X: float64(at + 1), Y: f.gaps[order[at]]})
		}
		return points
	}
	p.plot(plot.Plot{
		Name: name, Title: title,
		Caption: fmt.Sprintf("As Figure 6, of %d channels, ranked by their mean time between changes, the shortest first, then by popularity.", mostByUpdates),
		X:       plot.Axis{Label: "channel, by time between changes"}, Y: plot.Axis{Label: "detection time", Unit: "s", Log: true},
		Series: p.series(plot.Dots, points, policies...),
	})
}

// plot hands over a plot of what was measured.
func (p coronaPlots) plot(f plot.Plot) {
	if len(f.Series) > 0 {
		p.run.Plot(f)
	}
}

// plotTroubles plots how load and detection stray while nodes come and go.
func plotTroubles(run *lab.Run, s coronaSizes, figures map[string]*coronaFigures) {
	of := func(value func(f *coronaFigures, window int) float64) (all []plot.Series) {
		for _, name := range troubles {
			f := figures[name]
			var points []plot.Point
			for i := range f.load {
				points = append(points, plot.Point{X: (float64(i) + 0.5) * f.window().Minutes(), Y: value(f, i)})
			}
			if len(points) > 0 {
				all = append(all, plot.Series{Label: troubleWords[name], Points: points})
			}
		}
		return all
	}
	time := plot.Axis{Label: "time since all subscribed", Unit: "min"}
	begins := []plot.Reference{plot.Upright("it begins", s.Settle.Minutes())}
	caption := fmt.Sprintf("%s nodes, %s channels, Lite, bits and slots. Nodes crash without farewell; their readers stay in the owners' tables.", count(s.TroubleNodes), count(s.TroubleChannels))
	run.Plot(plot.Plot{
		Name: "trouble-load", Title: "Load while nodes come and go", Caption: caption, X: time,
		Y:      plot.Axis{Label: "load, as a share of the readers' own"},
		Series: of((*coronaFigures).relative), Said: begins,
	})
	run.Plot(plot.Plot{
		Name: "trouble-detection", Title: "Detection while nodes come and go", Caption: caption, X: time,
		Y:      plot.Axis{Label: "detection time", Unit: "s", Log: true},
		Series: of(func(f *coronaFigures, i int) float64 { return f.probed[i].mean() }), Said: begins,
	})
}
