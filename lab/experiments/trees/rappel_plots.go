package trees

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/lab/stats"
)

func (r *rappelResults) plot(run *lab.Run, s rappelSizes) {
	r.plotHalf(run, s)
	r.plotLarge(run, s)
	r.plotTrade(run, s)
	r.plotFanOut(run, s)
	r.plotFriends(run, s)
	r.plotContest(run, s)
	r.plotLoad(run, s)
}

// corner returns a reference at a point of a distribution: that share of all is not greater than x.
func corner(label string, x, share float64) plot.Reference {
	return plot.Curve(label, plot.Point{X: math.Inf(-1), Y: share}, plot.Point{X: x, Y: share}, plot.Point{X: x, Y: math.Inf(-1)})
}

// plotHalf plots figure 7.
func (r *rappelResults) plotHalf(run *lab.Run, s rappelSizes) {
	h, flat, measured := r.half, r.flat, r.measured
	draw := func(name, title string, y plot.Axis, series []plot.Series, said ...plot.Reference) {
		run.Plot(plot.Plot{
			Name: name, Title: title,
			Caption: fmt.Sprintf("%s readers of one feed, an update a minute. Half of them fail at half time, and return at three quarters.", lab.Count(s.Small)),
			X:       plot.Axis{Label: "time", Unit: "h"}, Y: y, Said: said, Series: series,
		})
	}
	both := func(model, modelHigh, lab, labHigh []plot.Point) []plot.Series {
		return []plot.Series{
			{Label: "AS model, median", Points: model}, {Label: "AS model, 95 %", Points: modelHigh},
			{Label: "PlanetLab, median", Points: lab}, {Label: "PlanetLab, 95 %", Points: labHigh},
		}
	}
	draw("half-latency", "Figure 7a: how late updates come when half of the readers fail", plot.Axis{Label: "latency", Unit: "s", Log: true},
		both(h.latency, h.latency95, measured.latency, measured.latency95),
		plot.Level("the paper's 95 %: below 0.5 s", 0.5), plot.Level("the paper's median: below 0.1 s", 0.1))
	draw("half-stretch", "Figure 7b: latency, over half of the direct round trip", plot.Axis{Label: "stretch", Log: true},
		both(h.stretch, h.stretch95, measured.stretch, measured.stretch95),
		plot.Level("", 2), plot.Level("the paper's median: 2 to 4", 4))
	draw("half-ways", "Figure 7c: the way of updates in flat coordinates, over the direct one", plot.Axis{Label: "stretch", Log: true},
		[]plot.Series{{Label: "AS model, median", Points: flat.ways}, {Label: "AS model, 95 %", Points: flat.ways95}},
		plot.Level("the paper's median: 1.15", 1.15), plot.Level("the paper's 95 %: below 1.25", 1.25))
	draw("half-ways-heights", "The way of updates in coordinates with heights, over the direct one", plot.Axis{Label: "stretch", Log: true},
		both(h.ways, h.ways95, measured.ways, measured.ways95), plot.Level("the paper's median, without heights: 1.15", 1.15))
}

