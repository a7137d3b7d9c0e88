package experiments

import (
	"fmt"
	"slices"

	"tidings/lab"
)

// spiderFigure is a figure, and how it comes of the results.
type spiderFigure struct {
	lab.Expected
	measure func(r *spiderResults) float64
}

// spiderList gathers figures.
type spiderList []*spiderFigure

func (l *spiderList) judge(name, unit string, within lab.Bounds, measure func(r *spiderResults) float64) *spiderFigure {
	f := &spiderFigure{lab.Expected{Name: name, Unit: unit, Within: within, Aside: within == lab.Bounds{}}, measure}
	*l = append(*l, f)
	return f
}

func (l *spiderList) tell(name, unit string, measure func(r *spiderResults) float64) *spiderFigure {
	return l.judge(name, unit, lab.Bounds{}, measure)
}

// said notes what the paper says.
func (f *spiderFigure) said(x float64) *spiderFigure {
	f.Paper = &x
	return f
}

// bound has a figure judged.
func (f *spiderFigure) bound(within lab.Bounds) *spiderFigure {
	f.Within, f.Aside = within, within == lab.Bounds{}
	return f
}

// Table 12 and Table 6, by number of nodes.
var (
	table12 = map[int]float64{1000: 10.81, 2000: 10.11, 4000: 9.53, 6000: 9.24, 8000: 9.08, 10_000: 8.95}
	table6  = map[int]float64{1000: 0, 2000: 0, 4000: 0, 6000: 15, 8000: 14, 10_000: 14}
)

// rivalDegrees are the rows of Table 12 by the rivals' names.
var rivalDegrees = map[string]map[int]float64{
	"similarity10":  {1000: 10.08, 2000: 10.07, 4000: 10.08, 6000: 10.09, 8000: 10.08, 10_000: 10.08},
	"similarity9_1": {1000: 10.22, 2000: 10.22, 4000: 10.20, 6000: 10.22, 8000: 10.21, 10_000: 10.22},
	"similarity8_2": {1000: 10.20, 2000: 10.19, 4000: 10.19, 6000: 10.20, 8000: 10.20, 10_000: 10.20},
	"similarity7_3": {1000: 10.21, 2000: 10.21, 4000: 10.20, 6000: 10.22, 8000: 10.21, 10_000: 10.21},
	"random10":      {1000: 10.82, 2000: 10.54, 4000: 10.34, 6000: 10.12, 8000: 10.08, 10_000: 10.11},
	"similarity20":  {1000: 20.04, 2000: 20.04, 4000: 20.04, 6000: 20.04, 8000: 20.03, 10_000: 20.04},
}

// spiderFigures returns all figures.
func spiderFigures(s spiderSizes) []*spiderFigure {
	var l spiderList
	l.paperSettings(s)
	l.popularities(s)
	l.scaling(s)
	l.comparison(s)
	l.ours(s)
	l.spread()
	for _, o := range spiderTroubled {
		l.trouble(s, o.name)
	}
	return l
}

// built adds the degree, the partitioned topics and the diameter of a case.
func (l *spiderList) built(name string, n int, parts lab.Bounds) (degree *spiderFigure) {
	at := fmt.Sprintf(".n%d", n)
	l.judge(name+".partitioned"+at, "topics", parts, func(r *spiderResults) float64 { return float64(partitioned(r.on(name, n).shapes)) })
	l.tell(name+".diameter"+at, "hops", func(r *spiderResults) float64 { return float64(largestDiameter(r.on(name, n).shapes)) })
	return l.tell(name+".degree"+at, "", func(r *spiderResults) float64 { return mean(r.on(name, n).degrees) })
}

// within5 returns the bounds of what the paper measured: five percent around it; none if it did not.
func within5(table map[int]float64, n int) lab.Bounds {
	if x, ok := table[n]; ok {
		return lab.Near(x, 0.05)
	}
	return lab.Bounds{}
}

