package corona_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/params"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A network that polls every ten minutes absorbs nodes that were started for half an hour, or for less. All poll by its
// interval, evenly, and updates arrive as always.
func TestJoinWithAnotherInterval(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const interval = 10 * time.Minute
		v := newWorld(t, 24, 16, calm, func(s *coronatest.Settings) {
			s.Corona = s.Corona.Paced(interval)
			s.Configure = func(n sim.Node, c *corona.Config) {
				if n > 0 {
					*c = c.Paced([]time.Duration{30 * time.Minute, 2 * time.Minute, 12 * time.Hour}[n%3])
				}
			}
		})
		v.Run(3 * time.Hour)
		for n := range sim.Node(v.Len()) {
			if a, settled := v.Node(n).Corona.Params(); !settled || a.Interval != interval {
				t.Errorf("node %d goes by %v, settled: %v", n, a.Interval, settled)
			}
		}
		pollers := v.Pollers(v.news.ID)
		from, polls := v.Now(), make(map[sim.Node]int)
		v.Run(6 * interval)
		for _, r := range v.Origin.Requests(v.news.ID, from, v.Now()) {
			polls[r.Node]++
		}
		for _, n := range pollers {
			if polls[n] < 5 || polls[n] > 7 {
				t.Errorf("node %d has polled %d times in six intervals", n, polls[n])
			}
		}
		for i := range 3 {
			v.Origin.Change(v.news.ID, fmt.Sprint("change ", i))
			v.Run(3 * interval)
		}
		v.versions(4)
		v.ends()
	})
}

// What a network has agreed on changes while it runs, as it becomes part of a larger one. Polling continues by the new
// interval, and no subscription is lost.
func TestIntervalChangesWhileNodesRun(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const before, after = 30 * time.Minute, time.Minute
		var crowd *params.Params
		v := newWorld(t, 12, 8, calm, func(s *coronatest.Settings) {
			s.Polls = 3 * 12 / 2 * int(before/after) // of the shorter intervals in one as it was
			s.Env = func(_ sim.Node, env engine.Env) engine.Env {
				return convert{env, func() *params.Params { return crowd }}
			}
		})
		v.Run(time.Hour)
		to := corona.Default().Paced(after)
		crowd = &params.Params{Interval: uint32(to.Interval / time.Millisecond),
			Maintenance: uint32(to.Maintenance / time.Millisecond), Settled: true}
		v.Run(2 * before)
		crowd = nil
		for n := range sim.Node(v.Len()) {
			if a, _ := v.Node(n).Corona.Params(); a.Interval != after {
				t.Fatalf("node %d goes by %v", n, a.Interval)
			}
		}
		v.Run(30 * time.Minute)
		from := v.Now()
		v.Run(10 * after)
		owner, polls := v.Owners(v.news.ID, 1)[0], 0
		for _, r := range v.Origin.Requests(v.news.ID, from, v.Now()) {
			if r.Node == owner { // others come and go with the level
				polls++
			}
		}
		if polls < 9 || polls > 11 {
			t.Errorf("the primary has polled %d times in ten intervals", polls)
		}
		v.Subscribe(owner, v.news, 1)
		v.Run(time.Minute)
		readers := 8
		if owner >= 8 {
			readers++
		}
		if facts := answers(v.World, owner, v.news.ID); len(facts) != 1 || int(facts[0].Readers) != readers {
			t.Errorf("of %d readers there are %+v", readers, facts)
		}
		v.Origin.Change(v.news.ID, "news")
		v.Run(5 * after)
		v.versions(2)
		v.ends()
	})
}

// convert is the Env of a node that says that it usees other parameters, while it is to.
type convert struct {
	engine.Env
	to func() *params.Params
}

func (c convert) Send(to engine.Peer, m engine.Message) {
	if _, ok := m.(*params.Params); ok && c.to() != nil {
		m = c.to()
	}
	c.Env.Send(to, m)
}