// plotLarge plots figure 8.
func (r *rappelResults) plotLarge(run *lab.Run, s rappelSizes) {
	run.Plot(plot.Plot{
		Name: "stretch", Title: "Figure 8a: stretch in coordinates, by the distance from the publisher",
		Caption: fmt.Sprintf("The last update of a feed with %s readers at rest; each dot is one of them. The paper states no numbers: readers that are "+
			"far from the publisher have a low stretch, and a high one is found near it.", lab.Count(s.Large)),
		X: plot.Axis{Label: "distance from the publisher", Unit: "s"}, Y: plot.Axis{Label: "stretch", Log: true},
		Series: []plot.Series{
			{Label: "readers", Kind: plot.Dots, Points: r.still.stretches},
			{Label: "median of each tenth of the readers", Points: r.still.tenths()},
		},
	})
	pulled := plot.Series{Label: "pulled, by observers", Kind: plot.Dots}
	for _, x := range stats.Thinned(r.churned.observed.pulled) {
		pulled.Points = append(pulled.Points, plot.Point{X: x, Y: stats.AtMost(r.churned.observed.seconds, x)})
	}
	median := stats.Quantile(r.still.seconds, 0.5)
	run.Plot(plot.Plot{
		Name: "churn", Title: "Figure 8b: how late updates come while nodes come and go",
		Caption: fmt.Sprintf("%s readers of one feed, of whom a quarter is replaced an hour, and as many at rest; %s as Tor's relays came and went. "+
			"Marked is what the paper has: 85 %% within a second, its median, 0.164 s later than at rest, the latest after about 45 s.", lab.Count(s.Large), lab.Count(s.Trade)),
		X: plot.Axis{Label: "latency", Unit: "s", Log: true}, Y: plot.Axis{Label: "share of deliveries", Share: true},
		Series: []plot.Series{
			plot.CDF("at rest", stats.Thinned(r.still.seconds)), plot.CDF("25 % replaced an hour", stats.Thinned(r.churned.all.seconds)),
			plot.CDF("the same, observers", stats.Thinned(r.churned.observed.seconds)), plot.CDF("Tor's relays", stats.Thinned(r.tor.all.seconds)), pulled,
		},
		Said: []plot.Reference{
			corner("the paper: 85 % within 1 s", 1, 0.85), plot.Upright("the paper's last: 45 s", 45),
			plot.Curve("paper's median", plot.Point{X: median + 0.164, Y: math.Inf(-1)}, plot.Point{X: median + 0.164, Y: 0.5}),
		},
	})
}

// plotTrade plots what it brings to find dead parents sooner.
func (r *rappelResults) plotTrade(run *lab.Run, s rappelSizes) {
	p := plot.Plot{
		Name: "trade", Title: "What comes late, by how dead parents are found",
		Caption: fmt.Sprintf("%s readers, a quarter replaced an hour, an update each 10 s. How many messages each costs is among the figures.", lab.Count(s.Trade)),
		X:       plot.Axis{Label: "latency", Unit: "s", Log: true}, Y: plot.Axis{Label: "share that comes later", Log: true},
		Said: []plot.Reference{plot.Upright("the paper's last: 45 s", 45)},
	}
	for i, t := range feedTrades {
		series := plot.Series{Label: t.words}
		late := r.trades[i].all.seconds
		for j := range late { // all of the last hundredth, which is what matters, and some of the others
			if left := len(late) - j; left < len(late)/100 || j%max(len(late)/1000, 1) == 0 {
				series.Points = append(series.Points, plot.Point{X: late[j], Y: float64(left) / float64(len(late))})
			}
		}
		p.Series = append(p.Series, series)
	}
	run.Plot(p)
}

// plotFanOut plots what it brings to have more children.
func (r *rappelResults) plotFanOut(run *lab.Run, s rappelSizes) {
	late := func(label string, q float64) plot.Series {
		return plot.Over(label, fanOuts[:], func(i int) float64 { return stats.Quantile(r.fanOuts[i].all.seconds, q) })
	}
	run.Plot(plot.Plot{
		Name: "fan-out", Title: "How late updates come, by how many children a node may have",
		Caption: fmt.Sprintf("%s readers, a quarter replaced an hour. In the paper more than 5 children bring little.", lab.Count(s.Trade)),
		X:       plot.Axis{Label: "children"}, Y: plot.Axis{Label: "latency", Unit: "s"}, Series: []plot.Series{late("median", 0.5), late("95th percentile", 0.95)},
	})
}

