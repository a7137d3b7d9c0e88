package pastry

import (
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/lab/plot"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// atRest is what was measured of a ring in which nothing fails.
type atRest struct {
	hops  []int
	mean  float64
	known float64
	wrong int // lookups
}

func (r *ring) rest(n, lookups int) (m atRest) {
	r.grow(r.AddNodes(n))
	r.Run.Stage("looking up", 0.4)
	r.lookUpDuring(lookups, time.Minute)
	m.wrong, m.hops = r.wrong(), r.hops
	total := 0
	for hops, times := range r.hops {
		total += times
		m.mean += float64(hops * times)
	}
	m.mean /= float64(max(total, 1))
	for _, node := range r.Live {
		m.known += float64(len(r.at(node).Known())) / float64(n)
	}
	return m
}

type repair struct {
	wrongLeaves []plot.Point // by second: share of the nodes
	seconds     int          // until no leaf set was wrong
	wrong       int          // lookups of the last two periods
}

// crashAndRepair has 30 % of the nodes crash in one second, while messages are lost, and watches for four keep-alive periods. In the last two of them
// it looks keys up.
func (r *ring) crashAndRepair(n int) (m repair) {
	r.grow(r.AddNodes(n))
	r.Run.Stage("repairing", 0.4)
	r.SetFaults(sim.Faults{Loss: 0.05})
	for range n * 3 / 10 {
		r.After(time.Duration(r.Chance.Int64N(int64(time.Second))), func() { r.CrashSome(1) })
	}
	r.expectLookups()
	watch := int(4 * r.Config.KeepAlive / time.Second)
	m.seconds = watch + 1
	for second := 1; second <= watch; second++ {
		r.Run.Pass(r.World, time.Second)
		r.Run.Part(second, watch)
		share := float64(r.wrongLeafSets()) / float64(len(r.Live))
		m.wrongLeaves = append(m.wrongLeaves, plot.Point{X: float64(second), Y: share})
		if share == 0 {
			m.seconds = min(m.seconds, second)
		}
		if time.Duration(second)*time.Second >= 2*r.Config.KeepAlive {
			for range 50 {
				r.lookUp()
			}
		}
	}
	m.wrong = r.wrong()
	return m
}

// replace has a quarter of the nodes replaced an hour: each crashes and a new one joins.
func (r *ring) replace(s sizes) churned {
	nodes := r.AddNodes(s.ChurnNodes)
	r.grow(nodes)
	nodes = append(nodes, r.AddNodes(testnet.Newcomers(s.ChurnNodes, s.ChurnFor))...)
	model := sim.Replacement{Hourly: testnet.ReplacedHourly, For: s.ChurnFor, Leaving: sim.Leaving{Gone: r.gone}}
	return r.underChurn(model, nodes, s.ChurnFor, s.ChurnLookups)
}

// follow has nodes come and go as Tor's relays did.
func (r *ring) follow(trace sim.Trace, s sizes) churned {
	trace.Leaving = sim.Leaving{Gone: r.gone}
	nodes := r.AddNodes(s.TraceNodes)
	r.grow(trace.Up(nodes))
	return r.underChurn(trace, nodes, trace.Length, s.ChurnLookups)
}

// churned is what was measured while nodes came and went.
type churned struct {
	lookups check.Figures
	work    float64 // messages by node and second, those of lookups left out
	left    float64 // nodes that went in an hour, as a share of those that were up
}

// underChurn looks keys up while nodes come and go.
func (r *ring) underChurn(driver sim.Churn, nodes []sim.Node, d time.Duration, lookups int) (c churned) {
	r.Run.Stage("churn", 0.4)
	sent, left := r.sent(), r.left
	driver.Drive(r.World, nodes)
	mean := r.lookUpDuring(lookups, d)
	c.work = (r.sent() - sent) / mean / d.Seconds()
	c.left = float64(r.left-left) / mean / d.Hours()
	c.lookups = r.judged()
	return c
}
