package newswire

import (
	"fmt"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
)

// NewsWire measures how items come down Astrolabe's zones to subscribers, and what the zones cost.
var NewsWire = wording.Of("newswire", lab.Experiment[newswireSizes]{
	Expect: func(s newswireSizes) []lab.Expected { return s.figures().Expected() },
	Memory: func(s newswireSizes) uint64 { return uint64(slices.Max(s.Nodes))*16_500 + 256<<20 },
	Run:    runNewswire,
})

type newswireSizes struct {
	Nodes   []int         `json:"nodes"`    // of the networks
	Items   int           `json:"items"`    // that are published in each
	Flooded int           `json:"flooded"`  // nodes of the network that is flooded
	Flood   time.Duration `json:"flood_ns"` // for how long
	Rest    time.Duration `json:"rest_ns"`  // for how long the zones are watched before
	// representatives that are cut off one by one, in a network as large as the flooded one
	CutOff int `json:"cut_off"`
}

// newswireTroubles are the worlds of each size.
var newswireTroubles = []newswireTrouble{
	{"calm", 0, 0}, {"loss", 0.05, 0}, {"reach", 0.01, 0.1},
}

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

type newswireResults struct {
	reached       map[string]*newswireReach // by trouble and nodes
	calm, flooded *newswireReach
	cutOff        *newswireReach
	filters       map[string]newswireFilter
}

// reach returns what was measured of the world of a size of which the aims are.
func (r *newswireResults) reach(nodes int) *newswireReach {
	return r.reached[lab.NodesKey("reach", nodes)]
}

func (s newswireSizes) figures() (f lab.Figures[*newswireResults]) {
	for _, n := range s.Nodes {
		for _, t := range s.troubles(n) {
			key := lab.NodesKey(t.name, n)
			lab.Part(&f, key, func(r *newswireResults) *newswireReach { return r.reached[key] }, s.reachFigures(t))
		}
	}
	// What the aims are about, over all sizes. What zones cost is of the largest network that has at most a hundred
	// thousand nodes.
	smallest, largest, common := slices.Min(s.Nodes), slices.Max(s.Nodes), 0
	for _, n := range s.Nodes {
		if n <= 100_000 {
			common = n
		}
	}
	over := func(name, unit string, within lab.Bounds, of func(w *newswireReach) float64,
		join func(a, b float64) float64) {
		f.Promise(name, unit, within, func(r *newswireResults) (all float64) {
			for _, n := range s.Nodes {
				all = join(all, of(r.reach(n)))
			}
			return all
		})
	}
	over("reach.lost", "deliveries", lab.Exactly(0), func(w *newswireReach) float64 { return float64(w.lost) },
		func(a, b float64) float64 { return a + b })
	f.Promise("publisher.messages", "messages", lab.AtMost(400), func(r *newswireResults) float64 {
		return float64(r.reach(largest).publisher) / float64(s.Items)
	})
	f.Promise("publisher.messages_of_largest_over_smallest", "", lab.AtMost(10), func(r *newswireResults) float64 {
		return stats.Share(float64(r.reach(largest).publisher), float64(r.reach(smallest).publisher))
	})
	over("known_at_root_seconds", "s", lab.AtMost(30), func(w *newswireReach) float64 { return w.known },
		func(a, b float64) float64 { return max(a, b) })
	f.Promise("gossip.bytes_per_second", "B/s", lab.AtMost(400),
		func(r *newswireResults) float64 { return r.reach(common).gossip })
	f.Report("cut_off.p99_seconds", "s",
		func(r *newswireResults) float64 { return stats.Quantile(r.cutOff.seconds, 0.99) })
	f.Promise("cut_off.all_seconds", "s", lab.AtMost(60),
		func(r *newswireResults) float64 { return stats.Quantile(r.cutOff.seconds, 1) })
	f.Promise("cut_off.lost", "deliveries", lab.Exactly(0),
		func(r *newswireResults) float64 { return float64(r.cutOff.lost) })
	f.Report("flood.others_p99_seconds", "s",
		func(r *newswireResults) float64 { return stats.Quantile(r.flooded.seconds, 0.99) })
	f.Promise("flood.others_p99_ratio", "", lab.AtMost(1.5), func(r *newswireResults) float64 {
		return stats.Quantile(r.flooded.seconds, 0.99) / stats.Quantile(r.calm.seconds, 0.99)
	})
	f.Promise("flood.others_lost", "deliveries", lab.Exactly(0),
		func(r *newswireResults) float64 { return float64(r.flooded.lost) })
	addFilterFigures(&f)
	return f
}

