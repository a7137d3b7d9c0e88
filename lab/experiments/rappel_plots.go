package experiments

import (
	"cmp"
	"fmt"
	"slices"

	"tidings/lab"
	"tidings/lab/plot"
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

// plotHalf plots figure 7.
func (r *rappelResults) plotHalf(run *lab.Run, s rappelSizes) {
	h, flat := r.half, r.flat
	draw := func(name, title string, y plot.Axis, median, high []plot.Point, said ...plot.Reference) {
		run.Plot(plot.Plot{
			Name: name, Title: title,
			Caption: fmt.Sprintf("%s readers of one feed, an update a minute. Half of them fail at half time, and return at three quarters.", count(s.Small)),
			X:       plot.Axis{Label: "time", Unit: "h"}, Y: y, Said: said,
			Series: []plot.Series{{Label: "median", Points: median}, {Label: "95th percentile", Points: high}},
		})
	}
	draw("half-latency", "How late updates come when half of the readers fail", plot.Axis{Label: "latency", Unit: "s", Log: true}, h.latency, h.latency95,
		plot.Level("95 % in the paper", 0.5), plot.Level("median in the paper", 0.1))
	draw("half-stretch", "Latency, over half of the direct round trip", plot.Axis{Label: "stretch", Log: true}, h.stretch, h.stretch95,
		plot.Level("median in the paper: 2 to 4", 2), plot.Level("", 4))
	draw("half-ways", "The way of updates in coordinates, over the direct one", plot.Axis{Label: "stretch"}, flat.ways, flat.ways95,
		plot.Level("median in the paper", 1.15), plot.Level("95 % in the paper", 1.25))
	draw("half-ways-heights", "The way of updates in coordinates that have heights, over the direct one", plot.Axis{Label: "stretch"}, h.ways, h.ways95,
		plot.Level("median in the paper, without heights", 1.15))
}

// plotLarge plots figure 8.
func (r *rappelResults) plotLarge(run *lab.Run, s rappelSizes) {
	run.Plot(plot.Plot{
		Name: "stretch", Title: "Stretch in coordinates, by the distance from the publisher",
		Caption: fmt.Sprintf("The last update of a feed with %s readers at rest; each dot is one of them.", count(s.Large)),
		X:       plot.Axis{Label: "distance from the publisher", Unit: "s"}, Y: plot.Axis{Label: "stretch", Log: true},
		Series: []plot.Series{{Label: "readers", Kind: plot.Dots, Points: r.still.stretches}},
	})
	run.Plot(plot.Plot{
		Name: "churn", Title: "How late updates come while nodes come and go",
		Caption: fmt.Sprintf("%s readers of one feed, of whom a quarter is replaced an hour, and as many at rest; %s as Tor's relays came and went. "+
			"In the paper 85 %% come within a second, and the latest after 45.", count(s.Large), count(s.Trade)),
		X: plot.Axis{Label: "latency", Unit: "s", Log: true}, Y: plot.Axis{Label: "share of deliveries", Share: true},
		Series: []plot.Series{
			plot.CDF("at rest", thinned(r.still.seconds)), plot.CDF("25 % replaced an hour", thinned(r.churned.all.seconds)),
			plot.CDF("the same, observers", thinned(r.churned.observed.seconds)), plot.CDF("Tor's relays", thinned(r.tor.all.seconds)),
		},
		Said: []plot.Reference{plot.Upright("85 % in the paper", 1)},
	})
}

// plotTrade plots what it brings to find dead parents sooner.
func (r *rappelResults) plotTrade(run *lab.Run, s rappelSizes) {
	p := plot.Plot{
		Name: "trade", Title: "What comes late, by how dead parents are found",
		Caption: fmt.Sprintf("%s readers, a quarter replaced an hour, an update each 10 s. How many messages each costs is among the figures.", count(s.Trade)),
		X:       plot.Axis{Label: "latency", Unit: "s", Log: true}, Y: plot.Axis{Label: "share that comes later", Log: true},
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
	medians, highs := plot.Series{Label: "median"}, plot.Series{Label: "95th percentile"}
	for i, children := range fanOuts {
		late := r.fanOuts[i].all.seconds
		medians.Points = append(medians.Points, plot.Point{X: float64(children), Y: quantile(late, 0.5)})
		highs.Points = append(highs.Points, plot.Point{X: float64(children), Y: quantile(late, 0.95)})
	}
	run.Plot(plot.Plot{
		Name: "fan-out", Title: "How late updates come, by how many children a node may have",
		Caption: fmt.Sprintf("%s readers, a quarter replaced an hour. In the paper more than 5 children bring little.", count(s.Trade)),
		X:       plot.Axis{Label: "children"}, Y: plot.Axis{Label: "latency", Unit: "s"}, Series: []plot.Series{medians, highs},
	})
}

// plotFriends plots figure 9.
func (r *rappelResults) plotFriends(run *lab.Run, s rappelSizes) {
	caption := fmt.Sprintf("%s readers of %s feeds.", count(s.Readers), count(s.Feeds))
	most := slices.Max(r.friends[0].wanted)
	run.Plot(plot.Plot{
		Name: "coverage", Title: "Feeds that friends follow too, by how many a reader follows",
		Caption: caption + " Each dot is a reader; in the paper 91 % lie on the line.",
		X:       plot.Axis{Label: "feeds of a reader"}, Y: plot.Axis{Label: "covered by friends"},
		Series: []plot.Series{
			{Label: "readers", Kind: plot.Dots, Points: scatter(r.friends[0].wanted, r.friends[0].covered)},
			{Label: "median", Points: mediansBy(r.friends[0].wanted, r.friends[0].covered)},
		},
		Said: []plot.Reference{plot.Curve("all", plot.Point{}, plot.Point{X: most, Y: most})},
	})
	covered := plot.Plot{
		Name: "coverage-parts", Title: "Which share of its feeds the friends of a reader cover",
		Caption: caption + " Those with several feeds, by what friends are chosen for.",
		X:       plot.Axis{Label: "share of the feeds", Share: true}, Y: plot.Axis{Label: "share of readers", Share: true},
	}
	overlap := plot.Plot{
		Name: "overlap", Title: "How many roles a neighbour has",
		Caption: caption + " Of those with several feeds: friends, parents and children over the neighbours that have these roles; in the paper above 1 at more than 80 %.",
		X:       plot.Axis{Label: "roles of a neighbour"}, Y: plot.Axis{Label: "share of readers", Share: true},
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
		Name: "scribe", Title: "How late an update comes, by Rappel and by Scribe",
		Caption: fmt.Sprintf("%s readers, on round trips of PlanetLab. Scribe's trees are rooted at the publisher, and may lead over nodes that are no readers.",
			count(s.Among)),
		X: plot.Axis{Label: "latency", Unit: "s"}, Y: plot.Axis{Label: "share of readers", Share: true},
	}
	for _, c := range r.contests {
		p.Series = append(p.Series, plot.CDF(sized("Rappel", c.nodes), c.ours), plot.CDF(sized("Scribe", c.nodes), c.scribes))
	}
	run.Plot(p)
	load := func(name, router string, wanted, data []float64) {
		run.Plot(plot.Plot{
			Name: name, Title: "Messages with content at a node, by how many feeds it follows: " + router,
			Caption: fmt.Sprintf("One update of each of %s feeds, sent and received; each dot is one of %s readers.", count(s.Feeds), count(s.Readers)),
			X:       plot.Axis{Label: "feeds of a reader"}, Y: plot.Axis{Label: "messages"},
			Series: []plot.Series{{Label: router, Kind: plot.Dots, Points: scatter(wanted, data)}},
		})
	}
	load("load-scribe", "Scribe", r.imbalance.wanted, r.imbalance.data)
	load("load", "Rappel", r.friends[0].wanted, r.friends[0].data)
}

// plotLoad plots figure 11.
func (r *rappelResults) plotLoad(run *lab.Run, s rappelSizes) {
	run.Plot(plot.Plot{
		Name: "rejoins", Title: "Periodic rejoins that a node is asked for, by its height in the tree",
		Caption: "One feed at rest; the publisher's height is 0. Means in ten minutes.",
		X:       plot.Axis{Label: "height"}, Y: plot.Axis{Label: "rejoins in ten minutes"},
		Series: []plot.Series{
			{Label: count(s.Large) + " readers", Points: r.still.rejoins}, {Label: count(2*s.Large) + " readers", Points: r.twice.rejoins},
		},
	})
	kinds := plot.Plot{
		Name: "kinds", Title: "Messages of the reader that is nearest to the publisher",
		Caption: fmt.Sprintf("Sent and received, of %s readers, a quarter replaced an hour. It is away for the third quarter of the time.", count(s.Large)),
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
		medians, highs := plot.Series{Label: "median"}, plot.Series{Label: "95th percentile"}
		slices.SortFunc(worlds, func(a, b befriended) int { return cmp.Compare(of(a), of(b)) })
		for _, b := range worlds {
			sorted := slices.Sorted(slices.Values(b.messages))
			medians.Points = append(medians.Points, plot.Point{X: of(b), Y: quantile(sorted, 0.5)})
			highs.Points = append(highs.Points, plot.Point{X: of(b), Y: quantile(sorted, 0.95)})
		}
		run.Plot(plot.Plot{
			Name: name, Title: title, Caption: caption, X: x, Y: plot.Axis{Label: "messages a second"},
			Series: []plot.Series{medians, highs}, Said: []plot.Reference{plot.Level("the paper's medians: below", 2)},
		})
	}
	load("growth", "Messages without content at a reader, by the size of the network",
		fmt.Sprintf("Sent and received. %s feeds.", count(s.Feeds)), plot.Axis{Label: "readers", Log: true},
		append(slices.Clone(r.grown), r.friends[0]), func(b befriended) float64 { return float64(len(b.wanted)) })
	load("channels", "Messages without content at a reader, by the number of feeds that there are",
		fmt.Sprintf("Sent and received. %s readers.", count(s.Grown[len(s.Grown)/2])), plot.Axis{Label: "feeds"},
		slices.Clone(r.channels), func(b befriended) float64 { return float64(b.feeds) })
	b := r.friends[0]
	run.Plot(plot.Plot{
		Name: "per-feed", Title: "Messages without content at a reader, by how many feeds it follows",
		Caption: fmt.Sprintf("Sent and received; each dot is one of %s readers. In the paper each feed costs 0.15 to 0.4 messages a second.", count(s.Readers)),
		X:       plot.Axis{Label: "feeds of a reader"}, Y: plot.Axis{Label: "messages a second"},
		Series: []plot.Series{{Label: "readers", Kind: plot.Dots, Points: scatter(b.wanted, b.messages)}},
	})
}