// plotFriends plots figure 9.
func (r *rappelResults) plotFriends(run *lab.Run, s rappelSizes) {
	caption := fmt.Sprintf("%s readers of %s feeds.", lab.Count(s.Readers), lab.Count(s.Feeds))
	most := slices.Max(r.friends[0].wanted)
	run.Plot(plot.Plot{
		Name: "coverage", Title: "Figure 9a: feeds that friends follow too, by how many a reader follows",
		Caption: caption + " Each dot is a reader; in the paper 91 % lie on the line.",
		X:       plot.Axis{Label: "feeds of a reader"}, Y: plot.Axis{Label: "covered by friends"},
		Series: []plot.Series{
			plot.Scatter("readers", r.friends[0].wanted, r.friends[0].covered),
			{Label: "median", Points: mediansBy(r.friends[0].wanted, r.friends[0].covered)},
		},
		Said: []plot.Reference{plot.Curve("all feeds: the paper's 91 %", plot.Point{}, plot.Point{X: most, Y: most})},
	})
	covered := plot.Plot{
		Name: "coverage-parts", Title: "Figure 9b: which share of its feeds the friends of a reader cover",
		Caption: caption + " Those with several feeds, by what friends are chosen for.",
		X:       plot.Axis{Label: "share of the feeds", Share: true}, Y: plot.Axis{Label: "share of readers", Share: true},
		Said: []plot.Reference{plot.Level("the paper, 4 friends: 27 % have less than all", 0.27)},
	}
	overlap := plot.Plot{
		Name: "overlap", Title: "Figure 9c: how many roles a neighbour has",
		Caption: caption + " Of those with several feeds: friends, parents and children over the neighbours that have these roles; in the paper above 1 at more than 80 %.",
		X:       plot.Axis{Label: "roles of a neighbour"}, Y: plot.Axis{Label: "share of readers", Share: true},
		Said: []plot.Reference{plot.Level("the paper: at most 20 % have only neighbours of one role", 0.2)},
	}
	for i, rule := range friendRules {
		covered.Series = append(covered.Series, plot.CDF(rule.words, r.friends[i].coverage(2)))
		overlap.Series = append(overlap.Series, plot.CDF(rule.words, r.friends[i].overlaps(2)))
	}
	run.Plot(covered)
	run.Plot(overlap)
}

// plotContest plots figure 10.
func (r *rappelResults) plotContest(run *lab.Run, s rappelSizes) {
	p := plot.Plot{
		Name: "scribe", Title: "Figure 10a: how late an update comes, by Rappel and by Scribe",
		Caption: fmt.Sprintf("%s readers, on round trips of PlanetLab. Scribe's trees are rooted at the publisher, and may lead over nodes that are no readers. "+
			"The paper states no numbers: Rappel is slower than Scribe.",
			lab.Count(s.Among)),
		X: plot.Axis{Label: "latency", Unit: "s"}, Y: plot.Axis{Label: "share of readers", Share: true},
	}
	for _, c := range r.contests {
		p.Series = append(p.Series, plot.CDF(lab.Sized("Rappel", c.nodes), c.ours), plot.CDF(lab.Sized("Scribe", c.nodes), c.scribes))
	}
	run.Plot(p)
	many := slices.Max(r.friends[0].wanted)
	load := func(name, title, router string, wanted, data []float64) {
		run.Plot(plot.Plot{
			Name: name, Title: title,
			Caption: fmt.Sprintf("One update of each of %s feeds, sent and received; each dot is one of %s readers. The line is the most that Rappel should ask of one: "+
				"for each feed one update that comes, and one for each of five children.", lab.Count(s.Feeds), lab.Count(s.Readers)),
			X: plot.Axis{Label: "feeds of a reader"}, Y: plot.Axis{Label: "messages"},
			Series: []plot.Series{plot.Scatter(router, wanted, data)},
			Said:   []plot.Reference{plot.Curve("6 a feed", plot.Point{}, plot.Point{X: many, Y: 6 * many})},
		})
	}
	load("load-scribe", "Figure 10b: messages with content at a node, by its feeds: Scribe", "Scribe", r.imbalance.wanted, r.imbalance.data)
	load("load", "Figure 10c: messages with content at a node, by its feeds: Rappel", "Rappel", r.friends[0].wanted, r.friends[0].data)
}

