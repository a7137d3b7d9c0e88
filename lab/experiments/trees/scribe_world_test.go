package trees

import (
	"math"
	"testing"
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/network/sim"
	"tidings/network/sim/latency"
)

// Sizes are the paper's: of 100,000 nodes all are in the first of 1,500 groups, and 11 in the last.
func TestSizesOfGroups(t *testing.T) {
	for _, test := range []struct{ rank, nodes, least, want int }{
		{1, 100_000, 0, 100_000}, {1500, 100_000, 0, 11}, {2, 1000, 11, 420}, {150, 1000, 11, 11}, {3, 5, 11, 5},
	} {
		if got := sizeOf(test.rank, test.nodes, test.least); got != test.want {
			t.Errorf("group %d of %d nodes has %d members, want %d", test.rank, test.nodes, got, test.want)
		}
	}
}

// Due events count for members that stayed up, and not for the publisher. What it published to nobody before it left
// does not count.
func TestOutcome(t *testing.T) {
	s := &notes{world: &scribeWorld{Ring: &testnet.Ring{Left: []int{0, 0, 1, 0}}}}
	p := &published{
		by:   0,
		due:  []dueAt{{0, 0}, {1, 0}, {2, 0}, {3, 0}},
		came: map[sim.Node]time.Duration{0: 0, 1: 2 * time.Second, 2: time.Second},
	}
	unsent := &published{by: 2, due: p.due, came: map[sim.Node]time.Duration{2: 0}, left: true}
	o := s.outcome([]*published{p, p, unsent})
	if o.due != 4 || len(o.delays) != 2 || o.share(2*time.Second) != 0.5 || o.share(time.Second) != 0 ||
		o.within(1) != 2 {
		t.Errorf("%+v: %v within 2 s, %v within 1 s", o, o.share(2*time.Second), o.share(time.Second))
	}
	if unsent.left = false; s.outcome([]*published{unsent}).due != 3 {
		t.Error("what a publisher that stayed published to nobody does not count")
	}
}

// A penalty is of a group's means and maxima, and leaves out the publisher and where it is measured from.
func TestPenalty(t *testing.T) {
	ms := time.Millisecond
	rtt := [][]time.Duration{{0, 20 * ms, 40 * ms}, {20 * ms, 0, 100 * ms}, {40 * ms, 100 * ms, 0}}
	g := &scribeWorld{latency: latency.NewMatrix(1, rtt)}
	node := make([]sim.Node, 3) // by site
	for n := range sim.Node(3) {
		node[g.latency.Site(n)] = n
	}
	p := &published{
		by: node[0], due: []dueAt{{node[0], 0}, {node[1], 0}, {node[2], 0}},
		came: map[sim.Node]time.Duration{node[0]: 0, node[1]: 10 * ms, node[2]: 80 * ms},
	}
	var d penalty
	d.add(g, p, node[0], 0)     // 90 of 30 ms, 80 of 20
	d.add(g, p, node[1], 10*ms) // 70 of 50 ms
	want := penalty{rad: []float64{3, 1.4}, rmd: []float64{4, 1.4}}
	for i := range want.rad {
		if math.Abs(d.rad[i]-want.rad[i]) > 1e-9 || math.Abs(d.rmd[i]-want.rmd[i]) > 1e-9 {
			t.Errorf("%+v, want %+v", d, want)
		}
	}
}
