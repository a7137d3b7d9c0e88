package rappel_test

import (
	"testing"
	"time"

	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

const (
	stormRoots  = 6 // nodes that may be roots: they stay up
	stormTopics = 4
)

// storm lets a world be in trouble as a plan says. Nodes that are no roots crash and come back, join and leave, and
// roots move. Then all is well again.
func storm(w *world, p simtest.Plan, moves bool) {
	crash, amnesia := p.Crash, p.Amnesia
	p.Crash, p.Amnesia, p.Move = 0, 0, 0
	on := true
	var again func(mean time.Duration, f func(n sim.Node))
	again = func(mean time.Duration, f func(n sim.Node)) {
		w.After(time.Duration(w.Rand().Int64N(2*int64(mean))), func() {
			if on {
				f(sim.Node(stormRoots + w.Rand().IntN(w.Len()-stormRoots)))
				again(mean, f)
			}
		})
	}
	some := func() int { return w.Rand().IntN(stormTopics) }
	again(8*time.Second, func(sim.Node) { w.publish(sim.Node(w.Rand().IntN(stormRoots)), topic(some())) })
	again(5*time.Second, func(n sim.Node) {
		switch t := topic(some()); {
		case !w.Up(n):
		case w.Wants(n, t):
			w.Leave(n, t)
		default:
			w.Join(n, t)
		}
	})
	if crash > 0 {
		again(crash, func(n sim.Node) {
			if w.Up(n) {
				w.CrashFor(n, time.Duration(w.Rand().Int64N(int64(p.Outage))))
			}
		})
	}
	if amnesia > 0 {
		again(amnesia, func(n sim.Node) {
			if w.Up(n) {
				w.memory[n].list = nil
				w.CrashFor(n, time.Duration(w.Rand().Int64N(int64(p.Outage))))
			}
		})
	}
	if moves {
		again(time.Minute, func(sim.Node) { w.moveRoot(topic(some()), sim.Node(w.Rand().IntN(stormRoots))) })
	}
	p.Run(w.World.World, 10*time.Minute)
	on = false
	w.BootAll(0)
}

// Whatever happens to the network, no node gets events that it has not joined, or anything twice. When all is well
// again, all members are in right trees and have everything that was published. The network is quiet.
func TestStorms(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 12, func(t *simtest.T) {
		c := rappel.Default()
		c.Cache, c.PublishTries = 64, 10 // outages last longer than ten updates, and follow each other
		w := newWorld(wire(), t.World, settings{nodes: 40, config: c})
		// A Leave can be lost, and a clock run at half its speed; what was sent may be under way for a long time.
		w.noise.Grace = 2*(c.Ping+c.PingTimeout+c.Parting) + 30*time.Second
		for i := range stormTopics {
			w.roots[topic(i)] = sim.Node(i)
		}
		for n := range sim.Node(40) {
			for i := range stormTopics {
				if w.Rand().IntN(2) == 0 {
					w.Join(n, topic(i))
				}
			}
		}
		w.Run(2 * time.Minute)
		plan := simtest.Swarm(t.Seed())
		t.Log(plan)
		storm(w, plan, t.Seed()%2 == 0)
		w.Run(15 * time.Minute)
		for i := range stormTopics {
			w.publish(w.roots[topic(i)], topic(i))
		}
		w.Run(time.Minute)
		for i := range stormTopics {
			if err := w.tree(topic(i), c.Children); err != nil {
				t.Errorf("topic %d: %v", i, err)
			}
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
		quiet(t, w)
	})
}

// quiet checks that a network in which nothing happens has nothing to repair.
func quiet(t *simtest.T, w *world) {
	before := map[string]int{}
	for k, v := range w.traced {
		before[k] = v
	}
	w.Run(10 * time.Minute)
	for _, what := range []string{"Silent", "LostParent", "LostChild", "Gap", "GaveUp", "Circle", "Blamed", "Rooted",
		"Refused", "LimitHit", "Untaken"} {
		if n := w.traced[what] - before[what]; n > 0 {
			t.Errorf("%d times %s in a quiet network", n, what)
		}
	}
}
