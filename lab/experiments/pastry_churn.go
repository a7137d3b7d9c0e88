package experiments

import (
	"time"

	"tidings/lab/dataset"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// replacedHourly is the share of nodes that the churn by a model replaces in an hour.
const replacedHourly = 0.25

// replace has a quarter of the nodes replaced an hour: each crashes and a new one joins.
func (r *ring) replace(s pastrySizes) error {
	nodes := r.place(s.ChurnNodes)
	if err := r.grow(nodes); err != nil {
		return err
	}
	// Twice as many as are likely to be needed.
	newcomers := int(2*replacedHourly*float64(s.ChurnNodes)*s.ChurnFor.Hours()) + 10
	nodes = append(nodes, r.place(newcomers)...)
	model := sim.Replacement{Hourly: replacedHourly, For: s.ChurnFor, Leaving: sim.Leaving{Gone: r.gone}}
	c, err := r.underChurn(model, nodes, s.ChurnFor, s.ChurnLookups)
	if err != nil {
		return err
	}
	r.run.Figure(sized(churnRight, s.ChurnNodes), c.lookups.Share())
	r.run.Figure(sized(churnWork, s.ChurnNodes), c.work)
	return nil
}

// follow has nodes come and go as Tor's relays did.
func (r *ring) follow(trace sim.Trace, s pastrySizes) error {
	trace.Gone = r.gone
	nodes := r.place(s.TraceNodes)
	if err := r.grow(trace.Up(nodes)); err != nil {
		return err
	}
	c, err := r.underChurn(trace, nodes, trace.Length, s.ChurnLookups)
	if err != nil {
		return err
	}
	r.run.Figure(sized(traceRight, s.TraceNodes), c.lookups.Share())
	r.run.Figure(sized(traceWork, s.TraceNodes), c.work)
	r.run.Figure(sized(traceLeft, s.TraceNodes), c.left)
	return nil
}

// churned is what was measured while nodes came and went.
type churned struct {
	lookups check.Figures
	work    float64 // messages by node and second, those of lookups left out
	left    float64 // nodes that went in an hour, as a share of those that were up
}

// underChurn looks keys up while nodes come and go.
func (r *ring) underChurn(driver sim.Churn, nodes []sim.Node, d time.Duration, lookups int) (c churned, err error) {
	r.run.Stage("churn", 0.4)
	sent, left := r.sent(), r.left
	driver.Drive(r.world, nodes)
	mean, err := r.lookUpDuring(lookups, d)
	if err != nil {
		return c, err
	}
	c.work = (r.sent() - sent) / mean / d.Seconds()
	c.left = float64(r.left-left) / mean / d.Hours()
	c.lookups, err = r.judged()
	return c, err
}

// torTrace returns how Tor's relays came and went from the second day of the trace on, as the
// hourly consensus saw them.
func torTrace(seed uint64, d time.Duration) sim.Trace {
	trace := sim.Trace{Seed: seed, From: 24 * time.Hour, Length: d, Resolution: time.Hour}
	for _, s := range dataset.TorSessions() {
		session := sim.Session{Who: s.Node, Up: s.Up, Down: s.Down}
		if s.UpAfter {
			session.Down = 0
		}
		trace.Sessions = append(trace.Sessions, session)
	}
	return trace
}
