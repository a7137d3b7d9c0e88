// Package pastry measures the rings of network/pastry.
package pastry

import (
	"math"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/network/pastry"
)

// Experiment measures routes, state and repair of network/pastry.
var Experiment = wording.Of("pastry", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return uint64(s.Nodes[len(s.Nodes)-1]) * 60_000 },
	Run:    measure,
})

type sizes struct {
	Nodes        []int         `json:"nodes"`   // of rings at rest
	Lookups      int           `json:"lookups"` // in each
	CrashNodes   int           `json:"crash_nodes"`
	ChurnNodes   int           `json:"churn_nodes"`
	ChurnFor     time.Duration `json:"churn_for_ns"`
	TraceNodes   int           `json:"trace_nodes"` // that are up at some time
	TraceFor     time.Duration `json:"trace_for_ns"`
	ChurnLookups int           `json:"churn_lookups"` // under either churn
	HomeNodes    int           `json:"home_nodes"`    // of rings in which most nodes are private
	HomeLookups  int           `json:"home_lookups"`  // in each
}

func log16(n int) float64 { return math.Log(float64(n)) / math.Log(16) }

// tableSize is the most nodes that one knows by the paper, without its neighbourhood set: (2^b-1)⌈log16 N⌉ of the
// routing table, and the leaf set.
func tableSize(n int) float64 { return 15*math.Ceil(log16(n)) + float64(pastry.Default().LeafSet) }

// tableBound is how many nodes one may know here, where a slot of the table holds more than the paper's one: the price
// of fewer hops.
func tableBound(n int) float64 {
	c := pastry.Default()
	return 15*math.Ceil(log16(n))*float64(c.PerSlot) + float64(c.LeafSet)
}

type results struct {
	rests  []atRest // by ring at rest
	repair repair
	churn  churned
	tor    churned
	homes  [relayed + 1]atHomes
}

// What tests ask for as well.
const (
	churnRight = "lookups right with 25% replaced an hour"
	traceRight = "lookups right under the churn of Tor"
)

// figures are those of a run. The paper's mean of log16 N hops cannot hold for rings so small that all know all. There
// nearly every lookup needs one hop.
func figures(s sizes) (f lab.Figures[*results]) {
	for i, n := range s.Nodes {
		at := func(of func(m *atRest) float64) func(r *results) float64 {
			return func(r *results) float64 { return of(&r.rests[i]) }
		}
		f.Judge(lab.Sized("mean hops", n), "hops", lab.AtMost(max(log16(n), 1)),
			at(func(m *atRest) float64 { return m.mean })).Says(log16(n))
		f.Promise(lab.Sized("most hops", n), "hops", lab.AtMost(math.Ceil(log16(n))+1),
			at(func(m *atRest) float64 { return float64(len(m.hops) - 1) }))
		f.Promise(lab.Sized("lookups not right", n), "", lab.Exactly(0),
			at(func(m *atRest) float64 { return float64(m.wrong) }))
		f.Judge(lab.Sized("nodes known to one", n), "nodes", lab.AtMost(tableBound(n)),
			at(func(m *atRest) float64 { return m.known })).Says(tableSize(n))
	}
	crash, churn, tor := s.CrashNodes, s.ChurnNodes, s.TraceNodes
	period := pastry.Default().KeepAlive.Seconds()
	f.Promise(lab.Sized("until all leaf sets are right, 5% loss, 30% crashed", crash), "s", lab.AtMost(2*period),
		func(r *results) float64 {
			return float64(r.repair.seconds)
		})
	f.Promise(lab.Sized("lookups not right after two periods, 5% loss, 30% crashed", crash), "", lab.Exactly(0),
		func(r *results) float64 {
			return float64(r.repair.wrong)
		})
	f.Judge(lab.Sized(churnRight, churn), "", lab.AtLeast(0.999),
		func(r *results) float64 { return r.churn.lookups.Share() })
	f.Judge(lab.Sized("messages a node with 25% replaced an hour", churn), "1/s", lab.AtMost(0.5),
		func(r *results) float64 { return r.churn.work })
	f.Judge(lab.Sized(traceRight, tor), "", lab.AtLeast(0.999),
		func(r *results) float64 { return r.tor.lookups.Share() })
	f.Judge(lab.Sized("messages a node under the churn of Tor", tor), "1/s", lab.AtMost(0.5),
		func(r *results) float64 { return r.tor.work })
	f.Report(lab.Sized("nodes gone in an hour under the churn of Tor", tor), "of those up",
		func(r *results) float64 { return r.tor.left })
	homesFigures(&f, s.HomeNodes)
	return f
}

