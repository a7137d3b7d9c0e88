package experiments

import (
	"fmt"

	"tidings/lab"
	"tidings/lab/plot"
)

// spiderLine is a case in a plot.
type spiderLine struct{ name, label string }

// plot draws the paper's figures.
func (r *spiderResults) plot(run *lab.Run, s spiderSizes) {
	byNodes := func(name, title string, y plot.Axis, nodes []int, measure func(b *spiderBuilt) float64, said []plot.Reference, lines ...spiderLine) {
		p := plot.Plot{
			Name: name, Title: title, Caption: "Each node follows 10 of 100 topics where nothing else is said; all know all others.",
			X: plot.Axis{Label: "nodes"}, Y: y, Said: said,
		}
		for _, l := range lines {
			series := plot.Series{Label: l.label}
			for _, n := range nodes {
				if b := r.on(l.name, n); b != nil {
					series.Points = append(series.Points, plot.Point{X: float64(n), Y: measure(b)})
				}
			}
			p.Series = append(p.Series, series)
		}
		run.Plot(p)
	}
	degree := func(b *spiderBuilt) float64 { return mean(b.degrees) }
	near := func(b *spiderBuilt) float64 { return 100 * b.near }
	links := plot.Axis{Label: "average degree"}
	intersection := plot.Axis{Label: "top-20 intersection", Unit: "%"}

	byNodes("degree", "Links of a node (Table 12, Figure 14)", links, s.Nodes, degree, []plot.Reference{curveOf("paper", table12)},
		spiderLine{"paper", "the paper's settings"}, spiderLine{"ours", "ours"}, spiderLine{"frugal", "ours, frugal"}, spiderLine{"limit", "greedy merge: the limit"},
		spiderLine{"ring", "a ring for each topic"})
	byNodes("zipf2", "Links of a node where interests are much alike (Figure 6)", links, s.Compared, degree, nil,
		spiderLine{"zipf2_30", "(3,0)"}, spiderLine{"zipf2_31", "(3,1)"}, spiderLine{"zipf2_adaptive", "adaptive"})
	popular := []spiderLine{{"uniform", "uniform"}, {"paper", "RSS: Zipf 0.5"}, {"zipf1", "Zipf 1"}, {"nyse", "NYSE"}}
	byNodes("popularity", "Links of a node by how popular topics are (Figure 7a)", links, s.Compared, degree, nil, popular...)
	byNodes("intersection", "How much the 20 most similar have in common (Figure 7b)", intersection, s.Compared, near, nil, popular...)
	byNodes("topics", "Links of a node with 100 and 200 topics (Figure 8a)", links, s.Compared, degree, nil,
		spiderLine{"paper", "100 topics"}, spiderLine{"topics200", "200 topics"})
	var follows []spiderLine
	for _, k := range s.Subscriptions {
		follows = append(follows, spiderLine{fmt.Sprintf("follows%d", k), fmt.Sprintf("%d subscriptions", k)})
	}
	byNodes("subscriptions", "Links of a node by how many topics it follows (Figure 8c)", links, s.Compared, degree, nil,
		append([]spiderLine{{"paper", "10 subscriptions"}}, follows...)...)
	var similar []spiderLine
	for _, o := range rivals {
		similar = append(similar, spiderLine{o.name, o.name})
	}
	byNodes("components", "Components of all topics together (Figure 13)", plot.Axis{Label: "components", Log: true}, s.Compared,
		func(b *spiderBuilt) float64 { return float64(allComponents(b.shapes)) }, []plot.Reference{plot.Level("topics", 100)},
		append([]spiderLine{{"paper", "the paper's settings"}}, similar...)...)
	r.plotTopics(run, s)
	r.plotUnequal(run, s)
	r.plotViews(run, s)
	r.plotChurn(run, s)
}

// curveOf returns what the paper measured, by number of nodes.
func curveOf(label string, table map[int]float64) plot.Reference {
	var points []plot.Point
	for _, n := range thousands {
		points = append(points, plot.Point{X: float64(n), Y: table[n]})
	}
	return plot.Curve(label, points...)
}

// plotTopics plots Figure 8b.
func (r *spiderResults) plotTopics(run *lab.Run, s spiderSizes) {
	var points []plot.Point
	for _, t := range s.Topics {
		points = append(points, plot.Point{X: float64(t), Y: mean(r.on(fmt.Sprintf("follows20of%d", t), s.Scaled).degrees)})
	}
	run.Plot(plot.Plot{
		Name: "many-topics", Title: "Links of a node by how many topics there are (Figure 8b)",
		Caption: fmt.Sprintf("%s nodes that follow 20 topics each.", count(s.Scaled)),
		X:       plot.Axis{Label: "topics"}, Y: plot.Axis{Label: "average degree"}, Series: []plot.Series{{Label: "the paper's settings", Points: points}},
	})
}

// plotUnequal plots Figure 9.
func (r *spiderResults) plotUnequal(run *lab.Run, s spiderSizes) {
	for _, pair := range [][2]int{{0, 1}, {2, 3}} {
		p := plot.Plot{
			Name: unequal[pair[1]].name, Title: fmt.Sprintf("Degrees where nodes follow %d topics on average (Figure 9)", unequal[pair[0]].least),
			Caption: fmt.Sprintf("%s nodes, 100 topics.", count(s.Scaled)), X: plot.Axis{Label: "degree"}, Y: plot.Axis{Label: "share of the nodes"},
		}
		for _, i := range pair {
			u := unequal[i]
			p.Series = append(p.Series, plot.CDF(fmt.Sprintf("%d to %d topics", u.least, u.most), r.on(u.name, s.Scaled).degrees))
		}
		run.Plot(p)
	}
}

// plotViews plots Figure 10.
func (r *spiderResults) plotViews(run *lab.Run, s spiderSizes) {
	p := plot.Plot{
		Name: "views", Title: "Links of a node by how many others it knows (Figure 10)",
		Caption: "Each node knows some of the others, drawn by lot once for all.", X: plot.Axis{Label: "share of the nodes that each knows", Unit: "%"}, Y: plot.Axis{Label: "average degree"},
	}
	for _, n := range s.Viewing {
		series := plot.Series{Label: count(n) + " nodes"}
		for _, percent := range s.Views {
			series.Points = append(series.Points, plot.Point{X: float64(percent), Y: mean(r.on(fmt.Sprintf("view%d", percent), n).degrees)})
		}
		p.Series = append(p.Series, series)
	}
	run.Plot(p)
}

// plotChurn plots Figure 11.
func (r *spiderResults) plotChurn(run *lab.Run, s spiderSizes) {
	p := plot.Plot{
		Name: "churn", Title: "Links of a node while nodes come and go (Figure 11)", Caption: "Means of five snapshots. Nodes leave in good order and return with other interests.",
		X: plot.Axis{Label: "mean life", Unit: "s"}, Y: plot.Axis{Label: "average degree"},
	}
	for _, o := range spiderTroubled {
		for _, n := range o.churned(s) {
			series := plot.Series{Label: fmt.Sprintf("%s, %s nodes", o.name, count(n))}
			for _, life := range s.Lives {
				series.Points = append(series.Points, plot.Point{X: life.Seconds(), Y: r.churn[lifeKey(o.name, n, life)].degree})
			}
			p.Series = append(p.Series, series)
		}
	}
	run.Plot(p)
}
