package scribe_test

import (
	"testing"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// With messages lost, doubled and overtaken all members get all events, once.
func TestLossIsMended(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWood(t, complete(50))
		for n := range sim.Node(50) {
			if n%2 == 0 {
				v.Join(n, routertest.Topic(0))
			}
		}
		v.Run(10 * time.Second)
		faults := sim.Faults{Loss: 0.05, Duplicate: 0.05, Reorder: 0.1, ReorderBy: 200 * time.Millisecond}
		v.SetFaults(faults)
		for range 60 {
			v.Publish(v.Any(), routertest.Topic(0), 100)
			v.Run(time.Duration(v.Rand().IntN(1000)) * time.Millisecond)
		}
		v.Run(time.Minute)
		v.SetFaults(sim.Faults{})
		v.Run(3 * time.Minute)
		v.ends(1)
	})
}

// A root reads slowly for a while, as a publisher has two hundred events. It is not sent all of them again and again,
// and all members get all events.
func TestASlowRootIsNotFlooded(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		const events, again = 200, 32
		s := complete(40)
		v := newWood(t, s)
		topic := routertest.Topic(0)
		for n := range sim.Node(40) {
			v.Join(n, topic)
		}
		v.Run(20 * time.Second)
		root := v.Root(topic)
		publisher := v.other(root)
		v.Publish(publisher, topic, 100)
		v.Run(5 * time.Second)
		sent := 0
		v.Tap(func(p sim.Delivery) {
			m := p.Message
			if r, ok := m.(*pastry.Routed); ok {
				m = r.Payload
			}
			if _, ok := m.(*scribe.Publish); ok && p.Fate == sim.Sent && p.From == publisher {
				sent++
			}
		})
		v.SetSlow(root, 50*time.Millisecond)
		for range events {
			v.Publish(publisher, topic, 100)
		}
		const retries = 5
		v.Run(retries * s.Scribe.PublishRetry)
		if most := s.Scribe.Roots * (events + again*retries); sent < events || sent > most {
			t.Errorf("%d messages are sent for %d events, want %d at most", sent, events, most)
		}
		v.SetSlow(root, 0)
		v.Run(3 * time.Minute)
		v.ends(1)
	})
}

// A link loses an event and its repetition. The child does not acknowledge it, so the parent announces it in a
// Heartbeat. Nobody waits for the Heartbeat at intervals, which is up to ten seconds away.
func TestAnEventAndItsRepetitionAreLost(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWood(t, complete(20))
		topic := routertest.Topic(0)
		for n := range sim.Node(20) {
			v.Join(n, topic)
		}
		v.Run(20 * time.Second)
		child := v.Any()
		for child == v.Root(topic) {
			child = v.Any()
		}
		above, _ := v.Node(child).Parent(topic)
		parent, _ := v.NodeAt(above)
		var at time.Duration
		v.Observe(func(now time.Duration, n sim.Node, event any) {
			if _, ok := event.(scribe.Delivered); ok && n == child {
				at = now
			}
		})
		v.SetLinkFaults(parent, child, sim.Faults{Loss: 1})
		began := v.Now()
		v.Publish(v.Root(topic), topic, 100)
		v.Run(1900 * time.Millisecond)
		if at != 0 {
			t.Fatal("the event came over a link that loses everything")
		}
		v.SetLinkFaults(parent, child, sim.Faults{})
		v.Run(time.Minute)
		if at == 0 || at > began+4*time.Second {
			t.Errorf("the event was published at %v and came at %v", began, at)
		}
		v.ends(1)
	})
}

// Where nothing is lost an event costs a link two messages: the event, and a Heard.
func TestHeardEventsAreNotRepeated(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		const nodes, events = 50, 10
		v := newWood(t, complete(nodes))
		topic := routertest.Topic(0)
		for n := range sim.Node(nodes) {
			v.Join(n, topic)
		}
		v.Run(20 * time.Second)
		asked := 0
		v.Tap(func(p sim.Delivery) {
			if b, ok := p.Message.(*scribe.Heartbeat); ok && b.Unheard {
				asked++
			}
		})
		downs, heards := v.sent(new(scribe.Disseminate)), v.sent(new(scribe.Heard))
		for range events {
			v.Publish(v.Root(topic), topic, 100)
			v.Run(time.Minute)
		}
		if downs, heards = v.sent(new(scribe.Disseminate))-downs, v.sent(new(scribe.Heard))-heards; heards != downs ||
			asked > 0 {
			t.Errorf("%d Downs were followed by %d Heards and %d Beats that ask for one", downs, heards, asked)
		}
		v.ends(1)
	})
}

