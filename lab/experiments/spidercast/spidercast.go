// Package spidercast measures the overlays of network/routers/spidercast, and what travels on them.
package spidercast

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/network/routers/spidercast/overlay"
)

// Experiment measures the overlays of network/routers/spidercast, and what travels on them.
var Experiment = wording.Of("spidercast", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return uint64(s.largest())*40_000 + 128<<20 },
	Run:    run,
})

// thousands are the sizes of the paper's networks.
var thousands = []int{1000, 2000, 4000, 6000, 8000, 10_000}

type sizes struct {
	Nodes    []int `json:"nodes"`    // of the networks of Table 12, and of ours
	Frugal   []int `json:"frugal"`   // of ours with some topics left to two neighbours
	Compared []int `json:"compared"` // of the networks of Table 6, of Figures 7, 8 and 13, and of those of Figure 14
	Limits   []int `json:"limits"`   // of those that the greedy merge connects

	Subscriptions []int `json:"subscriptions"` // other numbers of topics that a node follows (Figure 8c)
	Topics        []int `json:"topics"`        // numbers of topics of which each node follows 20 (Figure 8b)
	Scaled        int   `json:"scaled"`        // nodes of those networks, and of those of Figure 9

	Crashed []int `json:"crashed"` // nodes of the networks of which a fifth crashes
	Joined  []int `json:"joined"`  // of those that nodes join and leave one by one

	Churned  []int           `json:"churned"`      // nodes that are up, on average, in the networks of Figure 11
	Lives    []time.Duration `json:"lives_ns"`     // for how long a node is up there, on average
	ChurnFor time.Duration   `json:"churn_for_ns"` // how long that goes on

	Spread int `json:"spread"` // nodes of the networks on which events are published
	Near   int `json:"near"`   // of those in which nodes stand at PlanetLab's sites

	Gossip []int `json:"gossip"` // nodes of the networks in which they find each other by gossip

	Viewing []int `json:"viewing"` // nodes of the networks with partial views (Figure 10)
	Views   []int `json:"views"`   // percent of the nodes that each knows
}

func (s sizes) largest() (most int) {
	for _, c := range s.cases() {
		most = max(most, c.Nodes)
	}
	return most
}

// results are what a run measured, by the names of what is measured and the number of nodes.
type results struct {
	built  map[string]*spiderBuilt
	crash  map[string]*spiderCrash
	joins  map[string]*spiderJoins
	churn  map[string]*spiderChurn
	spread map[string]*spiderSpread
}

// on returns what was measured of a case.
func (r *results) on(name string, nodes int) *spiderBuilt { return r.built[lab.NodesKey(name, nodes)] }

// lifeKey names a network by how long its nodes are up.
func lifeKey(name string, nodes int, life time.Duration) string {
	return fmt.Sprintf("%s.life%d.n%d", name, int(life.Seconds()), nodes)
}

// parts returns what a run does, and where its results will be.
func (s sizes) parts() (parts lab.Parts, r *results) {
	r = &results{
		make(map[string]*spiderBuilt), make(map[string]*spiderCrash), make(map[string]*spiderJoins),
		make(map[string]*spiderChurn), make(map[string]*spiderSpread),
	}
	for _, c := range s.cases() {
		r.built[lab.NodesKey(c.name, c.Nodes)] = lab.AddPart(&parts, c.measure)
	}
	for _, t := range spreadTrials {
		r.spread[t.name] = lab.AddPart(&parts, func(part *lab.Run) spiderSpread { return t.measure(part, s) })
	}
	for _, o := range spiderTroubled {
		for _, n := range s.Crashed {
			r.crash[lab.NodesKey(o.name, n)] = lab.AddPart(&parts,
				func(part *lab.Run) spiderCrash { return measureCrash(part, settings(n, o.config)) })
		}
		for _, n := range o.unlessFrugal(s.Joined) {
			r.joins[lab.NodesKey(o.name, n)] = lab.AddPart(&parts,
				func(part *lab.Run) spiderJoins { return measureJoins(part, settings(n, o.config)) })
		}
		for _, n := range o.unlessFrugal(s.Churned) {
			for _, life := range s.Lives {
				r.churn[lifeKey(o.name, n, life)] = lab.AddPart(&parts, func(part *lab.Run) spiderChurn {
					return measureChurn(part, settings(n, o.config), life, s.ChurnFor)
				})
			}
		}
	}
	return parts, r
}

// spiderTroubled are the configurations that are tried while nodes crash, join and leave.
var spiderTroubled = []spiderWay{{"paper", overlay.Paper()}, ourWays[0], ourWays[1]}