// paperSettings adds Table 12, first row, and Table 6.
func (l *spiderList) paperSettings(s spiderSizes) {
	for _, n := range s.Nodes {
		f := l.built("paper", n, lab.Bounds{}).bound(within5(table12, n))
		if x, ok := table12[n]; ok {
			f.said(x)
		}
		at := fmt.Sprintf(".n%d", n)
		l.tell("paper.degree_most"+at, "", func(r *spiderResults) float64 { return slices.Max(r.on("paper", n).degrees) }).said(32)
		l.tell("paper.requests"+at, "of a node", func(r *spiderResults) float64 { return r.on("paper", n).requests })
	}
	l.judge("paper.partitioned", "topics", lab.Exactly(0), func(r *spiderResults) (sum float64) {
		for _, n := range s.Nodes {
			sum += float64(partitioned(r.on("paper", n).shapes))
		}
		return sum
	}).said(0)
	for _, n := range s.Compared {
		parts := lab.Bounds{}
		if n >= 6000 {
			parts = lab.AtLeast(1)
		}
		for _, z := range zipf2Ways {
			if z.name != "zipf2_30" {
				parts = lab.Exactly(0)
			}
			l.built(z.name, n, parts)
			if x, ok := table6[n]; ok && z.name == "zipf2_30" {
				(*l)[len(*l)-3].said(x) // the topics in parts
			}
		}
	}
}

// popularities adds Figure 7.
func (l *spiderList) popularities(s spiderSizes) {
	for _, n := range s.Compared {
		for _, p := range []topicPopularity{zipf1Topics, nyseTopics, uniformTopics} {
			l.built(p.name, n, lab.Exactly(0)).bound(lab.AtMost(12))
			l.near(p.name, n, 20)
		}
	}
	for _, n := range s.Nodes {
		l.near("paper", n, 20)
	}
}

// near adds tdi(d).
func (l *spiderList) near(name string, n, d int) {
	l.tell(fmt.Sprintf("%s.tdi%d.n%d", name, d, n), "%", func(r *spiderResults) float64 { return 100 * r.on(name, n).near })
}

// scaling adds Figures 8, 9 and 10.
func (l *spiderList) scaling(s spiderSizes) {
	for _, n := range s.Compared {
		l.built("topics200", n, lab.Exactly(0))
		l.near("topics200", n, 20)
		for _, k := range s.Subscriptions {
			name := fmt.Sprintf("follows%d", k)
			l.built(name, n, lab.Exactly(0))
			l.near(name, n, 2*k)
		}
	}
	for _, t := range s.Topics {
		name := fmt.Sprintf("follows20of%d", t)
		l.built(name, s.Scaled, lab.Exactly(0))
		l.near(name, s.Scaled, 40)
	}
	for _, u := range unequal {
		l.built(u.name, s.Scaled, lab.Exactly(0))
	}
	for _, pair := range [][2]string{{"unequal20", "equal20"}, {"unequal40", "equal40"}} {
		l.judge(pair[0]+".degree_of_equal", "", lab.Between(0.9, 1.1), func(r *spiderResults) float64 {
			return share(mean(r.on(pair[0], s.Scaled).degrees), mean(r.on(pair[1], s.Scaled).degrees))
		}).said(1)
	}
	for _, n := range s.Gossip {
		l.built("gossip", n, lab.Exactly(0))
	}
	for _, n := range s.Viewing {
		for _, percent := range s.Views {
			l.built(fmt.Sprintf("view%d", percent), n, lab.Exactly(0))
		}
	}
}

