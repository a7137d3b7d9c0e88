package pastry

import (
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

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