// A child that receives events and never acknowledges them costs its parent one more copy of each and up to
// unheardTimes-1 Heartbeats, not more.
func TestAChildThatNeverSaysThatItHasHeard(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		const nodes = 20
		mute := sim.Node(-1)
		s := complete(nodes)
		s.Env = func(n sim.Node, env engine.Env) engine.Env { return muteEnv{env, func() bool { return n == mute }} }
		v := newWood(t, s)
		topic := routertest.Topic(0)
		for n := range sim.Node(nodes) {
			v.Join(n, topic)
		}
		v.Run(20 * time.Second)
		mute = v.other(v.Root(topic))
		copies, asked := 0, 0
		v.Tap(func(p sim.Delivery) {
			if p.To != mute || p.Fate != sim.Received {
				return
			}
			switch m := p.Message.(type) {
			case *scribe.Disseminate:
				copies++
			case *scribe.Heartbeat:
				if m.Unheard {
					asked++
				}
			}
		})
		v.Publish(v.Root(topic), topic, 100)
		v.Run(5 * time.Minute)
		if copies != 2 || asked != 3 {
			t.Errorf("the child was sent %d copies and asked %d times", copies, asked)
		}
		v.ends(1)
	})
}

// muteEnv sends no Heard while mute.
type muteEnv struct {
	engine.Env
	mute func() bool
}

func (e muteEnv) Send(to engine.Peer, m engine.Message) {
	if _, heard := m.(*scribe.Heard); !heard || !e.mute() {
		e.Env.Send(to, m)
	}
}

// Members that find out by themselves what is kept back compare when they have a new parent. They do not compare again
// because the root is busy. Otherwise all joining nodes would ask it again and again for as long as it is.
func TestABusyRootIsNotAskedAgain(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes = 40
		c := scribe.Default()
		c.CompareLoad = 1
		p := protocolFor(c, func(m routertest.Member) network.Member { return recovering{m} })
		v := &wood{t: t, counts: make(map[string]int)}
		v.World = routertest.New(t.World(p.SimConfig()), p, complete(nodes).Settings)
		topic := routertest.Topic(0)
		for n := range sim.Node(nodes) {
			v.Join(n, topic)
		}
		v.Run(time.Minute)
		for n := range sim.Node(nodes) {
			v.Node(n).Distrust(topic) // all look for another parent
		}
		v.Run(5 * time.Minute)
		before := v.sent(new(scribe.Compare))
		if before < nodes/2 {
			t.Fatalf("only %d of %d compared when they had another parent", before, nodes)
		}
		v.Run(time.Hour)
		if n := v.sent(new(scribe.Compare)) - before; n > nodes/4 {
			t.Errorf("%d comparisons in an hour in which nothing happens", n)
		}
		if err := v.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// A fifth of the nodes crashes at one moment, among them the root in half of the runs. The others
// get all events that are published from then on, and the tree is whole again soon.
func TestAFifthCrashes(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWood(t, complete(60))
		topic := routertest.Topic(0)
		for n := range sim.Node(60) {
			v.Join(n, topic)
		}
		v.Run(20 * time.Second)
		root := v.Root(topic)
		if t.Seed()%2 == 0 {
			v.Crash(root)
		}
		for len(v.Live()) > 48 {
			if n := v.Any(); n != root {
				v.Crash(n)
			}
		}
		for range 30 {
			v.Publish(v.Any(), topic, 100)
			v.Run(time.Second)
		}
		v.Run(2 * time.Minute)
		v.Settle()
		v.ends(1)
	})
}

