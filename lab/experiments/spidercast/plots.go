package spidercast

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
)

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
