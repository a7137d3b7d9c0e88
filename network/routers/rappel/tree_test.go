package rappel_test

import (
	"testing"
	"time"

	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// All members find places in the tree, and get every update once; nobody else gets any.
func TestUpdatesReachAllMembers(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		c := rappel.Default()
		if t.Seed()%2 == 0 {
			c = rappel.Paper()
		}
		w := newWorld(wire(), t.World, settings{nodes: 100, config: c})
		w.roots[topic(0)] = 3
		for n := range sim.Node(100) {
			if n%3 > 0 {
				w.Join(n, topic(0))
			}
		}
		w.Run(time.Minute)
		for range 10 {
			w.publish(3, topic(0))
			w.publish(sim.Node(w.Rand().IntN(100)), topic(0))
			w.Run(time.Second)
		}
		w.Run(time.Minute)
		if err := w.tree(topic(0), 5); err != nil {
			t.Error(err)
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// wire is a world with messages that pass through the codec.
func wire() sim.Config {
	c := sim.Default(codec)
	c.Wire = true
	return c
}

// Two hundred topics of one root and one friend need several pings between two nodes. None is forgotten.
func TestManyTopics(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	simtest.Run(t, 1, func(t *simtest.T) {
		const topics = 200
		w := newWorld(wire(), t.World, settings{nodes: 6, config: rappel.Default()})
		for i := range topics {
			w.roots[topic(i)] = 0
		}
		for n := range sim.Node(6) {
			for i := range topics {
				w.Join(n, topic(i))
			}
		}
		w.Run(20 * time.Minute)
		lost := 0
		for i := range topics {
			for n := range sim.Node(6) {
				w.SetLinkFaults(0, n, sim.Faults{Loss: 1})
			}
			w.publish(0, topic(i)) // no node gets it, and the answers to pings show it
		}
		for n := range sim.Node(6) {
			w.SetLinkFaults(0, n, sim.Faults{})
		}
		w.Run(2 * time.Minute)
		for i := range topics {
			for n := range sim.Node(6) {
				if v, _ := w.Node(n).Tree(topic(i)); v.Last != 1 || v.Missing != 0 {
					lost++
				}
			}
		}
		if lost > 0 {
			t.Errorf("%d members do not know of updates", lost)
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}
