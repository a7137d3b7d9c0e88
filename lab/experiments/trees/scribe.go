// Package trees measures trees that carry updates: those of network/routers/scribe and network/routers/rappel.
package trees

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/routers/scribe"
)

// Scribe measures the trees of network/routers/scribe.
var Scribe = wording.Of("scribe", lab.Experiment[scribeSizes]{
	Expect: func(s scribeSizes) []lab.Expected { return scribeFigures(s).Expected() },
	Memory: func(s scribeSizes) uint64 { return uint64(s.Nodes) * 100_000 },
	Run:    runScribe,
})

type scribeSizes struct {
	Nodes int `json:"nodes"` // of the worlds without faults
	// there, before groups form: routing tables find nearer nodes in the course of time
	Settle time.Duration `json:"settle_ns"`
	Groups int           `json:"groups"`
	Least  int           `json:"least"` // members of a group; the paper's smallest have 11

	TroubleNodes  int           `json:"trouble_nodes"` // of each world with faults
	TroubleGroups int           `json:"trouble_groups"`
	TroubleFor    time.Duration `json:"trouble_for_ns"`
}

// scribeRow is a world without faults.
type scribeRow struct {
	name         string
	words        string
	maxChildren  int
	atPublishers bool // trees are rooted there
}

// scribeRows are with and without the bottleneck remover, and with trees rooted at publishers.
var scribeRows = []scribeRow{
	{"bounded", "at most 16 children in a group", scribe.Default().MaxChildren, false},
	{"unbounded", "no bound to children", 1 << 20, false},
	{"own", "rooted at the publisher", scribe.Default().MaxChildren, true},
}

type scribeResults struct {
	rests    []*atRest
	troubles []*troubled
}

func runScribe(run *lab.Run, s scribeSizes) error {
	latency := testnet.PlanetLab(run.Seed())
	r, parts := new(scribeResults), lab.Parts{}
	for _, row := range scribeRows {
		c := scribe.Default()
		c.MaxChildren = row.maxChildren
		r.rests = append(r.rests,
			lab.AddPart(&parts, func(part *lab.Run) atRest {
				return *newScribeWorld(part, latency, c).trees(s,
					row.atPublishers)
			}))
	}
	for _, t := range scribeTroubles {
		r.troubles = append(r.troubles,
			lab.AddPart(&parts, func(part *lab.Run) troubled {
				return *newScribeWorld(part, latency,
					scribe.Default()).inTrouble(t, s)
			}))
	}
	run.Parts(parts)
	scribeFigures(s).Give(run, r)
	r.plot(run, s)
	return nil
}

// full reports whether the worlds are large enough for the figures to mean something.
func (s scribeSizes) full() bool { return s.Nodes >= 1000 }

// scribeFigures are those of a run. Of the paper's figures those are here that do not depend on its network of routers:
// the delay.
func scribeFigures(s scribeSizes) (f lab.Figures[*scribeResults]) {
	for i, row := range scribeRows {
		lab.Part(&f, row.name, func(r *scribeResults) *atRest { return r.rests[i] }, row.figures())
	}
	for i, t := range scribeTroubles {
		lab.Part(&f, t.name, func(r *scribeResults) *troubled { return r.troubles[i] }, t.figures())
	}
	return f.Aside(func(e lab.Expected) bool { return !s.full() && !e.Worst })
}

// busiestPair is the aim for the copies over the busiest pair of sites: no more than of direct sends. Without a bound
// of children one node may be the parent of a whole site in all groups. So that row has no aim.
func (row scribeRow) busiestPair() lab.Bounds {
	if row.maxChildren == scribe.Default().MaxChildren {
		return lab.AtMost(1)
	}
	return lab.Bounds{}
}

