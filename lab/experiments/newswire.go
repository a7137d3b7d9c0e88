package experiments

import (
	"fmt"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
)

// NewsWire measures how items come down Astrolabe's zones to those who subscribe to them, and what the zones cost.
var NewsWire = lab.Experiment[newswireSizes]{
	Name:  "newswire",
	Title: "NewsWire: an item to a million subscribers, zone by zone",
	Source: "Vogels, Re, van Renesse and Birman, 2002: hundreds of thousands of subscribers have an item within tens of seconds, a subscription is known at " +
		"the root within tens of seconds, and a publisher's load does not depend on how many subscribe",
	About: "Each node subscribes to 10 of 1,000 topics, chosen by Zipf's law with exponent 0.5, stands at one of the sites of 294 PlanetLab hosts with the round trips " +
		"that were measured between them, and begins in a network that is at rest: zones of 32 members, in tables of at most 64 rows. Filters have 1,024 bits and one hash, as in the paper. " +
		"Items are published on the most popular topics, each by another node, a second apart. In the world of which the aims are 1 % of all messages is lost, and a tenth of all who " +
		"speak for a zone, or for the zones above, crashes at the moment when the first item is published: its figures begin with reach; in the one called loss 5 % is lost. Lost is what has not come to a subscriber that is up " +
		"after 100 seconds. What the zones cost is measured before anything is published. A subscription is known at the root when a hundred nodes drawn by " +
		"chance, any of which may be the next publisher, see it in their copies of the root's table; it is a category, as bits of filters are all set up there. " +
		"In the flood, ten publishers send an item every five seconds, and another a hundred times as many. While representatives are cut off, another one loses " +
		"all of its connections every two seconds, for good, and an item is published; what is due to those who were cut off does not count. Filters are also compared with a " +
		"row that has an attribute for each subscription.",

	Tiny:  newswireSizes{Nodes: []int{300}, Items: 2, Flooded: 200, Flood: 10 * time.Second, Rest: 20 * time.Second, CutOff: 5},
	Quick: newswireSizes{Nodes: []int{10_000}, Items: 5, Flooded: 1000, Flood: 30 * time.Second, Rest: 40 * time.Second, CutOff: 20},
	Paper: newswireSizes{Nodes: []int{1000, 10_000, 100_000, 1_000_000}, Items: 5, Flooded: 10_000, Flood: 60 * time.Second, Rest: 40 * time.Second, CutOff: 60},

	Words:  wording.NewsWire,
	Expect: expectNewswire,
	Memory: func(s newswireSizes) uint64 { return uint64(slices.Max(s.Nodes))*16_500 + 256<<20 },
	Run:    runNewswire,
}

// newswireSizes are the parameters of NewsWire.
type newswireSizes struct {
	Nodes   []int         `json:"nodes"`    // of the networks
	Items   int           `json:"items"`    // that are published in each
	Flooded int           `json:"flooded"`  // nodes of the network that is flooded
	Flood   time.Duration `json:"flood_ns"` // for how long
	Rest    time.Duration `json:"rest_ns"`  // for how long the zones are watched before
	CutOff  int           `json:"cut_off"`  // representatives that are cut off one by one, in a network as large as the flooded one
}

// newswireTroubles are the worlds of each size.
var newswireTroubles = []newswireTrouble{
	{"calm", 0, 0}, {"loss", 0.05, 0}, {"reach", 0.01, 0.1},
}

// newswireTrouble is what befalls a world.
type newswireTrouble struct {
	name   string
	loss   float64 // share of the messages
	failed float64 // share of the representatives
}

// troubles returns the worlds of a size: of the largest only the one in trouble, of which the aims are.
func (s newswireSizes) troubles(nodes int) []newswireTrouble {
	if nodes >= 1_000_000 {
		return newswireTroubles[2:]
	}
	return newswireTroubles
}

// The names of figures of a world.
const (
	newsReach50    = ".p50_seconds"
	newsReach99    = ".p99_seconds"
	newsReach999   = ".p999_seconds"
	newsReachAll   = ".all_seconds"
	newsLost       = ".lost"
	newsDue        = ".due"
	newsPublisher  = ".publisher_messages"
	newsBusiest    = ".busiest_forwarder_messages"
	newsPerReader  = ".sendings_per_delivery"
	newsUnwanted   = ".unwanted"
	newsFormula    = ".unwanted_by_formula"
	newsGossip     = ".gossip_bytes_per_second"
	newsKnown      = ".known_at_root_seconds"
	newsRecoveries = ".recovered"
)

