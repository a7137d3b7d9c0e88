package scribe_test

import (
	"testing"
	"time"

	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Each member of a topic receives each event once, whichever node publishes. A tree ends where no member is left
// (sections 3.2 and 3.3).
func TestAllMembersGetAllEvents(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		const nodes, topics = 60, 5
		s := complete(nodes)
		v := newWood(t, s)
		for i := range topics {
			for n := range sim.Node(nodes) {
				if v.Rand().IntN(3) == 0 {
					v.Join(n, routertest.Topic(i))
				}
			}
		}
		v.Run(10 * time.Second)
		for range 40 {
			v.Publish(v.Any(), routertest.Topic(v.Rand().IntN(topics)), 100)
			v.Run(time.Duration(v.Rand().IntN(300)) * time.Millisecond)
		}
		v.Run(30 * time.Second)
		v.ends(topics)
		for _, event := range []any{scribe.LostParent{}, scribe.Blamed{}, scribe.RootTimedOut{}, scribe.GaveUp{},
			scribe.Circle{}} {
			if name := nameOf(event); v.counts[name] > 0 {
				t.Errorf("%d × %s in a network without faults", v.counts[name], name)
			}
		}
		for i := range topics {
			for n := range sim.Node(nodes) {
				v.Leave(n, routertest.Topic(i))
			}
		}
		v.Run(s.Scribe.Idle + 3*s.Scribe.Heartbeat)
		for n := range sim.Node(nodes) {
			if l := v.Node(n).Load(); l != (scribe.Load{}) {
				t.Fatalf("node %d still has %+v", n, l)
			}
		}
	})
}

// If a node has too many children in all groups together, it hands down those of the group with most of them (section
// 3.4).
func TestNobodyIsOverloaded(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes, topics, load = 60, 100, 40
		s := standard(nodes)
		s.Scribe.MaxLoad = load
		v := newWood(t, s)
		for i := range topics {
			for range 12 {
				if n := v.Any(); !v.Wants(n, routertest.Topic(i)) {
					v.Join(n, routertest.Topic(i))
				}
			}
		}
		v.Run(5 * time.Minute)
		v.ends(topics)
		for n := range sim.Node(nodes) {
			if l := v.Node(n).Load(); l.Children > load {
				t.Errorf("node %d has %d children, not %d at most", n, l.Children, load)
			}
		}
		if v.counts[nameOf(scribe.Moved{})] == 0 {
			t.Error("nobody was handed down")
		}
	})
}

// A node with too many children hands the farthest down (section 3.4).
func TestNobodyHasTooManyChildren(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		s := complete(100)
		s.Scribe.MaxChildren = 3
		v := newWood(t, s)
		for n := range sim.Node(100) {
			v.Join(n, routertest.Topic(0))
		}
		for range 60 {
			v.Publish(v.Any(), routertest.Topic(0), 10)
			v.Run(time.Second)
			for n := range sim.Node(100) {
				if p, _ := v.Place(n, routertest.Topic(0)); len(p.Children)-p.Leaving > 3 {
					t.Errorf("node %d has %d children, of which it hands down %d", n, len(p.Children), p.Leaving)
				}
			}
		}
		v.Run(2 * time.Minute)
		v.ends(1)
		if v.counts[nameOf(scribe.Moved{})] == 0 {
			t.Error("nobody was handed down")
		}
	})
}

// Trees are not deep, though many join at one moment: those that are handed down spread over the siblings (section
// 3.4).
func TestTreesAreNotDeep(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		const nodes = 400
		s := standard(nodes)
		s.Scribe.MaxChildren = 4
		v := newWood(t, s)
		for n := range sim.Node(nodes) {
			v.Join(n, routertest.Topic(0))
		}
		v.Run(time.Minute)
		v.ends(1)
		deepest, sum := 0, 0
		for n := range sim.Node(nodes) {
			p, _ := v.Place(n, routertest.Topic(0))
			deepest, sum = max(deepest, p.Depth), sum+p.Depth
		}
		t.Logf("depth %d, %.1f on average", deepest, float64(sum)/nodes)
		if deepest > 12 { // 4.3 would be full
			t.Errorf("members are %d below the root", deepest)
		}
	})
}
