// Package feedtree measures what pushing by network/feedtree costs, and how soon it is, in simulated networks and with
// whole nodes.
package feedtree

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/dataset"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
)

// Experiment measures what pushing costs publishers and those between, and how soon it is with readers.
var Experiment = wording.Of("feedtree", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return uint64(s.Nodes[len(s.Nodes)-1]) * 80_000 },
	Run:    run,
})

type sizes struct {
	Nodes       []int         `json:"nodes"`    // each of which follows all feeds
	Items       int           `json:"items"`    // of each feed
	Interior    int           `json:"interior"` // nodes where an interior member is watched
	InteriorFor time.Duration `json:"interior_for_ns"`
}

type results struct {
	interior interior
	pushed   []*pushing // by network
	feeds    []recorded
}

// paperInterior is what the paper says, in bytes a second: the payload, to each child.
const paperInterior = 4096 * 16 / 3600.

// ownRatio names the figure that shows that a publisher's load does not depend on how many subscribe. It counts what
// the publishers' nodes send because they publish, without what a member in the same place sends too; see isMembers.
// Nearly all of a day is the latter. It is upkeep of the ring, which has a larger leaf set among 100 nodes than among
// 10, and Scribe's heartbeats to children in the trees of all feeds. So it depends on where the publishers' nodes
// stand, also if they publish nothing. It is reported beside what other nodes send. If a publisher had too many
// children, the bytes that it sends for each byte published would show it.
const ownRatio = "publishers' bytes a day because they publish, most over least of all sizes"