func newswireKey(trouble string, nodes int) string { return fmt.Sprintf("%s.n%d", trouble, nodes) }

func expectNewswire(s newswireSizes) (all []lab.Expected) {
	aside := func(name, unit string) { all = append(all, lab.Expected{Name: name, Unit: unit, Aside: true}) }
	judge := func(name, unit string, within lab.Bounds) {
		all = append(all, lab.Expected{Name: name, Unit: unit, Within: within, Worst: true})
	}
	for _, n := range s.Nodes {
		for _, t := range s.troubles(n) {
			key := newswireKey(t.name, n)
			aside(key+newsDue, "deliveries")
			judge(key+newsLost, "deliveries", lab.Exactly(0))
			aside(key+newsReach50, "s")
			aside(key+newsReach99, "s")
			judge(key+newsReach999, "s", lab.AtMost(10))
			judge(key+newsReachAll, "s", lab.AtMost(60))
			aside(key+newsRecoveries, "deliveries")
			judge(key+newsPublisher, "messages", lab.AtMost(400))
			aside(key+newsBusiest, "messages")
			aside(key+newsPerReader, "")
			aside(key+newsUnwanted, "of items that came")
			aside(key+newsFormula, "of items that came")
			if t.name == "reach" {
				judge(key+newsKnown, "s", lab.AtMost(30))
				judge(key+newsGossip, "B/s", lab.AtMost(400))
			}
		}
	}
	judge("reach.lost", "deliveries", lab.Exactly(0))
	judge("publisher.messages", "messages", lab.AtMost(400))
	judge("publisher.messages_of_largest_over_smallest", "", lab.AtMost(10))
	judge("known_at_root_seconds", "s", lab.AtMost(30))
	judge("gossip.bytes_per_second", "B/s", lab.AtMost(400))
	aside("cut_off.p99_seconds", "s")
	judge("cut_off.all_seconds", "s", lab.AtMost(60))
	judge("cut_off.lost", "deliveries", lab.Exactly(0))
	aside("flood.others_p99_seconds", "s")
	judge("flood.others_p99_ratio", "", lab.AtMost(1.5))
	judge("flood.others_lost", "deliveries", lab.Exactly(0))
	return expectFilters(all)
}

