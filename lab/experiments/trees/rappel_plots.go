package trees

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
)

// plot plots the paper's figures 7 to 11.
func (r *rappelResults) plot(run *lab.Run, s rappelSizes) {
	draw := wording.Plots("rappel", s)
	run.Plot(draw("half-latency").With(both(r.half.latency, r.measured.latency)...))
	run.Plot(draw("half-stretch").With(both(r.half.stretch, r.measured.stretch)...))
	run.Plot(draw("half-ways").With(r.flat.ways.lines("AS model")...))
	run.Plot(draw("half-ways-heights").With(both(r.half.ways, r.measured.ways)...))
	run.Plot(draw("stretch").With(
		plot.Series{Label: "readers", Kind: plot.Dots, Points: r.still.stretches},
		plot.Series{Label: "median of each tenth of the readers", Points: r.still.tenths()}))
	run.Plot(r.latencies(draw("churn")))
	run.Plot(r.late(draw("trade")))
	fanOut := func(q float64) func(i int) float64 {
		return func(i int) float64 { return r.fanOuts[i].all.within(q) }
	}
	run.Plot(draw("fan-out").With(plot.Over("median", fanOuts[:], fanOut(0.5)),
		plot.Over("95th percentile", fanOuts[:], fanOut(0.95))))
	f := r.friends[0]
	most := slices.Max(f.wanted)
	run.Plot(draw("coverage").
		With(plot.Scatter("readers", f.wanted, f.covered),
			plot.Series{Label: "median", Points: mediansBy(f.wanted, f.covered)}).
		Beside(plot.Curve("all feeds: the paper's 91 %", plot.Point{}, plot.Point{X: most, Y: most})))
	covered, overlap := draw("coverage-parts"), draw("overlap")
	for i, rule := range friendRules {
		covered = covered.With(plot.CDF(rule.words, r.friends[i].coverage(2)))
		overlap = overlap.With(plot.CDF(rule.words, r.friends[i].overlaps(2)))
	}
	run.Plot(covered)
	run.Plot(overlap)
	beside := draw("scribe")
	for _, c := range r.contests {
		beside = beside.With(plot.CDF(lab.Sized("Rappel", c.nodes), c.ours.delays),
			plot.CDF(lab.Sized("Scribe", c.nodes), c.scribes))
	}
	run.Plot(beside)
	six := plot.Curve("6 a feed", plot.Point{}, plot.Point{X: most, Y: 6 * most})
	run.Plot(draw("load-scribe").With(plot.Scatter("Scribe", r.imbalance.wanted, r.imbalance.data)).Beside(six))
	run.Plot(draw("load").With(plot.Scatter("Rappel", f.wanted, f.data)).Beside(six))
	small, large := lab.Count(s.Large), lab.Count(2*s.Large)
	run.Plot(draw("rejoins").
		With(plot.Series{Label: small + " readers", Points: r.still.rejoins()},
			plot.Series{Label: large + " readers", Points: r.twice.rejoins()}).
		Beside(r.still.fall(small), r.twice.fall(large)))
	run.Plot(r.kinds(draw("kinds")))
	minutes := fmt.Sprintf("%.0f", s.GrownFor.Minutes())
	run.Plot(control(draw("growth", minutes, fmt.Sprintf("%.0f", s.FriendsFor.Minutes())),
		append(slices.Clone(r.grown), f),
		func(b befriended) float64 { return float64(len(b.wanted)) }))
	run.Plot(control(draw("channels", lab.Count(s.Grown[len(s.Grown)/2]), minutes), slices.Clone(r.channels),
		func(b befriended) float64 { return float64(b.feeds) }))
	medians := plot.Series{Label: "median", Points: mediansBy(f.wanted, f.messages)}
	growing := func(label string, each float64) plot.Reference { // from the least that readers of few feeds send
		first := medians.Points[0]
		return plot.Curve(label, first, plot.Point{X: most, Y: first.Y + each*(most-first.X)})
	}
	run.Plot(draw("per-feed").
		With(plot.Scatter("readers", f.wanted, f.messages), medians).
		Beside(growing("the paper: 0.15 a feed", 0.15), growing("the paper: 0.4 a feed", 0.4)))
}

// lines returns a band's series, and both those of the AS model and of PlanetLab.
func (b band) lines(where string) []plot.Series {
	return []plot.Series{{Label: where + ", median", Points: b.median}, {Label: where + ", 95 %", Points: b.high}}
}

func both(model, lab band) []plot.Series {
	return append(model.lines("AS model"), lab.lines("PlanetLab")...)
}

// latencies draws how late updates come at rest, and while nodes come and go.
func (r *rappelResults) latencies(p plot.Plot) plot.Plot {
	pulled := plot.Series{Label: "pulled, by observers", Kind: plot.Dots}
	for _, x := range stats.Thinned(r.churned.observed.pulled) {
		pulled.Points = append(pulled.Points, plot.Point{X: x, Y: stats.AtMost(r.churned.observed.delays, x)})
	}
	for _, line := range []struct {
		label string
		of    delivery
	}{{"at rest", r.still.last}, {"25 % replaced an hour", r.churned.all}, {"the same, observers", r.churned.observed},
		{"Tor's relays", r.tor.all}} {
		p = p.With(plot.CDF(line.label, stats.Thinned(line.of.delays)))
	}
	low, median := math.Inf(-1), r.still.last.within(0.5)+0.164
	return p.With(pulled).Beside(
		plot.Curve("the paper: 85 % within 1 s", plot.Point{X: low, Y: 0.85}, plot.Point{X: 1, Y: 0.85},
			plot.Point{X: 1, Y: low}),
		plot.Upright("the paper's last: 45 s", 45),
		plot.Curve("paper's median", plot.Point{X: median, Y: low}, plot.Point{X: median, Y: 0.5}))
}

// late draws what finding dead parents sooner brings: all of the last hundredth, which matters most, and some of the
// others.
func (r *rappelResults) late(p plot.Plot) plot.Plot {
	for i, t := range feedTrades {
		series := plot.Series{Label: t.words}
		late := r.trades[i].all.delays
		for j := range late {
			if left := len(late) - j; left < len(late)/100 || j%max(len(late)/1000, 1) == 0 {
				series.Points = append(series.Points, plot.Point{X: late[j], Y: float64(left) / float64(len(late))})
			}
		}
		p = p.With(series)
	}
	return p
}

// kinds draws the messages of the reader that is watched, by group and together.
func (r *rappelResults) kinds(p plot.Plot) plot.Plot {
	all := plot.Series{Label: "all", Points: make([]plot.Point, len(r.churned.minutes))}
	for group, words := range feedGroupWords {
		series := plot.Series{Label: words}
		for minute, counts := range r.churned.minutes {
			at := plot.Point{X: (float64(minute) + 0.5) / 60, Y: float64(counts[group]) / 60}
			series.Points = append(series.Points, at)
			all.Points[minute].X = at.X
			all.Points[minute].Y += at.Y
		}
		p = p.With(series)
	}
	return p.With(all)
}

// control draws the messages of readers in some worlds, by a measure of these.
func control(p plot.Plot, worlds []befriended, of func(befriended) float64) plot.Plot {
	slices.SortFunc(worlds, func(a, b befriended) int { return cmp.Compare(of(a), of(b)) })
	var xs []float64
	for _, b := range worlds {
		xs = append(xs, of(b))
	}
	at := func(q float64) func(i int) float64 {
		return func(i int) float64 { return stats.QuantileOf(worlds[i].messages, q) }
	}
	return p.With(plot.Over("median", xs, at(0.5)), plot.Over("95th percentile", xs, at(0.95)))
}
