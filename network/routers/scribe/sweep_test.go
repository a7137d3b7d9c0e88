package scribe_test

import (
	"testing"
	"time"

	"tidings/network/routers/routertest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A node is in more groups than it checks in one sweep. It finds all groups with another root, while it enters and
// leaves groups.
func TestManyGroupsChangeRoots(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes, topics = 4, 3000
		v := newWood(t, standard(nodes))
		for i := range topics {
			v.Join(sim.Node(i%nodes), routertest.Topic(i))
			v.Join(sim.Node(0), routertest.Topic(i))
		}
		v.Run(30 * time.Second)
		v.ends(topics)
		newcomer := v.Grow(v.ID())
		v.Boot(newcomer)
		for i := 0; i < topics; i += 7 {
			v.Run(10 * time.Millisecond)
			v.Leave(sim.Node(0), routertest.Topic(i))
		}
		v.Settle()
		v.Run(30 * time.Second)
		v.ends(topics)
		if l := v.Node(newcomer).Load(); l.Groups == 0 {
			t.Error("the newcomer is the root of nothing")
		}
	})
}

// Roots leave more groups than they check in one sweep, once no node is in them and nothing has happened for a while.
func TestManyGroupsAreLeft(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes, topics = 4, 3000
		s := standard(nodes)
		s.Scribe.Idle = time.Minute
		v := newWood(t, s)
		for i := range topics {
			v.Join(sim.Node(i%nodes), routertest.Topic(i))
		}
		v.Run(30 * time.Second)
		for i := range topics {
			v.Publish(sim.Node(i%nodes), routertest.Topic(i), 10)
		}
		v.Run(10 * time.Second)
		for i := range topics {
			v.Leave(sim.Node(i%nodes), routertest.Topic(i))
		}
		v.Run(time.Second)
		left := 0
		for n := range sim.Node(nodes) {
			left += v.Node(n).Load().Groups
		}
		if left == 0 {
			t.Error("the roots have forgotten the events at once")
		}
		v.Run(s.Scribe.Idle + 6*s.Scribe.Heartbeat)
		for n := range sim.Node(nodes) {
			if l := v.Node(n).Load(); l.Groups > 0 || l.Kept > 0 {
				t.Errorf("node %d still has %+v", n, l)
			}
		}
	})
}