// unlessFrugal returns no sizes for the frugal way, which is tried at rest and in a crash alone. It shows what fewer
// links cost, and no node runs it.
func (w spiderWay) unlessFrugal(sizes []int) []int {
	if w.name == "frugal" {
		return nil
	}
	return sizes
}

func run(run *lab.Run, s sizes) error {
	parts, r := s.parts()
	run.Stage("overlays", 1)
	run.Parts(parts)
	figures(s).Give(run, r)
	r.plot(run, s)
	return nil
}

// lines are cases in a plot: their names, and their labels.
type lines [][2]string

// byNodes draws a measure of some cases, by the number of nodes.
func (r *results) byNodes(p plot.Plot, nodes []int, measure func(b *spiderBuilt) float64, lines lines) plot.Plot {
	for _, l := range lines {
		var sizes []int
		for _, n := range nodes {
			if r.on(l[0], n) != nil {
				sizes = append(sizes, n)
			}
		}
		p = p.With(plot.Over(l[1], sizes, func(i int) float64 { return measure(r.on(l[0], sizes[i])) }))
	}
	return p
}

func (r *results) plot(run *lab.Run, s sizes) {
	draw, degree := wording.Plots("spidercast", s), (*spiderBuilt).degree
	popular := lines{{"uniform", "uniform"}, {"paper", "RSS: Zipf 0.5"}, {"zipf1", "Zipf 1"}, {"nyse", "NYSE"}}
	follows, similar := lines{{"paper", "10 subscriptions"}}, lines{{"paper", "the paper's settings"}}
	for _, k := range s.Subscriptions {
		follows = append(follows, [2]string{fmt.Sprint("follows", k), fmt.Sprint(k, " subscriptions")})
	}
	for _, o := range rivals {
		similar = append(similar, [2]string{o.name, o.name})
	}
	paper := plot.Curve("paper",
		plot.Over("", thousands, func(i int) float64 { return table12[thousands[i]] }).Points...)
	run.Plot(r.byNodes(draw("degree").Beside(paper), s.Nodes, degree, lines{
		{"paper", "the paper's settings"}, {"ours", "ours"}, {"frugal", "ours, frugal"},
		{"limit", "greedy merge: the limit"}, {"ring", "a ring for each topic"},
	}))
	run.Plot(r.byNodes(draw("zipf2"), s.Compared, degree, lines{{"zipf2_30", "(3,0)"}, {"zipf2_31", "(3,1)"},
		{"zipf2_adaptive", "adaptive"}}))
	run.Plot(r.byNodes(draw("popularity"), s.Compared, degree, popular))
	run.Plot(r.byNodes(draw("intersection"), s.Compared, func(b *spiderBuilt) float64 { return 100 * b.near }, popular))
	run.Plot(r.byNodes(draw("topics"), s.Compared, degree, lines{{"paper", "100 topics"}, {"topics200", "200 topics"}}))
	run.Plot(r.byNodes(draw("subscriptions"), s.Compared, degree, follows))
	run.Plot(r.byNodes(draw("components"), s.Compared, (*spiderBuilt).components, similar))
	run.Plot(draw("many-topics").With(plot.Over("the paper's settings", s.Topics, func(i int) float64 {
		return r.on(fmt.Sprint("follows20of", s.Topics[i]), s.Scaled).degree()
	})))
	for _, pair := range [][2]int{{0, 1}, {2, 3}} {
		p := draw(unequal[pair[1]].name)
		for _, i := range pair {
			u := unequal[i]
			p = p.With(plot.CDF(fmt.Sprintf("%d to %d topics", u.least, u.most), r.on(u.name, s.Scaled).degrees))
		}
		run.Plot(p)
	}
	views := draw("views")
	for _, n := range s.Viewing {
		views = views.With(plot.Over(lab.Count(n)+" nodes", s.Views,
			func(i int) float64 { return r.on(fmt.Sprint("view", s.Views[i]), n).degree() }))
	}
	run.Plot(views)
	run.Plot(r.churned(draw("churn"), s))
}

// churned draws how many links nodes have while they come and go, by how long they are up.
func (r *results) churned(p plot.Plot, s sizes) plot.Plot {
	var lives []float64
	for _, life := range s.Lives {
		lives = append(lives, life.Seconds())
	}
	for _, o := range spiderTroubled {
		for _, n := range o.unlessFrugal(s.Churned) {
			p = p.With(plot.Over(fmt.Sprintf("%s, %s nodes", o.name, lab.Count(n)), lives, func(i int) float64 {
				return r.churn[lifeKey(o.name, n, s.Lives[i])].degree
			}))
		}
	}
	return p
}
