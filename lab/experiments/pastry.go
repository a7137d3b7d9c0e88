package experiments

import (
	"fmt"
	"math"
	"time"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// Pastry measures routes, state and repair of network/pastry.
var Pastry = lab.Experiment[pastrySizes]{
	Name:   "pastry",
	Title:  "Pastry: hops, state, repair, and work under churn",
	Source: "Rowstron and Druschel, Middleware 2001: log16 N hops, 15⌈log16 N⌉ entries and a leaf set",
	About: "Rings grow by a tenth a second, each node joining through a random other one, and settle for " +
		"two keep-alive periods. Then random nodes look random keys up. A lookup is right if it is " +
		"delivered within a minute at the node that is, at that moment, numerically closest to the key " +
		"of all nodes that are up and part of the ring. In the second part one of twenty messages is lost and 30 % of the nodes crash within " +
		"a second; in the third a quarter of the nodes is replaced by new ones every hour, each crashing " +
		"without farewell, while lookups go on.",

	Tiny: pastrySizes{
		Nodes: []int{10, 40}, Lookups: 200, CrashNodes: 40,
		ChurnNodes: 40, ChurnFor: 5 * time.Minute, ChurnLookups: 200,
	},
	Quick: pastrySizes{
		Nodes: []int{100, 1000, 5000}, Lookups: 10_000, CrashNodes: 1000,
		ChurnNodes: 1000, ChurnFor: 30 * time.Minute, ChurnLookups: 20_000,
	},
	Paper: pastrySizes{
		Nodes: []int{100, 1000, 10_000, 100_000}, Lookups: 200_000, CrashNodes: 10_000,
		ChurnNodes: 5000, ChurnFor: time.Hour, ChurnLookups: 100_000,
	},

	Expect: expectPastry,
	Memory: func(s pastrySizes) uint64 { return uint64(s.Nodes[len(s.Nodes)-1]) * 60_000 },
	Run:    runPastry,
}

// pastrySizes are the parameters of Pastry.
type pastrySizes struct {
	Nodes        []int         `json:"nodes"`   // of rings at rest
	Lookups      int           `json:"lookups"` // in each
	CrashNodes   int           `json:"crash_nodes"`
	ChurnNodes   int           `json:"churn_nodes"`
	ChurnFor     time.Duration `json:"churn_for_ns"`
	ChurnLookups int           `json:"churn_lookups"`
}

const (
	meanHops    = "mean hops"
	mostHops    = "most hops"
	wrong       = "lookups not right"
	state       = "nodes known to one"
	repair      = "until all leaf sets are right, 5% loss, 30% crashed"
	afterRepair = "lookups not right after two periods, 5% loss, 30% crashed"
	churnRight  = "lookups right with 25% replaced an hour"
	churnWork   = "messages a node with 25% replaced an hour"
)

func log16(n int) float64 { return math.Log(float64(n)) / math.Log(16) }

// tableSize is how many nodes the paper says that one knows at most, its neighbourhood set
// left out: (2^b-1)⌈log16 N⌉ of the routing table, and the leaf set.
func tableSize(n int) float64 { return 15*math.Ceil(log16(n)) + float64(pastry.Default().LeafSet) }

// tableBound is how many nodes one may know here, where a slot of the table holds more than
// the paper's one: that is the price of fewer hops.
func tableBound(n int) float64 {
	c := pastry.Default()
	return 15*math.Ceil(log16(n))*float64(c.PerSlot) + float64(c.LeafSet)
}

// expectPastry returns what the paper expects. Its mean of log16 N hops cannot hold for rings so
// small that all know all: there nearly every lookup takes one hop.
func expectPastry(s pastrySizes) []lab.Expected {
	var all []lab.Expected
	for _, n := range s.Nodes {
		all = append(all,
			lab.Expected{Name: sized(meanHops, n), Unit: "hops", Paper: new(log16(n)), Within: lab.AtMost(max(log16(n), 1))},
			lab.Expected{Name: sized(mostHops, n), Unit: "hops", Within: lab.AtMost(math.Ceil(log16(n)) + 1), Worst: true},
			lab.Expected{Name: sized(wrong, n), Within: lab.Exactly(0), Worst: true},
			lab.Expected{Name: sized(state, n), Unit: "nodes", Paper: new(tableSize(n)), Within: lab.AtMost(tableBound(n))},
		)
	}
	period := pastry.Default().KeepAlive.Seconds()
	return append(all,
		lab.Expected{Name: sized(repair, s.CrashNodes), Unit: "s", Within: lab.AtMost(2 * period), Worst: true},
		lab.Expected{Name: sized(afterRepair, s.CrashNodes), Within: lab.Exactly(0), Worst: true},
		lab.Expected{Name: sized(churnRight, s.ChurnNodes), Within: lab.AtLeast(0.999)},
		lab.Expected{Name: sized(churnWork, s.ChurnNodes), Unit: "1/s", Within: lab.AtMost(0.5)},
	)
}

func runPastry(run *lab.Run, s pastrySizes) error {
	rests := make([]atRest, len(s.Nodes))
	var repairing plot.Series
	latency := sim.Uniform{Min: 10 * time.Millisecond, Max: 120 * time.Millisecond}
	// The largest rings first: they take longest.
	err := run.Each(len(s.Nodes)+2, func(part *lab.Run, i int) (err error) {
		r := newRing(part, latency)
		switch i {
		case len(s.Nodes):
			repairing, err = r.crashAndRepair(s.CrashNodes)
		case len(s.Nodes) + 1:
			err = r.churn(s)
		default:
			i = len(s.Nodes) - 1 - i
			rests[i], err = r.rest(s.Nodes[i], s.Lookups)
		}
		part.Ran(r.world)
		return err
	})
	if err != nil {
		return err
	}
	plotRests(run, s, rests)
	run.Plot(plot.Plot{
		Name: "repair", Title: fmt.Sprintf("Repair after 30%% of %s nodes crashed", count(s.CrashNodes)),
		Caption: "Share of the live nodes whose leaf set is not what the ring's order says, by seconds after the crashes began; all happen in the first second. One of twenty messages is lost.",
		X:       plot.Axis{Label: "time since the first crash", Unit: "s"}, Y: plot.Axis{Label: "wrong leaf sets", Unit: "share of nodes", Share: true},
		Series: []plot.Series{repairing},
		Said:   []plot.Reference{plot.Upright("two keep-alive periods", 2*pastry.Default().KeepAlive.Seconds())},
	})
	return nil
}

// atRest is what was measured of a ring in which nothing fails.
type atRest struct {
	hops  []int
	mean  float64
	known float64
}

// rest grows a ring and looks keys up.
func (r *ring) rest(n, lookups int) (m atRest, err error) {
	if err := r.grow(n); err != nil {
		return m, err
	}
	r.run.Stage("looking up", 0.4)
	if err := r.lookUpDuring(lookups, time.Minute); err != nil {
		return m, err
	}
	figures, err := r.judged()
	if err != nil {
		return m, err
	}
	m.hops = r.hops
	total := 0
	for hops, times := range r.hops {
		total += times
		m.mean += float64(hops * times)
	}
	m.mean /= float64(max(total, 1))
	for _, node := range r.live {
		m.known += float64(len(r.at(node).Known())) / float64(n)
	}
	r.run.Figure(sized(meanHops, n), m.mean)
	r.run.Figure(sized(mostHops, n), float64(len(r.hops)-1))
	r.run.Figure(sized(wrong, n), float64(figures.Wrong+figures.Lost))
	r.run.Figure(sized(state, n), m.known)
	return m, nil
}

// crashAndRepair has 30 % of the nodes crash in one second, while messages are lost, and watches
// for four keep-alive periods. In the last two of them it looks keys up.
func (r *ring) crashAndRepair(n int) (wrongLeaves plot.Series, err error) {
	wrongLeaves.Label = "here"
	if err := r.grow(n); err != nil {
		return wrongLeaves, err
	}
	r.run.Stage("repairing", 0.4)
	r.world.SetFaults(sim.Faults{Loss: 0.05})
	for range n * 3 / 10 {
		r.world.After(time.Duration(r.chance.Int64N(int64(time.Second))), func() { r.crash(r.chance.IntN(len(r.live))) })
	}
	r.expectLookups()
	watch := int(4 * r.config.KeepAlive / time.Second)
	repaired := 0
	for second := 1; second <= watch; second++ {
		if err := r.run.Pass(r.world, time.Second); err != nil {
			return wrongLeaves, err
		}
		r.run.Part(second, watch)
		share := float64(r.wrongLeafSets()) / float64(len(r.live))
		wrongLeaves.Points = append(wrongLeaves.Points, plot.Point{X: float64(second), Y: share})
		if share == 0 && repaired == 0 {
			repaired = second
		}
		if time.Duration(second)*time.Second >= 2*r.config.KeepAlive {
			for range 50 {
				r.lookUp()
			}
		}
	}
	if repaired == 0 {
		repaired = watch + 1
	}
	figures, err := r.judged()
	if err != nil {
		return wrongLeaves, err
	}
	r.run.Figure(sized(repair, n), float64(repaired))
	r.run.Figure(sized(afterRepair, n), float64(figures.Wrong+figures.Lost))
	return wrongLeaves, nil
}

// churn replaces a quarter of the nodes an hour.
func (r *ring) churn(s pastrySizes) error {
	if err := r.grow(s.ChurnNodes); err != nil {
		return err
	}
	r.run.Stage("churn", 0.4)
	replaced := s.ChurnNodes / 4 * int(s.ChurnFor) / int(time.Hour)
	end := r.world.Now() + s.ChurnFor
	for range replaced {
		r.world.After(time.Duration(r.chance.Int64N(int64(s.ChurnFor))), func() {
			r.crash(r.chance.IntN(len(r.live)))
			r.add()
		})
	}
	before := r.sent()
	if err := r.lookUpDuring(s.ChurnLookups, end-r.world.Now()); err != nil {
		return err
	}
	work := (r.sent() - before) / float64(s.ChurnNodes) / s.ChurnFor.Seconds()
	figures, err := r.judged()
	if err != nil {
		return err
	}
	r.run.Figure(sized(churnRight, s.ChurnNodes), figures.Share())
	r.run.Figure(sized(churnWork, s.ChurnNodes), work)
	return nil
}