func (s newswireSizes) reachFigures(t newswireTrouble) (f lab.Figures[*newswireReach]) {
	f.Report(".due", "deliveries", func(w *newswireReach) float64 { return float64(w.due) })
	f.Promise(".lost", "deliveries", lab.Exactly(0), func(w *newswireReach) float64 { return float64(w.lost) })
	f.Report(".p50_seconds", "s", func(w *newswireReach) float64 { return stats.Quantile(w.seconds, 0.5) })
	f.Report(".p99_seconds", "s", func(w *newswireReach) float64 { return stats.Quantile(w.seconds, 0.99) })
	f.Promise(".p999_seconds", "s", lab.AtMost(10),
		func(w *newswireReach) float64 { return stats.Quantile(w.seconds, 0.999) })
	f.Promise(".all_seconds", "s", lab.AtMost(60),
		func(w *newswireReach) float64 { return stats.Quantile(w.seconds, 1) })
	f.Report(".recovered", "deliveries", func(w *newswireReach) float64 { return float64(w.recovered) })
	f.Promise(".publisher_messages", "messages", lab.AtMost(400),
		func(w *newswireReach) float64 { return float64(w.publisher) / float64(s.Items) })
	f.Report(".busiest_forwarder_messages", "messages", func(w *newswireReach) float64 { return float64(w.busiest) })
	f.Report(".sendings_per_delivery", "",
		func(w *newswireReach) float64 { return stats.Share(float64(w.sendings), float64(len(w.seconds))) })
	f.Report(".unwanted", "of items that came", func(w *newswireReach) float64 {
		return stats.Share(float64(w.unwanted), float64(w.unwanted+len(w.seconds)))
	})
	f.Report(".unwanted_by_formula", "of items that came", func(w *newswireReach) float64 { return w.formula })
	if t.name == "reach" {
		f.Promise(".known_at_root_seconds", "s", lab.AtMost(30), func(w *newswireReach) float64 { return w.known })
		f.Promise(".gossip_bytes_per_second", "B/s", lab.AtMost(400),
			func(w *newswireReach) float64 { return w.gossip })
	}
	return f
}

func runNewswire(run *lab.Run, s newswireSizes) error {
	r := &newswireResults{reached: make(map[string]*newswireReach), filters: measureFilters(run)}
	var parts lab.Parts
	for _, n := range s.Nodes {
		for _, t := range s.troubles(n) {
			r.reached[lab.NodesKey(t.name, n)] = lab.AddPart(&parts,
				func(part *lab.Run) newswireReach { return measureReach(part, s, n, t) })
		}
	}
	r.calm = lab.AddPart(&parts, func(part *lab.Run) newswireReach { return measureFlood(part, s, false) })
	r.flooded = lab.AddPart(&parts, func(part *lab.Run) newswireReach { return measureFlood(part, s, true) })
	r.cutOff = lab.AddPart(&parts, func(part *lab.Run) newswireReach { return measureCutOff(part, s) })
	run.Stage("networks", 1)
	run.Parts(parts)
	s.figures().Give(run, r)
	plotNewswire(run, s, r)
	return nil
}

// plotNewswire draws what filters claim in vain, and how soon items come to all, by the size of the network. In the
// largest network it also draws to how many they come by when.
func plotNewswire(run *lab.Run, s newswireSizes, r *newswireResults) {
	draw, largest := wording.Plots("newswire", s), slices.Max(s.Nodes)
	run.Plot(draw("filter").With(r.filterLines()...))
	reach := draw("reach")
	for _, line := range []struct {
		label string
		q     float64
	}{{"half of the subscribers", 0.5}, {"99 %", 0.99}, {"99.9 %", 0.999}, {"all", 1}} {
		reach = reach.With(plot.Over(line.label, s.Nodes,
			func(i int) float64 { return stats.Quantile(r.reach(s.Nodes[i]).seconds, line.q) }))
	}
	run.Plot(reach)
	spread := draw("spread", lab.Count(largest))
	for _, t := range s.troubles(largest) {
		label := fmt.Sprintf("%g %% loss, %g %% of the representatives fail", 100*t.loss, 100*t.failed)
		spread = spread.With(percentiles(label, r.reached[lab.NodesKey(t.name, largest)].seconds))
	}
	run.Plot(spread)
}
