// Package spidercast measures the overlays of network/spidercast, and what travels on them.
package spidercast

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/network/spidercast/overlay"
)

// Experiment measures the overlays of network/spidercast, and what travels on them.
var Experiment = wording.Of("spidercast", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return uint64(s.largest())*40_000 + 128<<20 },
	Run:    run,
})

// thousands are the sizes of the paper's networks.
var thousands = []int{1000, 2000, 4000, 6000, 8000, 10_000}

// sizes are the parameters of Experiment.
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

	Viewing []int `json:"viewing"` // nodes of the networks whose views are partial (Figure 10)
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
func (r *results) on(name string, nodes int) *spiderBuilt { return r.built[nodesKey(name, nodes)] }

// nodesKey names a network of so many nodes.
func nodesKey(name string, nodes int) string { return fmt.Sprintf("%s.n%d", name, nodes) }

// lifeKey names a network whose nodes are up for so long.
func lifeKey(name string, nodes int, life time.Duration) string {
	return fmt.Sprintf("%s.life%d.n%d", name, int(life.Seconds()), nodes)
}

// parts returns what a run does, and where its results will be.
func (s sizes) parts() (parts lab.Parts, r *results) {
	r = &results{
		make(map[string]*spiderBuilt), make(map[string]*spiderCrash), make(map[string]*spiderJoins), make(map[string]*spiderChurn), make(map[string]*spiderSpread),
	}
	for _, c := range s.cases() {
		r.built[nodesKey(c.name, c.Nodes)] = lab.AddPart(&parts, c.measure)
	}
	for _, t := range spreadTrials {
		r.spread[t.name] = lab.AddPart(&parts, func(part *lab.Run) spiderSpread { return t.measure(part, s) })
	}
	for _, o := range spiderTroubled {
		for _, n := range s.Crashed {
			r.crash[nodesKey(o.name, n)] = lab.AddPart(&parts, func(part *lab.Run) spiderCrash { return measureCrash(part, settings(n, o.config)) })
		}
		for _, n := range o.joined(s) {
			r.joins[nodesKey(o.name, n)] = lab.AddPart(&parts, func(part *lab.Run) spiderJoins { return measureJoins(part, settings(n, o.config)) })
		}
		for _, n := range o.churned(s) {
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

// joined returns the sizes of the networks that nodes join one by one, and churned of those in which they come and go.
func (w spiderWay) joined(s sizes) []int  { return w.unlessFrugal(s.Joined) }
func (w spiderWay) churned(s sizes) []int { return w.unlessFrugal(s.Churned) }

// unlessFrugal returns no sizes for the frugal way, which is tried at rest and in a crash alone: it shows what fewer links cost, and no node runs it.
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
func (r *results) byNodes(run *lab.Run, p plot.Plot, nodes []int, measure func(b *spiderBuilt) float64, lines lines) {
	p.Caption = "Each node follows 10 of 100 topics where nothing else is said; all know all others."
	p.X = plot.Axis{Label: "nodes"}
	for _, l := range lines {
		var sizes []int
		for _, n := range nodes {
			if r.on(l[0], n) != nil {
				sizes = append(sizes, n)
			}
		}
		p.Series = append(p.Series, plot.Over(l[1], sizes, func(i int) float64 { return measure(r.on(l[0], sizes[i])) }))
	}
	run.Plot(p)
}

// plot draws the paper's figures.
func (r *results) plot(run *lab.Run, s sizes) {
	links := plot.Axis{Label: "average degree"}
	popular := lines{{"uniform", "uniform"}, {"paper", "RSS: Zipf 0.5"}, {"zipf1", "Zipf 1"}, {"nyse", "NYSE"}}
	follows, similar := lines{{"paper", "10 subscriptions"}}, lines{{"paper", "the paper's settings"}}
	for _, k := range s.Subscriptions {
		follows = append(follows, [2]string{fmt.Sprint("follows", k), fmt.Sprint(k, " subscriptions")})
	}
	for _, o := range rivals {
		similar = append(similar, [2]string{o.name, o.name})
	}
	r.byNodes(run, plot.Plot{Name: "degree", Title: "Links of a node (Table 12, Figure 14)", Y: links, Said: []plot.Reference{curveOf("paper", table12)}},
		s.Nodes, (*spiderBuilt).degree, lines{{"paper", "the paper's settings"}, {"ours", "ours"}, {"frugal", "ours, frugal"}, {"limit", "greedy merge: the limit"},
			{"ring", "a ring for each topic"}})
	r.byNodes(run, plot.Plot{Name: "zipf2", Title: "Links of a node where interests are much alike (Figure 6)", Y: links}, s.Compared, (*spiderBuilt).degree,
		lines{{"zipf2_30", "(3,0)"}, {"zipf2_31", "(3,1)"}, {"zipf2_adaptive", "adaptive"}})
	r.byNodes(run, plot.Plot{Name: "popularity", Title: "Links of a node by how popular topics are (Figure 7a)", Y: links}, s.Compared, (*spiderBuilt).degree, popular)
	r.byNodes(run, plot.Plot{Name: "intersection", Title: "How much the 20 most similar have in common (Figure 7b)", Y: plot.Axis{Label: "top-20 intersection", Unit: "%"}},
		s.Compared, func(b *spiderBuilt) float64 { return 100 * b.near }, popular)
	r.byNodes(run, plot.Plot{Name: "topics", Title: "Links of a node with 100 and 200 topics (Figure 8a)", Y: links}, s.Compared, (*spiderBuilt).degree,
		lines{{"paper", "100 topics"}, {"topics200", "200 topics"}})
	r.byNodes(run, plot.Plot{Name: "subscriptions", Title: "Links of a node by how many topics it follows (Figure 8c)", Y: links}, s.Compared, (*spiderBuilt).degree, follows)
	r.byNodes(run, plot.Plot{
		Name: "components", Title: "Components of all topics together (Figure 13)", Y: plot.Axis{Label: "components", Log: true},
		Said: []plot.Reference{plot.Level("topics", 100)},
	}, s.Compared, (*spiderBuilt).components, similar)
	run.Plot(plot.Plot{
		Name: "many-topics", Title: "Links of a node by how many topics there are (Figure 8b)",
		Caption: fmt.Sprintf("%s nodes that follow 20 topics each.", lab.Count(s.Scaled)), X: plot.Axis{Label: "topics"}, Y: links,
		Series: []plot.Series{plot.Over("the paper's settings", s.Topics, func(i int) float64 {
			return r.on(fmt.Sprint("follows20of", s.Topics[i]), s.Scaled).degree()
		})},
	})
	r.plotUnequal(run, s)
	r.plotViews(run, s)
	r.plotChurn(run, s)
}

// curveOf returns what the paper measured, by number of nodes.
func curveOf(label string, table map[int]float64) plot.Reference {
	return plot.Curve(label, plot.Over("", thousands, func(i int) float64 { return table[thousands[i]] }).Points...)
}

// plotUnequal plots Figure 9.
func (r *results) plotUnequal(run *lab.Run, s sizes) {
	for _, pair := range [][2]int{{0, 1}, {2, 3}} {
		p := plot.Plot{
			Name: unequal[pair[1]].name, Title: fmt.Sprintf("Degrees where nodes follow %d topics on average (Figure 9)", unequal[pair[0]].least),
			Caption: fmt.Sprintf("%s nodes, 100 topics.", lab.Count(s.Scaled)), X: plot.Axis{Label: "degree"}, Y: plot.Axis{Label: "share of the nodes"},
		}
		for _, i := range pair {
			u := unequal[i]
			p.Series = append(p.Series, plot.CDF(fmt.Sprintf("%d to %d topics", u.least, u.most), r.on(u.name, s.Scaled).degrees))
		}
		run.Plot(p)
	}
}

// plotViews plots Figure 10.
func (r *results) plotViews(run *lab.Run, s sizes) {
	p := plot.Plot{
		Name: "views", Title: "Links of a node by how many others it knows (Figure 10)", Caption: "Each node knows some of the others, drawn by lot once for all.",
		X: plot.Axis{Label: "share of the nodes that each knows", Unit: "%"}, Y: plot.Axis{Label: "average degree"},
	}
	for _, n := range s.Viewing {
		p.Series = append(p.Series, plot.Over(lab.Count(n)+" nodes", s.Views, func(i int) float64 { return r.on(fmt.Sprint("view", s.Views[i]), n).degree() }))
	}
	run.Plot(p)
}

// plotChurn plots Figure 11.
func (r *results) plotChurn(run *lab.Run, s sizes) {
	p := plot.Plot{
		Name: "churn", Title: "Links of a node while nodes come and go (Figure 11)", Caption: "Means of five snapshots. Nodes leave in good order and return with other interests.",
		X: plot.Axis{Label: "mean life", Unit: "s"}, Y: plot.Axis{Label: "average degree"},
	}
	var lives []float64
	for _, life := range s.Lives {
		lives = append(lives, life.Seconds())
	}
	for _, o := range spiderTroubled {
		for _, n := range o.churned(s) {
			p.Series = append(p.Series, plot.Over(fmt.Sprintf("%s, %s nodes", o.name, lab.Count(n)), lives, func(i int) float64 {
				return r.churn[lifeKey(o.name, n, s.Lives[i])].degree
			}))
		}
	}
	run.Plot(p)
}