// Members come back after a crash and get what is published from then on; new nodes that lie closer to
// the topic become its root.
func TestTheRootMovesToCloserNodes(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWood(t, complete(30))
		topic := routertest.Topic(0)
		for n := range sim.Node(30) {
			if n%3 > 0 {
				v.Join(n, topic)
			}
		}
		v.Run(10 * time.Second)
		before := v.Root(topic)
		closer := topic
		closer[len(closer)-1] ^= 1
		n := v.Grow(closer)
		v.Boot(n)
		for range 20 {
			v.Publish(v.other(n), topic, 100)
			v.Run(500 * time.Millisecond)
		}
		v.Settle()
		v.Run(30 * time.Second)
		if v.Root(topic) == before {
			t.Fatal("the new node is not the root")
		}
		v.Publish(before, topic, 100)
		v.Run(30 * time.Second)
		if err := v.Tree(topic); err != nil {
			t.Errorf("after the new root has come: %v", err)
		}
		v.Shutdown(n)
		v.Run(time.Second)
		for range 10 {
			v.Publish(v.Any(), topic, 100)
			v.Run(500 * time.Millisecond)
		}
		v.Run(time.Minute)
		v.Settle()
		v.ends(1)
	})
}

// other draws a node that is up, another than n.
func (v *wood) other(n sim.Node) sim.Node {
	for {
		if m := v.Any(); m != n {
			return m
		}
	}
}

// swallower is the Env of a node that hands no events on. One that is sly says that there has been nothing to
// hand on.
type swallower struct {
	engine.Env
	bad    func() bool
	sly    bool
	count  *int
	hidden map[uint32]uint64 // Disseminates that were swallowed, by line
}

func (s swallower) Send(to engine.Peer, m engine.Message) {
	if !s.bad() {
		s.Env.Send(to, m)
		return
	}
	switch m := m.(type) {
	case *scribe.Disseminate:
		s.hidden[m.Line]++
		*s.count++
		return
	case *scribe.Missed:
		*s.count++
		return
	}
	if s.sly {
		m = s.lie(m)
	}
	s.Env.Send(to, m)
}

// lie returns what a node says that hides what it swallows.
func (s swallower) lie(m engine.Message) engine.Message {
	switch m := m.(type) {
	case *scribe.Heartbeat:
		told := *m
		told.Sent -= s.hidden[m.Line]
		return &told
	case *scribe.Joined:
		told := *m
		told.Sent, told.Missed = told.Sent-s.hidden[m.Line], 0
		return &told
	case *scribe.Compared:
		told := *m
		told.Missed = 0
		return &told
	}
	return m
}

// A tenth of the nodes swallows all events that it should forward, and half of them hide it. In a third of the runs the
// root is among them. All members get all events all the same. A member that lacks one finds out by comparing with one
// of the roots (hostile 41).
func TestATenthSwallowsEvents(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		const nodes = 60
		swallowed := 0
		s := complete(nodes)
		s.Scribe.MaxChildren = 4 // a deep tree
		topic := routertest.Topic(0)
		bad := make(map[sim.Node]bool)
		s.Env = func(n sim.Node, env engine.Env) engine.Env {
			return swallower{env, func() bool { return bad[n] }, n%2 == 0, &swallowed, make(map[uint32]uint64)}
		}
		v := newWood(t, s)
		for n := range sim.Node(nodes) {
			v.Join(n, topic)
		}
		v.Run(30 * time.Second)
		if t.Seed()%3 == 0 {
			bad[v.Root(topic)] = true
		}
		honest := v.Any() // one of the roots, as is promised
		for !v.isAmongRoots(honest, topic, s.Scribe.Roots) || bad[honest] {
			honest = v.Any()
		}
		for len(bad) < nodes/10 {
			n := v.Any()
			if p, _ := v.Place(n, topic); len(p.Children) > 0 && n != honest {
				bad[n] = true
			}
		}
		v.Run(20 * time.Second)
		for range 40 {
			v.Publish(v.Any(), topic, 100)
			v.Run(10 * time.Second)
		}
		v.Run(5 * time.Minute)
		v.ends(0)
		if swallowed == 0 {
			t.Error("nothing was swallowed")
		}
	})
}