// comparison adds the rest of Table 12, Figures 13 and 14, and the limit.
func (l *spiderList) comparison(s spiderSizes) {
	for _, n := range s.Compared {
		at := fmt.Sprintf(".n%d", n)
		for _, r := range rivals {
			f := l.tell(r.name+".degree"+at, "", func(res *spiderResults) float64 { return mean(res.on(r.name, n).degrees) })
			if x, ok := rivalDegrees[r.name][n]; ok {
				f.said(x)
			}
			l.judge(r.name+".components"+at, "", lab.AtLeast(101), func(res *spiderResults) float64 {
				return float64(allComponents(res.on(r.name, n).shapes))
			})
		}
		l.tell("ring.degree"+at, "", func(r *spiderResults) float64 { return mean(r.on("ring", n).degrees) })
		if slices.Contains(s.Nodes, n) {
			l.tell("ring.degree_of_paper"+at, "", func(r *spiderResults) float64 {
				return share(mean(r.on("ring", n).degrees), mean(r.on("paper", n).degrees))
			})
		}
	}
	for _, n := range s.Limits {
		f := l.built("limit", n, lab.Exactly(0))
		if x, ok := map[int]float64{1000: 5.35, 2000: 4.99}[n]; ok {
			f.said(x)
		}
	}
}

// The aims of our own for fewer links.
var ourDegrees = map[int]float64{1000: 8.6, 10_000: 7.4}

// ours adds our ways to fewer links.
func (l *spiderList) ours(s spiderSizes) {
	for _, o := range ourWays {
		ships := o.name == "ours"
		for _, n := range o.sizes(s) {
			degree := l.tell(nodesKey(o.name+".degree", n), "", func(r *spiderResults) float64 { return mean(r.on(o.name, n).degrees) })
			if x, ok := ourDegrees[n]; ok {
				degree.bound(lab.AtMost(x))
			}
			l.tell(nodesKey(o.name+".requests", n), "of a node", func(r *spiderResults) float64 { return r.on(o.name, n).requests })
			l.tell(nodesKey(o.name+".diameter", n), "hops", func(r *spiderResults) float64 { return float64(largestDiameter(r.on(o.name, n).shapes)) })
		}
		parted := l.tell(o.name+".partitioned", "topics", func(r *spiderResults) (sum float64) {
			for _, n := range o.sizes(s) {
				sum += float64(partitioned(r.on(o.name, n).shapes))
			}
			return sum
		})
		diameter := l.tell(o.name+".diameter", "hops", func(r *spiderResults) (most float64) {
			for _, n := range o.sizes(s) {
				most = max(most, float64(largestDiameter(r.on(o.name, n).shapes)))
			}
			return most
		})
		if ships {
			parted.bound(lab.Exactly(0))
			diameter.bound(lab.AtMost(8))
		}
	}
}

// trouble adds what becomes of an overlay when nodes crash, join and leave.
func (l *spiderList) trouble(s spiderSizes, name string) {
	for _, n := range s.Crashed {
		at := func(what string) string { return nodesKey(name+".crash20."+what, n) }
		l.tell(at("partitioned"), "topics", func(r *spiderResults) float64 { return r.crash[nodesKey(name, n)].partitioned })
		l.tell(at("cut"), "followers", func(r *spiderResults) float64 { return r.crash[nodesKey(name, n)].cut })
		l.judge(at("partitioned_after_60s"), "topics", lab.Exactly(0), func(r *spiderResults) float64 { return float64(r.crash[nodesKey(name, n)].later) })
		if name != "paper" {
			within := lab.Bounds{}
			if name == "ours" {
				within = lab.AtMost(0)
			}
			l.judge(at("partitioned_over_paper"), "topics", within, func(r *spiderResults) float64 {
				return r.crash[nodesKey(name, n)].partitioned - r.crash[nodesKey("paper", n)].partitioned
			})
		}
	}
	for _, n := range (spiderWay{name: name}).joined(s) {
		joins := l.tell(nodesKey(name+".messages_per_join", n), "", func(r *spiderResults) float64 { return r.joins[nodesKey(name, n)].join })
		if name == "ours" {
			joins.bound(lab.AtMost(38))
		}
		l.tell(nodesKey(name+".messages_per_leave", n), "", func(r *spiderResults) float64 { return r.joins[nodesKey(name, n)].leave })
	}
	for _, n := range (spiderWay{name: name}).churned(s) {
		for _, life := range s.Lives {
			key := lifeKey(name, n, life)
			l.judge(lifeKey(name+".churn.partitioned", n, life), "topics", lab.Exactly(0), func(r *spiderResults) float64 { return float64(r.churn[key].partitioned) }).said(0)
			l.tell(lifeKey(name+".churn.degree", n, life), "", func(r *spiderResults) float64 { return r.churn[key].degree })
			operation := l.tell(lifeKey(name+".churn.messages_per_operation", n, life), "", func(r *spiderResults) float64 { return r.churn[key].operations })
			if x, ok := map[int]float64{1000: 38, 2000: 34}[n]; ok {
				operation.said(x)
			}
		}
	}
}

