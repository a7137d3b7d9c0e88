package spread_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

func ordinary() settings {
	return settings{nodes: 40, topics: 12, follows: 4, degree: 6, config: spread.Default()}
}

// finish lets all settle, asks the oracles and looks for quiet.
func finish(t *simtest.T, w *world) {
	t.Helper()
	w.SetFaults(sim.Faults{})
	w.Run(3 * time.Minute)
	before := w.sent()
	w.Run(30 * time.Minute)
	if after := w.sent(); after != before {
		t.Errorf("%d messages at rest", after-before)
	}
	if err := w.watch.Finish(); err != nil {
		t.Error(err)
	}
	for n := range sim.Node(w.Len()) {
		if !w.Up(n) {
			continue
		}
		if s := w.node(n).State(); s.Wanted > 0 {
			t.Errorf("node %d still wants %d events", n, s.Wanted)
		}
	}
}

// Once the trees have grown, by the first events, no event comes to a node twice.
func TestTreesGrow(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, ordinary())
		w.Run(time.Second)
		for i := range 12 {
			for n := range sim.Node(40) {
				if w.wants(n, topicOf(i)) {
					w.publish(n, topicOf(i))
					break
				}
			}
			w.Run(5 * time.Second)
		}
		grown, came := w.traced["Repeated"], w.traced["Came"]
		w.publishSome(100, 2*time.Second)
		repeated, came := w.traced["Repeated"]-grown, w.traced["Came"]-came
		t.Logf("first: %d repeated; then %d of %d", grown, repeated, came)
		if grown == 0 || repeated*20 > came {
			t.Errorf("%d of %d deliveries were repeated at rest; %d when trees grew", repeated, came, grown)
		}
		finish(t, w)
	})
}

func TestFaults(t *testing.T) {
	for name, f := range map[string]sim.Faults{
		"loss of 5 %":  {Loss: 0.05},
		"loss of 20 %": {Loss: 0.2},
		"doubled":      {Duplicate: 0.2},
		"overtaken":    {Reorder: 0.3, ReorderBy: time.Second},
		"late":         {Spike: 0.02, SpikeBy: 10 * time.Second},
		"all": {Loss: 0.1, Duplicate: 0.1, Reorder: 0.1, ReorderBy: time.Second, Spike: 0.01,
			SpikeBy: 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, 6, func(t *simtest.T) {
				w := newWorld(wire(), t.World, ordinary())
				w.SetFaults(f)
				w.Run(time.Second)
				w.publishSome(100, time.Second)
				finish(t, w)
				slices.Sort(w.delays)
				t.Logf("median %v, 99%% %v, last %v; %v", w.delays[len(w.delays)/2], w.delays[len(w.delays)*99/100],
					w.delays[len(w.delays)-1], w.traced)
				if f.Duplicate > 0 && f.Loss == 0 && w.traced["Missed"] > 0 {
					t.Errorf("%d times an event was missed where none was lost", w.traced["Missed"])
				}
				if w.traced["Suspected"] > 0 && f.Loss < 0.2 {
					t.Errorf("%d honest nodes are suspected", w.traced["Suspected"])
				}
			})
		})
	}
}

// Two fifths of the nodes live for 100 s on average, are down for up to a minute, and come back with nothing. Their
// neighbours find out after ten seconds; 5 % of the messages are lost. No node that stays up misses an event, and one
// that comes back gets what is kept.
func TestChurn(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		s := ordinary()
		s.honest = func(n sim.Node) bool { return n%5 < 3 } // they are connected without the others
		w := newWorld(wire(), t.World, s)
		w.SetFaults(sim.Faults{Loss: 0.05})
		crashes := 0
		for range 300 {
			for n := range sim.Node(s.nodes) {
				if !w.isHonest(n) && w.Up(n) && w.Rand().IntN(100) == 0 {
					w.crash(n, 10*time.Second, time.Duration(w.Rand().IntN(60))*time.Second)
					crashes++
				}
			}
			w.publishSome(1, time.Second)
		}
		w.Run(2 * time.Minute)
		slices.Sort(w.delays)
		t.Logf("%d crashes; %d deliveries, %d repeated", crashes, w.traced["Delivered"], w.traced["Repeated"])
		if crashes == 0 || w.traced["Repeated"]*8 > w.traced["Came"] {
			t.Errorf("%d crashes; %d of %d deliveries were repeated", crashes, w.traced["Repeated"], w.traced["Came"])
		}
		finish(t, w)
	})
}