// plotLoad plots figure 11.
func (r *rappelResults) plotLoad(run *lab.Run, s rappelSizes) {
	run.Plot(plot.Plot{
		Name: "rejoins", Title: "Figure 11a: periodic rejoins that a node is sent, by its height in the tree",
		Caption: "One feed at rest; the publisher's height is 0. Means in ten minutes. Dashed is the exponential fall that fits best; the paper states no rate.",
		X:       plot.Axis{Label: "height"}, Y: plot.Axis{Label: "rejoins in ten minutes", Log: true},
		Series: []plot.Series{
			{Label: lab.Count(s.Large) + " readers", Points: r.still.rejoins()}, {Label: lab.Count(2*s.Large) + " readers", Points: r.twice.rejoins()},
		},
		Said: []plot.Reference{r.still.fall(lab.Count(s.Large)), r.twice.fall(lab.Count(2 * s.Large))},
	})
	kinds := plot.Plot{
		Name: "kinds", Title: "Figure 11b: messages of the reader that is nearest to the publisher",
		Caption: fmt.Sprintf("Sent and received, without updates, of %s readers, a quarter replaced an hour. It is away for the third quarter of the time.", lab.Count(s.Large)),
		X:       plot.Axis{Label: "time", Unit: "h"}, Y: plot.Axis{Label: "messages a second"},
		Said: []plot.Reference{plot.Level("the paper: mostly below", 2)},
	}
	all := plot.Series{Label: "all"}
	for group, words := range feedGroupWords {
		series := plot.Series{Label: words}
		for minute, counts := range r.churned.minutes {
			at := plot.Point{X: (float64(minute) + 0.5) / 60, Y: float64(counts[group]) / 60}
			series.Points = append(series.Points, at)
			if group == 0 {
				all.Points = append(all.Points, plot.Point{X: at.X})
			}
			all.Points[minute].Y += at.Y
		}
		kinds.Series = append(kinds.Series, series)
	}
	kinds.Series = append(kinds.Series, all)
	run.Plot(kinds)
	load := func(name, title, caption string, x plot.Axis, worlds []befriended, of func(befriended) float64) {
		var xs []float64
		slices.SortFunc(worlds, func(a, b befriended) int { return cmp.Compare(of(a), of(b)) })
		for _, b := range worlds {
			xs = append(xs, of(b))
		}
		late := func(label string, q float64) plot.Series {
			return plot.Over(label, xs, func(i int) float64 { return stats.QuantileOf(worlds[i].messages, q) })
		}
		run.Plot(plot.Plot{
			Name: name, Title: title, Caption: caption, X: x, Y: plot.Axis{Label: "messages a second"},
			Series: []plot.Series{late("median", 0.5), late("95th percentile", 0.95)}, Said: []plot.Reference{plot.Level("the paper's medians: below", 2)},
		})
	}
	load("growth", "Figure 11c: messages without content at a reader, by the size of the network",
		fmt.Sprintf("Sent and received, of %s feeds, in the last third of %.0f minutes; of %s readers of %.0f.",
			lab.Count(s.Feeds), s.GrownFor.Minutes(), lab.Count(s.Readers), s.FriendsFor.Minutes()), plot.Axis{Label: "readers", Log: true},
		append(slices.Clone(r.grown), r.friends[0]), func(b befriended) float64 { return float64(len(b.wanted)) })
	load("channels", "Figure 11c: messages without content at a reader, by the number of feeds",
		fmt.Sprintf("Sent and received, of %s readers, in the last third of %.0f minutes.", lab.Count(s.Grown[len(s.Grown)/2]), s.GrownFor.Minutes()), plot.Axis{Label: "feeds"},
		slices.Clone(r.channels), func(b befriended) float64 { return float64(b.feeds) })
	b := r.friends[0]
	medians := plot.Series{Label: "median", Points: mediansBy(b.wanted, b.messages)}
	growing := func(label string, each float64) plot.Reference { // from the least that readers of few feeds send
		first, many := medians.Points[0], slices.Max(b.wanted)
		return plot.Curve(label, first, plot.Point{X: many, Y: first.Y + each*(many-first.X)})
	}
	run.Plot(plot.Plot{
		Name: "per-feed", Title: "Figure 11d: messages without content at a reader, by how many feeds it follows",
		Caption: fmt.Sprintf("Sent and received; each dot is one of %s readers. In the paper each feed costs 0.15 to 0.4 messages a second.", lab.Count(s.Readers)),
		X:       plot.Axis{Label: "feeds of a reader"}, Y: plot.Axis{Label: "messages a second"},
		Series: []plot.Series{plot.Scatter("readers", b.wanted, b.messages), medians},
		Said:   []plot.Reference{growing("the paper: 0.15 a feed", 0.15), growing("the paper: 0.4 a feed", 0.4)},
	})
}