// spread adds what becomes of events.
func (l *spiderList) spread() {
	lost := l.judge("spread.lost", "deliveries", lab.Exactly(0), func(r *spiderResults) (sum float64) {
		for _, t := range spreadTrials {
			sum += float64(r.spread[t.name].lost)
		}
		return sum
	})
	lost.Worst = true
	for _, t := range spreadTrials {
		of := func(r *spiderResults) *spiderSpread { return r.spread[t.name] }
		l.tell("spread."+t.name+".lost", "deliveries", func(r *spiderResults) float64 { return float64(of(r).lost) })
		l.tell("spread."+t.name+".deliveries", "", func(r *spiderResults) float64 { return float64(len(of(r).seconds)) })
		l.tell("spread."+t.name+".duplicates", "of deliveries", func(r *spiderResults) float64 { return of(r).duplicates() })
		l.tell("spread."+t.name+".median_seconds", "s", func(r *spiderResults) float64 { return quantile(slices.Sorted(slices.Values(of(r).seconds)), 0.5) })
		l.tell("spread."+t.name+".last_seconds", "s", func(r *spiderResults) float64 { return slices.Max(of(r).seconds) })
	}
	l.judge("spread.unfollowed", "events", lab.Exactly(0), func(r *spiderResults) (sum float64) {
		for _, t := range spreadTrials {
			sum += float64(r.spread[t.name].unfollowed)
		}
		return sum
	}).Worst = true
	l.judge("spread.duplicates", "of deliveries", lab.AtMost(0.05), func(r *spiderResults) float64 { return r.spread["rest"].duplicates() })
	// While its publisher stays, a topic's tree has the shortest ways from it, as its first event found them. For others that publish over
	// this tree ways are longer: 1.36 to 1.38 diameters at 500 and 1,000 nodes if shortest ways from any follower make the tree. With those
	// from the best follower it would be 1.15 to 1.18. What is above 1.5 would be worse trees than these.
	l.judge("spread.hops_over_diameter", "", lab.Between(0.5, 1), func(r *spiderResults) float64 { return mean(r.spread["stays"].ways.hops) })
	l.judge("spread.hops_over_diameter.others", "", lab.AtMost(1.5), func(r *spiderResults) float64 { return mean(r.spread["stays"].others.hops) })
	l.tell("spread.hops_over_diameter.planetlab", "", func(r *spiderResults) float64 { return mean(r.spread["near"].ways.hops) })
	// Trees follow latency, not hops: events take little longer than the quickest ways over links. 1.0 to 1.1 where no link changes; links are swapped
	// now and then for minutes after an overlay is built, and trees are mended where they were cut, not made anew.
	l.judge("spread.delay_over_shortest", "", lab.Between(0.95, 2), func(r *spiderResults) float64 { return mean(r.spread["near"].ways.delays) })
	l.tell("spread.delay_over_shortest.others", "", func(r *spiderResults) float64 { return mean(r.spread["near"].others.delays) })
	// It was 0.78 to 0.87 on seeds 1 to 5 at 300 nodes: chance alone does not come to the bound.
	gain := func(q float64) func(r *spiderResults) float64 {
		return func(r *spiderResults) float64 {
			return share(quantile(slices.Sorted(slices.Values(r.spread["near"].seconds)), q), quantile(slices.Sorted(slices.Values(r.spread["anywhere"].seconds)), q))
		}
	}
	l.judge("spread.near_gain", "of the median without", lab.AtMost(0.95), gain(0.5))
	l.tell("spread.near_gain.p95", "of it without", gain(0.95))
}
