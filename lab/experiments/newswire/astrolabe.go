// Package newswire measures zones: those of network/astrolabe, and the items that network/routers/newswire brings down
// them.
package newswire

import (
	"math"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/astrolabe"
)

// Astrolabe measures how soon zones know what a member says, and how they form and mend.
var Astrolabe = wording.Of("astrolabe", lab.Experiment[astrolabeSizes]{
	Expect: func(s astrolabeSizes) []lab.Expected { return s.figures().Expected() },
	Memory: func(s astrolabeSizes) uint64 { return uint64(slices.Max(s.Frozen))*12_000 + 256<<20 },
	Run:    runAstrolabe,
})

type astrolabeSizes struct {
	Frozen   []int `json:"frozen"`   // nodes of the networks at rest
	Changes  int   `json:"changes"`  // that are watched in each
	Joined   []int `json:"joined"`   // nodes of the networks that form by joining
	Troubled int   `json:"troubled"` // nodes of those in which nodes fail
}

// astrolabeWay is how news travels in a frozen network.
type astrolabeWay struct {
	name, label string
	loss        float64 // share of the messages
	compareOnly bool    // rows are sent only in answer to comparisons

	// most is how many rounds may pass until all know, for each doubling of the number of nodes.
	most float64
}

var astrolabeWays = []astrolabeWay{
	{name: "push", label: "as shipped", most: 0.5},
	{name: "loss1", label: "1 % loss", loss: 0.01, most: 1},
	{name: "loss5", label: "5 % loss", loss: 0.05, most: 1},
	{name: "compare", label: "comparisons alone", compareOnly: true, most: 2},
}

type astrolabeResults struct {
	frozen map[string]*[]float64 // by network: seconds until a node knew, ascending
	joined map[string]*astrolabeJoined
	failed *astrolabeFailed
	churn  *astrolabeChurn
}

func (s astrolabeSizes) figures() (f lab.Figures[*astrolabeResults]) {
	round := astrolabe.Default().Interval.Seconds()
	for _, n := range s.Frozen {
		for _, way := range astrolabeWays {
			var known lab.Figures[[]float64]
			for _, q := range []struct {
				name  string
				share float64
			}{{"p50", 0.5}, {"p99", 0.99}, {"all", 1}} {
				known.Report("."+q.name+"_seconds", "s",
					func(seconds []float64) float64 { return stats.Quantile(seconds, q.share) })
				known.Report("."+q.name+"_rounds", "rounds",
					func(seconds []float64) float64 { return stats.Quantile(seconds, q.share) / round })
			}
			known.Promise(".all_rounds_over_log2_nodes", "rounds", lab.AtMost(way.most),
				func(seconds []float64) float64 {
					return stats.Quantile(seconds, 1) / round / math.Log2(float64(n))
				})
			known.Promise(".unaware", "nodes", lab.Exactly(0),
				func(seconds []float64) float64 { return float64(n*s.Changes - len(seconds)) })
			key := lab.NodesKey(way.name, n)
			lab.Part(&f, key, func(r *astrolabeResults) []float64 { return *r.frozen[key] }, known)
		}
	}
	for _, n := range s.Joined {
		key := lab.NodesKey("joined", n)
		lab.Part(&f, key, func(r *astrolabeResults) *astrolabeJoined { return r.joined[key] }, joinedFigures())
	}
	lifetime := (astrolabe.Default().Lifetime + 30*time.Second).Seconds()
	f.Promise("representatives.named_seconds", "s", lab.AtMost(60),
		func(r *astrolabeResults) float64 { return r.failed.named })
	f.Promise("member.forgotten_seconds", "s", lab.AtMost(lifetime),
		func(r *astrolabeResults) float64 { return r.failed.forgotten })
	f.Report("churn.replaced", "nodes", func(r *astrolabeResults) float64 { return float64(r.churn.replaced) })
	f.Promise("churn.count_error", "", lab.AtMost(0.1), func(r *astrolabeResults) float64 { return r.churn.off })
	f.Promise("churn.agree_seconds", "s", lab.AtMost(20*60), func(r *astrolabeResults) float64 { return r.churn.agree })
	return f
}

func joinedFigures() (f lab.Figures[*astrolabeJoined]) {
	f.Promise(".agree_seconds", "s", lab.AtMost(15*60), func(j *astrolabeJoined) float64 { return j.agree })
	f.Report(".leaf_zones", "", func(j *astrolabeJoined) float64 { return float64(len(j.zones)) })
	f.Report(".smallest_leaf_zone", "members", func(j *astrolabeJoined) float64 { return float64(slices.Min(j.zones)) })
	f.Promise(".largest_leaf_zone", "members", lab.AtMost(float64(astrolabe.Default().Full)),
		func(j *astrolabeJoined) float64 {
			return float64(slices.Max(j.zones))
		})
	f.Report(".rest_messages_per_second", "messages/s", func(j *astrolabeJoined) float64 { return j.messages })
	f.Promise(".rest_bytes_per_second", "B/s", lab.AtMost(400), func(j *astrolabeJoined) float64 { return j.bytes })
	return f
}

func runAstrolabe(run *lab.Run, s astrolabeSizes) error {
	r := &astrolabeResults{frozen: make(map[string]*[]float64), joined: make(map[string]*astrolabeJoined)}
	var parts lab.Parts
	for _, n := range s.Frozen {
		for _, way := range astrolabeWays {
			r.frozen[lab.NodesKey(way.name, n)] = lab.AddPart(&parts,
				func(part *lab.Run) []float64 { return measureFrozen(part, n, s.Changes, way) })
		}
	}
	for _, n := range s.Joined {
		r.joined[lab.NodesKey("joined", n)] = lab.AddPart(&parts,
			func(part *lab.Run) astrolabeJoined { return measureJoined(part, n) })
	}
	r.failed = lab.AddPart(&parts, func(part *lab.Run) astrolabeFailed { return measureFailed(part, s.Troubled) })
	r.churn = lab.AddPart(&parts, func(part *lab.Run) astrolabeChurn { return measureAstrolabeChurn(part, s.Troubled) })
	run.Stage("networks", 1)
	run.Parts(parts)
	s.figures().Give(run, r)
	plotAstrolabe(run, s, r)
	return nil
}

// plotAstrolabe draws in how many rounds all nodes know, by their number. In the largest network it also draws how many
// know by when.
func plotAstrolabe(run *lab.Run, s astrolabeSizes, r *astrolabeResults) {
	draw, largest := wording.Plots("astrolabe", s), s.Frozen[len(s.Frozen)-1]
	rounds, known := draw("rounds"), draw("known", lab.Count(largest))
	for _, way := range astrolabeWays {
		rounds = rounds.With(plot.Over(way.label, s.Frozen, func(i int) float64 {
			return stats.Quantile(*r.frozen[lab.NodesKey(way.name, s.Frozen[i])],
				1) / astrolabe.Default().Interval.Seconds()
		}))
		known = known.With(percentiles(way.label, *r.frozen[lab.NodesKey(way.name, largest)]))
	}
	run.Plot(rounds)
	run.Plot(known)
}

// percentiles returns how many percent of ascending values are not above which.
func percentiles(label string, sorted []float64) plot.Series {
	at := make([]float64, 200)
	for q := range at {
		at[q] = stats.Quantile(sorted, float64(q)/199)
	}
	return plot.Over(label, at, func(q int) float64 { return float64(q) / 1.99 })
}