func (row scribeRow) figures() (f lab.Figures[*atRest]) {
	const ofDirect = "of direct"
	f.Promise(".delivered", "", lab.Exactly(1), func(w *atRest) float64 { return w.delivery.share(lateAtMost) })
	f.Judge(".rad_mean", ofDirect, lab.AtMost(2.5),
		func(w *atRest) float64 { return stats.Mean(w.fromRoot.rad) }).Says(2)
	f.Judge(".rmd_mean", ofDirect, lab.AtMost(2.5),
		func(w *atRest) float64 { return stats.Mean(w.fromRoot.rmd) }).Says(2)
	f.Report(".rad_p90", ofDirect, func(w *atRest) float64 { return stats.Quantile(w.fromRoot.rad, 0.9) })
	f.Report(".rmd_p90", ofDirect, func(w *atRest) float64 { return stats.Quantile(w.fromRoot.rmd, 0.9) })
	f.Report(".rad_mean_from_publisher", ofDirect, func(w *atRest) float64 { return stats.Mean(w.fromPublisher.rad) })
	f.Report(".rmd_mean_from_publisher", ofDirect, func(w *atRest) float64 { return stats.Mean(w.fromPublisher.rmd) })
	f.Judge(".copies_per_delivery", "", lab.AtMost(1.5),
		func(w *atRest) float64 { return stats.Share(float64(w.sent.copies), float64(w.delivery.due)) })
	f.Judge(".busiest_node_of_direct", ofDirect, lab.AtMost(1),
		func(w *atRest) float64 { return stats.Share(float64(w.sent.node), float64(w.direct.node)) })
	f.Judge(".busiest_pair_of_direct", ofDirect, row.busiestPair(),
		func(w *atRest) float64 { return stats.Share(float64(w.sent.pair), float64(w.direct.pair)) })
	f.Report(".mean_pair_of_direct", ofDirect,
		func(w *atRest) float64 { return stats.Share(w.sent.perPair, w.direct.perPair) })
	widest := f.Report(".most_children_in_a_group", "", func(w *atRest) float64 { return w.widest })
	if row.maxChildren == scribe.Default().MaxChildren {
		widest.Bound(lab.AtMost(float64(row.maxChildren))).Worst = true
	}
	f.Report(".children_of_a_node_mean", "", func(w *atRest) float64 { return stats.Mean(w.entries) })
	f.Report(".children_of_a_node_p99", "", func(w *atRest) float64 { return stats.Quantile(w.entries, 0.99) })
	f.Report(".children_of_a_node_most", "", func(w *atRest) float64 { return stats.Quantile(w.entries, 1) })
	f.Report(".groups_of_a_node_mean", "", func(w *atRest) float64 { return w.groups })
	return f
}

// figures are those of a trouble. All events have to come. What is lost on a link is requested after a second or two,
// so nearly all come in five. A node that a crash cuts off notices after five seconds, and is accepted again within a
// few tries. A node below one that swallows finds out at the latest when it compares, once a minute. It then looks for
// another parent, so that events come soon again.
func (t scribeTrouble) figures() (f lab.Figures[*troubled]) {
	soon := lab.AtLeast(0.98)
	if t.swallow > 0 {
		soon = lab.Bounds{}
	}
	f.Judge(".delivered_in_5s", "", soon, func(e *troubled) float64 { return e.outcome.share(5 * time.Second) })
	f.Judge(".delivered_in_5s_of_the_last_third", "", lab.AtLeast(0.99), func(e *troubled) float64 {
		return e.of(e.events[len(e.events)*2/3:]).share(5 * time.Second)
	})
	f.Judge(".delivered_in_a_minute", "", lab.AtLeast(0.995),
		func(e *troubled) float64 { return e.outcome.share(time.Minute) })
	f.Promise(".delivered", "", lab.Exactly(1), func(e *troubled) float64 { return e.outcome.share(lateAtMost) })
	f.Report(".median_seconds", "s", func(e *troubled) float64 { return e.outcome.within(0.5) })
	f.Report(".p99_seconds", "s", func(e *troubled) float64 { return e.outcome.within(0.99) })
	f.Report(".most_seconds", "s", func(e *troubled) float64 { return e.outcome.within(1) })
	f.Report(".copies_per_delivery", "", func(e *troubled) float64 { return e.sent })
	if t.repairs() {
		f.Judge(".repaired_mean_seconds", "s", lab.AtMost(15),
			func(e *troubled) float64 { return stats.Mean(e.repaired) })
		f.Judge(".repaired_most_seconds", "s", lab.AtMost(60),
			func(e *troubled) float64 { return slices.Max(e.repaired) })
	}
	return f
}

// plot plots what was measured of trees without faults, how late events came in trouble, and how many came soon.
func (r *scribeResults) plot(run *lab.Run, s scribeSizes) {
	draw := wording.Plots("scribe", s)
	for _, p := range []struct {
		name string
		of   func(w *atRest) []float64
	}{
		{"rad", func(w *atRest) []float64 { return w.fromRoot.rad }},
		{"rmd", func(w *atRest) []float64 { return w.fromRoot.rmd }},
		{"children", func(w *atRest) []float64 { return w.entries }},
		{"tables", func(w *atRest) []float64 { return w.tables }},
	} {
		all := draw(p.name)
		for i, row := range scribeRows {
			all = all.With(plot.CDF(row.words, p.of(r.rests[i])))
		}
		run.Plot(all)
	}
	late, soon := draw("late"), draw("soon", soonWindow(s.TroubleFor))
	for _, e := range r.troubles {
		late = late.With(plot.CDF(e.words, e.outcome.delays))
		soon = soon.With(plot.Series{Label: e.words, Points: e.soon(s.TroubleFor)})
	}
	run.Plot(late)
	run.Plot(soon)
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