// Links go down and come up at random, so that topics fall in parts for a while.
func TestLinksFlap(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, ordinary())
		all := w.sortedEdges()
		for range 60 {
			e := all[w.Rand().IntN(len(all))]
			if w.edges[e] {
				w.linkDown(e)
			} else {
				w.linkUp(e)
			}
			w.publishSome(1, time.Second)
		}
		for _, e := range all {
			if !w.edges[e] {
				w.linkUp(e)
			}
		}
		finish(t, w)
	})
}

// Two halves without a link between them publish; then they are linked, and each has what the other had.
func TestHalvesMerge(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, ordinary())
		var across []edge
		for _, e := range w.sortedEdges() {
			if e.a%2 != e.b%2 {
				across = append(across, e)
				w.linkDown(e)
			}
		}
		w.publishSome(60, time.Second)
		for _, e := range across {
			w.linkUp(e)
		}
		w.Run(20 * time.Second)
		before, came := w.traced["Repeated"], w.traced["Came"]
		w.publishSome(60, time.Second)
		t.Logf("after the merge %d repeated of %d", w.traced["Repeated"]-before, w.traced["Came"]-came)
		finish(t, w)
	})
}

// Nodes join and leave topics, and come anew, while events flow.
func TestInterestsChange(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, ordinary())
		for range 80 {
			n, topic := sim.Node(w.Rand().IntN(40)), topicOf(w.Rand().IntN(12))
			if near := w.near(n, topic); !w.wants(n, topic) && near {
				w.join(n, topic)
			} else if w.wants(n, topic) && w.canLeave(n, topic) {
				w.leave(n, topic)
			}
			w.publishSome(1, 500*time.Millisecond)
		}
		finish(t, w)
	})
}

// canLeave reports whether the others that follow a topic are connected without a node.
func (w *world) canLeave(n sim.Node, topic engine.ID) bool {
	before := w.joined[n]
	defer func() { w.joined[n] = before }()
	w.joined[n] = slices.DeleteFunc(slices.Clone(before), func(id engine.ID) bool { return id == topic })
	return len(w.components(topic)) < 2
}

// near reports whether a node has a link to one that follows a topic.
func (w *world) near(n sim.Node, topic engine.ID) bool {
	for e := range w.edges {
		if e.a == n && w.wants(e.b, topic) || e.b == n && w.wants(e.a, topic) {
			return true
		}
	}
	return false
}

// Nodes that follow nothing publish, each over links of its own. They are sent no events, and nobody gets one twice.
func TestStrangersPublish(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, ordinary())
		w.Run(time.Second)
		w.publishSome(60, time.Second)
		var strangers []sim.Node
		for i := range 4 {
			n := w.grow()
			w.publishes[n] = []engine.ID{topicOf(i), topicOf(i + 1)}
			w.Boot(n)
			strangers = append(strangers, n)
			for _, topic := range w.publishes[n] {
				for m, links := sim.Node(0), 0; m < 40 && links < 2; m++ {
					if w.wants(m, topic) {
						w.linkUp(edgeOf(n, m))
						links++
					}
				}
			}
		}
		w.Run(5 * time.Second)
		came, repeated := w.traced["Came"], w.traced["Repeated"]
		for range 10 {
			for _, n := range strangers {
				w.publish(n, w.publishes[n][w.Rand().IntN(2)])
				w.Run(500 * time.Millisecond)
			}
		}
		came, repeated = w.traced["Came"]-came, w.traced["Repeated"]-repeated
		if came == 0 || repeated*20 > came {
			t.Errorf("%d of %d deliveries were repeated", repeated, came)
		}
		finish(t, w)
	})
}

