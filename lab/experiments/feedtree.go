package experiments

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
)

// Feedtree measures what pushing costs publishers and those between, and how soon it is with readers.
var Feedtree = lab.Experiment[feedtreeSizes]{
	Name:   "feedtree",
	Title:  "FeedTree: bytes sent by publishers and by members, against polling, and how soon readers have news",
	Source: "Sandler, Mislove, Post and Druschel, IPTPS 2005, section 4: 18.2 bytes a second at an interior node for 4 KB an hour and 16 children",
	About: "Rings of Pastry grow; then all nodes follow every feed at one moment, so that trees of Scribe grow, and hear a first word of each " +
		"publisher three seconds later. All settings are the ordinary ones; signatures are verified once for all nodes, to spare the processor. First, " +
		"4 KB an hour are published, 1 KB at a time, and what the member with the most children sends is reckoned for 16. Then, in networks of several sizes, " +
		"four publishers at random nodes publish the latest items of four recorded feeds, with the lengths that they had: the bytes that " +
		"each publisher's node sends for its own items are counted, all that it sends at rest (with what the ring takes, and heartbeats " +
		"every five minutes), and when each reader has each item. A day of pushing is what was measured of an item, as often as the feed had " +
		"items a day, and a day at rest. A day of polling is reckoned from the same recordings for as many readers who ask " +
		"every 30 minutes, at random phases, with conditional requests: 300 bytes where nothing has changed, the document and 300 bytes where it " +
		"has; nothing is compressed on either side. Messages take as long as half of the round trips measured between 294 PlanetLab nodes.",

	Tiny: feedtreeSizes{
		Nodes: []int{10, 40}, Items: 2, Interior: 40, InteriorFor: 30 * time.Minute,
	},
	Quick: feedtreeSizes{
		Nodes: []int{10, 100, 1000}, Items: 5, Interior: 100, InteriorFor: time.Hour,
	},
	Paper: feedtreeSizes{
		Nodes: []int{10, 100, 1000, 10_000, 100_000}, Items: 5, Interior: 300, InteriorFor: 4 * time.Hour,
	},

	Words:  wording.Feedtree,
	Expect: expectFeedtree,
	Memory: func(s feedtreeSizes) uint64 { return uint64(s.Nodes[len(s.Nodes)-1]) * 80_000 },
	Run:    runFeedtree,
}

// feedtreeSizes are the parameters of Feedtree.
type feedtreeSizes struct {
	Nodes       []int         `json:"nodes"`    // each of which follows all feeds
	Items       int           `json:"items"`    // of each feed
	Interior    int           `json:"interior"` // nodes where an interior member is watched
	InteriorFor time.Duration `json:"interior_for_ns"`
}

const (
	interiorItems    = "items sent by a member with 16 children, 4 KB an hour"
	interiorAll      = "all that FeedTree and Scribe send there"
	interiorChildren = "children of that member"
	pushFactor       = "bytes that a publisher sends for each byte published"
	pushDay          = "bytes sent by four publishers in a day"
	pushRest         = "bytes a second that a publisher's node sends at rest"
	pollDay          = "bytes sent by four origins to pollers in a day"
	pollOverPush     = "bytes of polling for each byte of pushing"
	pushFlat         = "publishers' bytes a day, most over least of all sizes"
	delayMedian      = "median time until a reader has an item"
	delay99          = "time until 99 % of readers have an item"
	itemsLacking     = "items that readers lack"
)

// paperInterior is what the paper says, in bytes a second: the payload, to each child.
const paperInterior = 4096 * 16 / 3600.

// expectFeedtree returns what a publisher's node may send: an item to each of 16 children and three roots, with
// a third of overhead.
func expectFeedtree(s feedtreeSizes) []lab.Expected {
	all := []lab.Expected{
		{Name: interiorItems, Unit: "B/s", Paper: new(paperInterior), Within: lab.AtMost(paperInterior * 1.35)},
		{Name: interiorAll, Unit: "B/s", Aside: true},
		{Name: interiorChildren, Aside: true},
	}
	for _, n := range s.Nodes {
		all = append(all,
			lab.Expected{Name: sized(pushFactor, n), Within: lab.AtMost(19 * 4 / 3.)},
			lab.Expected{Name: sized(pushRest, n), Unit: "B/s", Within: lab.AtMost(500)},
			lab.Expected{Name: sized(pushDay, n), Unit: "B", Aside: true},
			lab.Expected{Name: sized(pollDay, n), Unit: "B", Aside: true},
			lab.Expected{Name: sized(delayMedian, n), Unit: "s", Within: lab.AtMost(2)},
			lab.Expected{Name: sized(delay99, n), Unit: "s", Within: lab.AtMost(5)},
			lab.Expected{Name: sized(itemsLacking, n), Within: lab.Exactly(0), Worst: true},
		)
		ratio := lab.Expected{Name: sized(pollOverPush, n), Aside: true}
		if n >= 1000 {
			ratio = lab.Expected{Name: sized(pollOverPush, n), Within: lab.AtLeast(float64(n) / 100)}
		}
		all = append(all, ratio)
	}
	return append(all, lab.Expected{Name: pushFlat, Within: lab.AtMost(3)})
}

func runFeedtree(run *lab.Run, s feedtreeSizes) error {
	feeds := recordedFeeds()
	pushed := make([]pushing, len(s.Nodes))
	err := run.Each(len(s.Nodes)+1, func(part *lab.Run, i int) (err error) {
		if i == len(s.Nodes) {
			return watchInterior(part, s)
		}
		at := len(s.Nodes) - 1 - i // the largest first: it takes longest
		pushed[at], err = push(part, s.Nodes[at], s.Items, feeds)
		return err
	})
	if err != nil {
		return err
	}
	least, most := pushed[0].day, pushed[0].day
	for i, n := range s.Nodes {
		p := &pushed[i]
		least, most = min(least, p.day), max(most, p.day)
		run.Figure(sized(pushDay, n), p.day)
		polled := pollingDay(feeds) * float64(n)
		run.Figure(sized(pollDay, n), polled)
		run.Figure(sized(pollOverPush, n), polled/p.day)
	}
	run.Figure(pushFlat, most/least)
	plotFeedtree(run, s, pushed, feeds)
	return nil
}