// figures are those of a run. A publisher's node may send an item to each of 16 children and three roots, with a third
// of overhead.
func figures(s sizes) (f lab.Figures[*results]) {
	f.Judge("items sent by a member with 16 children, 4 KB an hour", "B/s", lab.AtMost(paperInterior*1.35),
		func(r *results) float64 { return r.interior.items }).
		Says(paperInterior)
	f.Report("all that FeedTree and Scribe send there", "B/s", func(r *results) float64 { return r.interior.all })
	f.Report("children of that member", "", func(r *results) float64 { return float64(r.interior.children) })
	for i, n := range s.Nodes {
		of := func(name, unit string, within lab.Bounds, of func(p *pushing) float64) *lab.Measured[*results] {
			return f.Judge(lab.Sized(name, n), unit, within, func(r *results) float64 { return of(r.pushed[i]) })
		}
		polled := func(r *results) float64 { return pollingDay(r.feeds) * float64(n) }
		of("bytes that a publisher sends for each byte published", "", lab.AtMost(19*4/3.),
			func(p *pushing) float64 { return p.factor })
		of("bytes a second that a publisher's node sends at rest", "B/s", lab.AtMost(500),
			func(p *pushing) float64 { return p.rest })
		of("bytes a second that another node sends at rest", "B/s", lab.Bounds{},
			func(p *pushing) float64 { return p.others })
		of("bytes sent by four publishers in a day", "B", lab.Bounds{}, func(p *pushing) float64 { return p.day })
		of("bytes of these because they publish", "B", lab.Bounds{}, func(p *pushing) float64 { return p.own })
		f.Report(lab.Sized("bytes sent by four origins to pollers in a day", n), "B", polled)
		of("median time until a reader has an item", "s", lab.AtMost(2),
			func(p *pushing) float64 { return stats.Quantile(p.delays, 0.5) })
		of("time until 99 % of readers have an item", "s", lab.AtMost(5),
			func(p *pushing) float64 { return stats.Quantile(p.delays, 0.99) })
		of("items that readers lack", "", lab.Exactly(0),
			func(p *pushing) float64 { return float64(p.lacking) }).Worst = true
		ratio := f.Report(lab.Sized("bytes of polling for each byte of pushing", n), "",
			func(r *results) float64 { return polled(r) / r.pushed[i].day })
		if n >= 1000 {
			ratio.Bound(lab.AtLeast(float64(n) / 100))
		}
	}
	f.Judge(ownRatio, "", lab.AtMost(3), func(r *results) float64 {
		var days []float64
		for _, p := range r.pushed {
			days = append(days, p.own)
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
		at := len(s.Nodes) - 1 - i // the largest first: it runs longest
		r.pushed[at] = newForest(part, len(r.feeds)).push(s.Nodes[at], s.Items, r.feeds)
	})
	figures(s).Give(run, r)
	plots(run, s, r)
	return nil
}

func plots(run *lab.Run, s sizes, r *results) {
	draw := wording.Plots("feedtree", s)
	run.Plot(draw("costs").With(
		plot.Over("publishers that push", s.Nodes, func(i int) float64 { return r.pushed[i].day }),
		plot.Over("origins that are polled", s.Nodes,
			func(i int) float64 { return pollingDay(r.feeds) * float64(s.Nodes[i]) })))
	delays := draw("delays", len(r.feeds))
	for i, n := range s.Nodes[:min(len(s.Nodes), plot.MaxSeries)] {
		delays = delays.With(plot.CDF(lab.Count(n)+" nodes", stats.Thinned(r.pushed[i].delays)))
	}
	run.Plot(delays)
}

// recorded is a feed with a recorded history.
type recorded struct {
	name    string
	updates []dataset.Update
	items   []int   // lengths of the entries published, in order
	perDay  float64 // items
}

// recordedNames are feeds of several kinds: two articles a week, a few jobs an hour, news of a public transport
// service, and a merged feed of several others.
var recordedNames = []string{"rust-blog", "new-grad-jobs", "wien-oepnv-en", "merged-feed"}

// aboutItem is how many bytes an entry needs beside what is new in the feed's document: names of fields, and its
// identity.
const aboutItem = 120

// maxRecordedItem bounds what a recording makes of one item, as when a feed's whole template changed.
const maxRecordedItem = 64 << 10

func recordedFeeds() (feeds []recorded) {
	all := dataset.Feeds()
	for _, name := range recordedNames {
		i := slices.IndexFunc(all, func(f dataset.Feed) bool { return f.Name == name })
		feeds = append(feeds, newRecorded(name, all[i].Updates))
	}
	return feeds
}

// newRecorded makes items of recorded updates: as many as are new in a state, or one if only old ones have changed.
// They share the bytes that were added.
func newRecorded(name string, updates []dataset.Update) recorded {
	f := recorded{name: name, updates: updates}
	for _, u := range updates[1:] {
		if !u.Changed {
			continue
		}
		k := max(1, u.NewItems)
		for range k {
			f.items = append(f.items, min(u.Added/k+aboutItem, maxRecordedItem))
		}
	}
	span := updates[len(updates)-1].Time.Sub(updates[0].Time)
	f.perDay = float64(len(f.items)) / (span.Hours() / 24)
	return f
}

// Polling, as readers do it.
const (
	pollingEvery = 30 * time.Minute
	aboutAnswer  = 300 // bytes of the head of an answer
	phases       = 8
)

// pollingDay returns the bytes that one reader of all feeds is sent a day.
func pollingDay(feeds []recorded) (bytes float64) {
	for _, f := range feeds {
		for phase := range phases {
			bytes += polled(f.updates, pollingEvery*time.Duration(phase)/phases) / phases
		}
	}
	return bytes
}

// polled returns the bytes that a reader is sent a day that polls at some phase. It is sent the document whenever the
// state differs from that of the last poll.
func polled(updates []dataset.Update, phase time.Duration) float64 {
	start, end := updates[0].Time, updates[len(updates)-1].Time
	bytes, at, seen := 0, 0, 0
	for now := start.Add(phase); now.Before(end); now = now.Add(pollingEvery) {
		for at+1 < len(updates) && !updates[at+1].Time.After(now) {
			at++
		}
		bytes += aboutAnswer
		if at != seen {
			bytes += updates[at].Bytes
			seen = at
		}
	}
	return float64(bytes) / (end.Sub(start).Hours() / 24)
}