// What is published before there is a link comes to those that are linked later.
func TestPublishedBeforeLinks(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(wire(), t.World, ordinary())
		for _, e := range w.all {
			w.linkDown(e)
		}
		w.publishSome(40, 100*time.Millisecond)
		if w.traced["Came"] != 0 {
			t.Fatal("an event came without a link")
		}
		for _, e := range w.all {
			w.linkUp(e)
			w.Run(100 * time.Millisecond)
		}
		finish(t, w)
	})
}

// With one publisher of each topic, events need hardly more hops than the shortest path has. They arrive about as soon
// as on the fastest one.
func TestHops(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		s := ordinary()
		s.nodes, s.degree = 80, 8
		w := newWorld(wire(), t.World, s)
		w.Run(time.Second)
		publisher := map[engine.ID]sim.Node{}
		for i := range s.topics {
			for n := range sim.Node(s.nodes) {
				if w.wants(n, topicOf(i)) {
					publisher[topicOf(i)] = n
				}
			}
		}
		hops, shortest, longest, diameter := 0, 0, 0, 0
		for range 5 {
			for i := range s.topics {
				topic := topicOf(i)
				w.hops = nil
				w.publish(publisher[topic], topic)
				w.Run(5 * time.Second)
				for _, d := range w.distances(publisher[topic], topic) {
					shortest += d
					diameter = max(diameter, d)
				}
				for _, d := range w.hops {
					hops += d
					longest = max(longest, d)
				}
			}
		}
		t.Logf("%d hops, %d on shortest ways: %.3f; longest %d, %d", hops, shortest, float64(hops)/float64(shortest),
			longest, diameter)
		if float64(hops) > 1.25*float64(shortest) {
			t.Errorf("%d hops, %d on shortest ways", hops, shortest)
		}
		finish(t, w)
	})
}

// Several publish on one topic at the same moment, again and again, from the first event on.
func TestManyPublishersAtOnce(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		s := ordinary()
		s.topics, s.follows = 2, 1
		w := newWorld(wire(), t.World, s)
		w.Run(time.Second)
		var came, repeated int
		for i := range 60 {
			if i == 5 {
				came, repeated = w.traced["Came"], w.traced["Repeated"]
			}
			w.publishSome(10, 0)
			w.Run(5 * time.Second)
		}
		came, repeated = w.traced["Came"]-came, w.traced["Repeated"]-repeated
		t.Logf("%d of %d repeated", repeated, came)
		if repeated*20 > came {
			t.Errorf("%d of %d deliveries were repeated at rest", repeated, came)
		}
		finish(t, w)
	})
}

// A node's state grows with its links and topics, not with one times the other: of each topic it has about two links in
// the tree, however many links share it.
func TestState(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		s := ordinary()
		s.topics, s.follows, s.degree = 8, 6, 16
		w := newWorld(wire(), t.World, s)
		w.Run(time.Second)
		for i := range s.topics {
			for n := range sim.Node(s.nodes) {
				if w.wants(n, topicOf(i)) {
					w.publish(n, topicOf(i))
					break
				}
			}
		}
		w.Run(5 * time.Second)
		trees, subscriptions, shared := 0, 0, 0
		for n := range sim.Node(s.nodes) {
			trees += w.node(n).State().TreeLinks
			subscriptions += len(w.joined[n])
		}
		for e := range w.edges {
			shared += 2 * len(w.shared(e.a, e.b))
		}
		t.Logf("%d tree links of %d subscriptions, %d shared over links", trees, subscriptions, shared)
		if want := 2 * (subscriptions - s.topics); trees != want || shared < 3*trees {
			t.Errorf("%d tree links where trees have %d, and %d are shared", trees, want, shared)
		}
		finish(t, w)
	})
}

// One seed gives one run.
func TestRepeats(t *testing.T) {
	run := func() uint64 {
		c := wire()
		c.Faults = sim.Faults{Loss: 0.1, Duplicate: 0.1, Reorder: 0.1, ReorderBy: time.Second}
		w := newWorld(c, sim.New, ordinary())
		w.publishSome(60, 500*time.Millisecond)
		w.Run(time.Minute)
		return w.TraceHash()
	}
	if a, b := run(), run(); a != b {
		t.Errorf("two runs with one seed have the hashes %x and %x", a, b)
	}
}
