// Package feedtree measures what pushing by network/feedtree costs, and how soon it is, in simulated networks and with whole nodes.
package feedtree

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/stats"
)

// Experiment measures what pushing costs publishers and those between, and how soon it is with readers.
var Experiment = lab.Experiment[sizes]{
	Name:   "feedtree",
	Title:  "FeedTree: bytes sent by publishers and by members, against polling, and how soon readers have news",
	Source: "Sandler, Mislove, Post and Druschel, IPTPS 2005, section 4: 18.2 bytes a second at an interior node for 4 KB an hour and 16 children",
	About: "Rings of Pastry grow; then all nodes follow every feed at one moment, so that trees of Scribe grow, and hear a first word of each publisher three " +
		"seconds later. All settings are the ordinary ones; signatures are verified once for all nodes, to spare the processor. First, 4 KB an hour are published, " +
		"1 KB at a time, and what the member with the most children sends is reckoned for 16. Then, in networks of several sizes, four publishers at random nodes " +
		"publish the latest items of four recorded feeds, with the lengths that they had: the bytes that each publisher's node sends for its own items are " +
		"counted, all that it sends at rest (with what the ring takes, and heartbeats every five minutes), and when each reader has each item. A day of pushing is " +
		"what was measured of an item, as often as the feed had items a day, and a day at rest. A day of polling is reckoned from the same recordings for as many " +
		"readers who ask every 30 minutes, at random phases, with conditional requests: 300 bytes where nothing has changed, the document and 300 bytes where it " +
		"has; nothing is compressed on either side. Messages take as long as half of the round trips measured between 294 PlanetLab nodes.",

	Tiny: sizes{
		Nodes: []int{10, 40}, Items: 2, Interior: 40, InteriorFor: 30 * time.Minute,
	},
	Quick: sizes{
		Nodes: []int{10, 100, 1000}, Items: 5, Interior: 100, InteriorFor: time.Hour,
	},
	Paper: sizes{
		Nodes: []int{10, 100, 1000, 10_000, 100_000}, Items: 5, Interior: 300, InteriorFor: 4 * time.Hour,
	},

	Words:  wording.Feedtree,
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return uint64(s.Nodes[len(s.Nodes)-1]) * 80_000 },
	Run:    run,
}

// sizes are the parameters of Experiment.
type sizes struct {
	Nodes       []int         `json:"nodes"`    // each of which follows all feeds
	Items       int           `json:"items"`    // of each feed
	Interior    int           `json:"interior"` // nodes where an interior member is watched
	InteriorFor time.Duration `json:"interior_for_ns"`
}

// results are what the networks of a run gave.
type results struct {
	interior interior
	pushed   []*pushing // by network
	feeds    []recorded
}

// paperInterior is what the paper says, in bytes a second: the payload, to each child.
const paperInterior = 4096 * 16 / 3600.

// figures are those of a run. A publisher's node may send an item to each of 16 children and three roots, with a third of overhead.
func figures(s sizes) (f lab.Figures[*results]) {
	f.Judge("items sent by a member with 16 children, 4 KB an hour", "B/s", lab.AtMost(paperInterior*1.35), func(r *results) float64 { return r.interior.items }).
		Says(paperInterior)
	f.Tell("all that FeedTree and Scribe send there", "B/s", func(r *results) float64 { return r.interior.all })
	f.Tell("children of that member", "", func(r *results) float64 { return float64(r.interior.children) })
	for i, n := range s.Nodes {
		of := func(name, unit string, within lab.Bounds, of func(p *pushing) float64) *lab.Measured[*results] {
			return f.Judge(lab.Sized(name, n), unit, within, func(r *results) float64 { return of(r.pushed[i]) })
		}
		polled := func(r *results) float64 { return pollingDay(r.feeds) * float64(n) }
		of("bytes that a publisher sends for each byte published", "", lab.AtMost(19*4/3.), func(p *pushing) float64 { return p.factor })
		of("bytes a second that a publisher's node sends at rest", "B/s", lab.AtMost(500), func(p *pushing) float64 { return p.rest })
		of("bytes sent by four publishers in a day", "B", lab.Bounds{}, func(p *pushing) float64 { return p.day })
		f.Tell(lab.Sized("bytes sent by four origins to pollers in a day", n), "B", polled)
		of("median time until a reader has an item", "s", lab.AtMost(2), func(p *pushing) float64 { return stats.Quantile(p.delays, 0.5) })
		of("time until 99 % of readers have an item", "s", lab.AtMost(5), func(p *pushing) float64 { return stats.Quantile(p.delays, 0.99) })
		of("items that readers lack", "", lab.Exactly(0), func(p *pushing) float64 { return float64(p.lacking) }).Worst = true
		ratio := f.Tell(lab.Sized("bytes of polling for each byte of pushing", n), "", func(r *results) float64 { return polled(r) / r.pushed[i].day })
		if n >= 1000 {
			ratio.Bound(lab.AtLeast(float64(n) / 100))
		}
	}
	f.Judge("publishers' bytes a day, most over least of all sizes", "", lab.AtMost(3), func(r *results) float64 {
		var days []float64
		for _, p := range r.pushed {
			days = append(days, p.day)
		}
		return slices.Max(days) / slices.Min(days)
	})
	return f
}

func run(run *lab.Run, s sizes) error {
	r := &results{pushed: make([]*pushing, len(s.Nodes)), feeds: recordedFeeds()}
	run.Each(len(s.Nodes)+1, func(part *lab.Run, i int) {
		if i == len(s.Nodes) {
			r.interior = watchInterior(part, s)
			return
		}
		at := len(s.Nodes) - 1 - i // the largest first: it takes longest
		r.pushed[at] = push(part, s.Nodes[at], s.Items, r.feeds)
	})
	figures(s).Give(run, r)
	plots(run, s, r)
	return nil
}