// homesAre are the names in figures of rings, by which nodes can be connected to.
var homesAre = [relayed + 1]string{"all public", "70% private", "70% private, 5% relay"}

// homesFigures are those of rings in which most nodes are private, beside those of one in which all can connect to all.
func homesFigures(f *lab.Figures[*results], n int) {
	for of, are := range homesAre {
		at := func(what string) string { return lab.Sized(what+", "+are, n) }
		of := reachable(of)
		f.Report(at("until 95% have joined"), "s", func(r *results) float64 { return r.homes[of].joined })
		f.Promise(at("leaf sets not right"), "", lab.Exactly(0),
			func(r *results) float64 { return float64(r.homes[of].wrongLeaves) })
		f.Promise(at("wrong lookups"), "", lab.Exactly(0),
			func(r *results) float64 { return float64(r.homes[of].wrong) })
		f.Report(at("hops by nodes"), "hops", func(r *results) float64 { return r.homes[of].hops })
		f.Report(at("hops on the wire"), "hops", func(r *results) float64 { return r.homes[of].carried })
		f.Report(at("bytes of a lookup"), "B", func(r *results) float64 { return r.homes[of].bytes })
		f.Report(at("bytes a node at rest"), "B/s", func(r *results) float64 { return r.homes[of].idle })
	}
}

func measure(run *lab.Run, s sizes) error {
	r := &results{rests: make([]atRest, len(s.Nodes))}
	parts := lab.Parts{
		inRing(func(w *ring) { r.repair = w.crashAndRepair(s.CrashNodes) }),
		inRing(func(w *ring) { r.churn = w.replace(s) }),
		inRing(func(w *ring) { r.tor = w.follow(testnet.TorTrace(run.Seed(), s.TraceFor), s) }),
	}
	for of := range r.homes {
		parts = append(parts,
			inHomes(reachable(of), func(w *homes) { r.homes[of] = w.rest(s.HomeNodes, s.HomeLookups) }))
	}
	for i, n := range s.Nodes {
		parts = append(parts, inRing(func(w *ring) { r.rests[i] = w.rest(n, s.Lookups) }))
	}
	slices.Reverse(parts) // the largest rings first: they run longest
	run.Parts(parts)
	figures(s).Give(run, r)
	plots(run, s, r)
	return nil
}

func plots(run *lab.Run, s sizes, r *results) {
	draw, largest := wording.Plots("pastry", s), s.Nodes[len(s.Nodes)-1]
	here := func(y func(m atRest) float64) plot.Series {
		return plot.Over("here", s.Nodes, func(i int) float64 { return y(r.rests[i]) })
	}
	theory := func(label string, y func(n int) float64) plot.Reference {
		return plot.Curve(label, plot.Over("", s.Nodes, func(i int) float64 { return y(s.Nodes[i]) }).Points...)
	}
	run.Plot(draw("hops").With(here(func(m atRest) float64 { return m.mean })).Beside(
		theory("log16 N, the paper's expectation", log16)))
	run.Plot(draw("distribution", lab.Count(largest)).
		With(plot.Shares("here", r.rests[len(r.rests)-1].hops)).Beside(plot.Upright("log16 N", log16(largest))))
	run.Plot(draw("state").With(here(func(m atRest) float64 { return m.known })).Beside(
		theory("paper: full rows and the leaf set", tableSize)))
	run.Plot(draw("repair").
		With(plot.Series{Label: "here", Points: r.repair.wrongLeaves}).
		Beside(plot.Upright("two keep-alive periods", 2*pastry.Default().KeepAlive.Seconds())))
}