func runNewswire(run *lab.Run, s newswireSizes) error {
	type world struct {
		nodes   int
		trouble newswireTrouble
	}
	var worlds []world
	for _, n := range s.Nodes {
		for _, t := range s.troubles(n) {
			worlds = append(worlds, world{n, t})
		}
	}
	run.Stage("networks", 1)
	reached := make([]newswireReach, len(worlds))
	var flood [2]newswireReach
	var cutOff newswireReach
	err := run.Each(len(worlds)+len(flood)+1, func(part *lab.Run, i int) (err error) {
		switch at := i - len(worlds); {
		case at < 0:
			reached[i], err = measureReach(part, s, worlds[i].nodes, worlds[i].trouble)
		case at < len(flood):
			flood[at], err = measureFlood(part, s, at == 1)
		default:
			cutOff, err = measureCutOff(part, s)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, w := range worlds {
		r, key := &reached[i], newswireKey(w.trouble.name, w.nodes)
		slices.Sort(r.seconds)
		run.Figure(key+newsDue, float64(r.due))
		run.Figure(key+newsLost, float64(r.lost))
		run.Figure(key+newsReach50, quantile(r.seconds, 0.5))
		run.Figure(key+newsReach99, quantile(r.seconds, 0.99))
		run.Figure(key+newsReach999, quantile(r.seconds, 0.999))
		run.Figure(key+newsReachAll, quantile(r.seconds, 1))
		run.Figure(key+newsRecoveries, float64(r.recovered))
		run.Figure(key+newsPublisher, float64(r.publisher)/float64(s.Items))
		run.Figure(key+newsBusiest, float64(r.busiest))
		run.Figure(key+newsPerReader, share(float64(r.sendings), float64(len(r.seconds))))
		run.Figure(key+newsUnwanted, share(float64(r.unwanted), float64(r.unwanted+len(r.seconds))))
		run.Figure(key+newsFormula, r.formula)
		if w.trouble.name == "reach" {
			run.Figure(key+newsKnown, r.known)
			run.Figure(key+newsGossip, r.gossip)
		}
	}
	sumUpReach(run, s, func(nodes int) *newswireReach {
		return &reached[slices.IndexFunc(worlds, func(w world) bool { return w.nodes == nodes && w.trouble.name == "reach" })]
	})
	slices.Sort(cutOff.seconds)
	run.Figure("cut_off.p99_seconds", quantile(cutOff.seconds, 0.99))
	run.Figure("cut_off.all_seconds", quantile(cutOff.seconds, 1))
	run.Figure("cut_off.lost", float64(cutOff.lost))
	calm, flooded := &flood[0], &flood[1]
	slices.Sort(calm.seconds)
	slices.Sort(flooded.seconds)
	run.Figure("flood.others_p99_seconds", quantile(flooded.seconds, 0.99))
	run.Figure("flood.others_p99_ratio", quantile(flooded.seconds, 0.99)/quantile(calm.seconds, 0.99))
	run.Figure("flood.others_lost", float64(flooded.lost))
	runFilters(run)
	plotReach(run, s, func(trouble string, nodes int) *newswireReach {
		for i, w := range worlds {
			if w.trouble.name == trouble && w.nodes == nodes {
				return &reached[i]
			}
		}
		return nil
	})
	return nil
}

// sumUpReach states over all sizes what the aims are about. What zones cost is of the largest network that has at most a hundred thousand nodes.
func sumUpReach(run *lab.Run, s newswireSizes, of func(nodes int) *newswireReach) {
	lost, known, gossip := 0, 0.0, 0.0
	for _, n := range s.Nodes {
		r := of(n)
		lost += r.lost
		known = max(known, r.known)
		if n <= 100_000 {
			gossip = r.gossip
		}
	}
	smallest, largest := of(slices.Min(s.Nodes)), of(slices.Max(s.Nodes))
	run.Figure("reach.lost", float64(lost))
	run.Figure("publisher.messages", float64(largest.publisher)/float64(s.Items))
	run.Figure("publisher.messages_of_largest_over_smallest", share(float64(largest.publisher), float64(smallest.publisher)))
	run.Figure("known_at_root_seconds", known)
	run.Figure("gossip.bytes_per_second", gossip)
}

// plotReach draws how soon items come to all, by the size of the network, and, in the largest, to how many by when.
func plotReach(run *lab.Run, s newswireSizes, of func(trouble string, nodes int) *newswireReach) {
	bySize := plot.Plot{
		Name: "reach", Title: "How soon subscribers have an item, with 1 % loss and a tenth of the representatives failing",
		Caption: "Nodes at PlanetLab's sites; five items on popular topics, published as the representatives fail.",
		X:       plot.Axis{Label: "nodes", Log: true}, Y: plot.Axis{Label: "after publishing", Unit: "s", Log: true},
	}
	for _, line := range []struct {
		label string
		q     float64
	}{{"half of the subscribers", 0.5}, {"99 %", 0.99}, {"99.9 %", 0.999}, {"all", 1}} {
		series := plot.Series{Label: line.label}
		for _, n := range s.Nodes {
			if r := of("reach", n); r != nil && len(r.seconds) > 0 {
				series.Points = append(series.Points, plot.Point{X: float64(n), Y: quantile(r.seconds, line.q)})
			}
		}
		bySize.Series = append(bySize.Series, series)
	}
	run.Plot(bySize)

	largest := slices.Max(s.Nodes)
	byTime := plot.Plot{
		Name: "spread", Title: "Who has an item by when", Caption: fmt.Sprintf("%s nodes.", count(largest)),
		X: plot.Axis{Label: "after publishing", Unit: "s", Log: true}, Y: plot.Axis{Label: "of the subscribers", Unit: "%"},
	}
	for _, t := range s.troubles(largest) {
		r := of(t.name, largest)
		if r == nil || len(r.seconds) == 0 {
			continue
		}
		series := plot.Series{Label: fmt.Sprintf("%g %% loss, %g %% of the representatives fail", 100*t.loss, 100*t.failed)}
		for q := range 200 {
			series.Points = append(series.Points, plot.Point{X: quantile(r.seconds, float64(q)/199), Y: float64(q) / 1.99})
		}
		byTime.Series = append(byTime.Series, series)
	}
	run.Plot(byTime)
}
