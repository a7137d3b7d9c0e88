package experiments

import (
	"math"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/network/pastry"
)

// Pastry measures routes, state and repair of network/pastry.
var Pastry = lab.Experiment[pastrySizes]{
	Name:   "pastry",
	Title:  "Pastry: hops, state, repair, and work under churn",
	Source: "Rowstron and Druschel, Middleware 2001: log16 N hops, 15⌈log16 N⌉ entries and a leaf set",
	About: "Rings grow by a tenth a second, each node joining through random others, and settle for " +
		"two keep-alive periods. Then random nodes look random keys up. A lookup is right if it is " +
		"delivered within a minute, and where it is delivered first is the node that is, at that moment, numerically " +
		"closest to the key of all nodes that are up and part of the ring; one whose sender crashes meanwhile counts " +
		"like any other. In the second part one of twenty messages is lost and 30 % of the nodes crash within " +
		"a second. In the third a quarter of the nodes is replaced by new ones every hour; in the fourth nodes come " +
		"and go as Tor's relays did from 2 September 2019 on, and come back with the IDs that they had. All crash " +
		"without farewell, while lookups go on. Messages a node are by second, those of lookups left out.",

	Tiny: pastrySizes{
		Nodes: []int{10, 40}, Lookups: 200, CrashNodes: 40,
		ChurnNodes: 40, ChurnFor: 5 * time.Minute, TraceNodes: 40, TraceFor: 30 * time.Minute, ChurnLookups: 200,
	},
	Quick: pastrySizes{
		Nodes: []int{100, 1000, 5000}, Lookups: 10_000, CrashNodes: 1000,
		ChurnNodes: 1000, ChurnFor: 30 * time.Minute, TraceNodes: 1000, TraceFor: time.Hour, ChurnLookups: 20_000,
	},
	Paper: pastrySizes{
		Nodes: []int{100, 1000, 10_000, 100_000}, Lookups: 200_000, CrashNodes: 10_000,
		ChurnNodes: 5000, ChurnFor: time.Hour, TraceNodes: 5000, TraceFor: 6 * time.Hour, ChurnLookups: 100_000,
	},

	Words:  wording.Pastry,
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
	TraceNodes   int           `json:"trace_nodes"` // that are up at some time
	TraceFor     time.Duration `json:"trace_for_ns"`
	ChurnLookups int           `json:"churn_lookups"` // under either churn
}

const (
	meanHops         = "mean hops"
	mostHops         = "most hops"
	wrongLookups     = "lookups not right"
	nodesKnown       = "nodes known to one"
	repairTime       = "until all leaf sets are right, 5% loss, 30% crashed"
	wrongAfterRepair = "lookups not right after two periods, 5% loss, 30% crashed"
	churnRight       = "lookups right with 25% replaced an hour"
	churnWork        = "messages a node with 25% replaced an hour"
	traceRight       = "lookups right under the churn of Tor"
	traceWork        = "messages a node under the churn of Tor"
	traceLeft        = "nodes gone in an hour under the churn of Tor"
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
			lab.Expected{Name: sized(wrongLookups, n), Within: lab.Exactly(0), Worst: true},
			lab.Expected{Name: sized(nodesKnown, n), Unit: "nodes", Paper: new(tableSize(n)), Within: lab.AtMost(tableBound(n))},
		)
	}
	period := pastry.Default().KeepAlive.Seconds()
	return append(all,
		lab.Expected{Name: sized(repairTime, s.CrashNodes), Unit: "s", Within: lab.AtMost(2 * period), Worst: true},
		lab.Expected{Name: sized(wrongAfterRepair, s.CrashNodes), Within: lab.Exactly(0), Worst: true},
		lab.Expected{Name: sized(churnRight, s.ChurnNodes), Within: lab.AtLeast(0.999)},
		lab.Expected{Name: sized(churnWork, s.ChurnNodes), Unit: "1/s", Within: lab.AtMost(0.5)},
		lab.Expected{Name: sized(traceRight, s.TraceNodes), Within: lab.AtLeast(0.999)},
		lab.Expected{Name: sized(traceWork, s.TraceNodes), Unit: "1/s", Within: lab.AtMost(0.5)},
		lab.Expected{Name: sized(traceLeft, s.TraceNodes), Unit: "of those up", Aside: true},
	)
}

func runPastry(run *lab.Run, s pastrySizes) error {
	rests := make([]atRest, len(s.Nodes))
	var repairing plot.Series
	parts := []func(part *lab.Run) error{
		func(part *lab.Run) (err error) {
			r := newRing(part)
			repairing, err = r.crashAndRepair(s.CrashNodes)
			return r.ran(err)
		},
		func(part *lab.Run) error {
			r := newRing(part)
			return r.ran(r.replace(s))
		},
		func(part *lab.Run) error {
			r := newRing(part)
			return r.ran(r.follow(torTrace(part.Seed(), s.TraceFor), s))
		},
	}
	for i, n := range s.Nodes {
		parts = append(parts, func(part *lab.Run) (err error) {
			r := newRing(part)
			rests[i], err = r.rest(n, s.Lookups)
			return r.ran(err)
		})
	}
	slices.Reverse(parts) // the largest rings first: they take longest
	if err := run.Each(len(parts), func(part *lab.Run, i int) error { return parts[i](part) }); err != nil {
		return err
	}
	plotRests(run, s, rests)
	plotRepair(run, s, repairing)
	return nil
}
