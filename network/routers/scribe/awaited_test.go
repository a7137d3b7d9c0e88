package scribe_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// sent returns how many messages of a kind were sent so far.
func (v *wood) sent(m engine.Message) int {
	if c := v.Counters().Kinds[m.Kind()]; c != nil {
		return int(c.Sent)
	}
	return 0
}

// copies returns how often an event was sent so far, by whatever message.
func (v *wood) copies() int {
	return v.sent(new(scribe.Publish)) + v.sent(new(scribe.Disseminate)) + v.sent(new(scribe.Missed))
}

// In a network without faults each member but the publisher is sent an event once, roots included. This holds as soon
// as the publisher knows the roots.
func TestAnEventIsSentOnce(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		const nodes, events = 50, 20
		v := newWood(t, complete(nodes))
		topic := routertest.Topic(0)
		for n := range sim.Node(nodes) {
			v.Join(n, topic)
		}
		v.Run(20 * time.Second)
		publisher := v.Any()
		v.Publish(publisher, topic, 1000)
		v.Run(20 * time.Second)
		before, asked := v.copies(), v.sent(new(scribe.IWant))
		for range events {
			v.Publish(publisher, topic, 1000)
			v.Run(50 * time.Millisecond)
		}
		v.Run(time.Minute)
		if got, want := v.copies()-before, events*(nodes-1); got != want {
			t.Errorf("%d copies of %d events for %d members, want %d", got, events, nodes, want)
		}
		if n := v.sent(new(scribe.IWant)) - asked; n > 0 {
			t.Errorf("events came down the tree and were asked for %d times", n)
		}
		v.ends(1)
	})
}

// The closest root accepts an event and does nothing more. The other roots, and all nodes below them, have it soon.
func TestRootsAskForWhatDoesNotCome(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		const nodes = 40
		topic := routertest.Topic(0)
		swallowed, root := 0, sim.Node(-1)
		s := complete(nodes)
		s.Env = func(n sim.Node, env engine.Env) engine.Env {
			return swallower{env, func() bool { return n == root }, n%2 == 0, &swallowed, make(map[uint32]uint64)}
		}
		v := newWood(t, s)
		for n := range sim.Node(nodes) {
			v.Join(n, topic)
		}
		publisher := v.other(v.Root(topic))
		v.Run(20 * time.Second)
		v.Publish(publisher, topic, 1000)
		v.Run(20 * time.Second)
		root = v.Root(topic)
		// before the event is offered again
		rested, end := v.counts[nameOf(scribe.RootAcked{})], v.Now()+1500*time.Millisecond
		v.Publish(publisher, topic, 1000)
		for v.Now() < end {
			v.Run(100 * time.Millisecond)
		}
		others := s.Scribe.Roots
		if v.isAmongRoots(publisher, topic, others) {
			others--
		}
		if got := v.counts[nameOf(scribe.RootAcked{})] - rested; got < others {
			t.Errorf("%d roots have the event after a second and a half, want %d", got, others)
		}
		v.Run(3 * time.Minute)
		v.ends(0)
	})
}

// forgetful is the Env of a node that loses the first event that it routes.
type forgetful struct {
	engine.Env
	lost *int
}

func (f forgetful) Send(to engine.Peer, m engine.Message) {
	if r, ok := m.(*pastry.Routed); ok && *f.lost == 0 {
		if _, ok := r.Payload.(*scribe.Publish); ok {
			*f.lost++
			return
		}
	}
	f.Env.Send(to, m)
}

// All roots have the first event of a publisher. This holds even if the closest receives it as the publisher's parent,
// before the ring has said which nodes are the roots.
func TestAllRootsHaveTheFirstEvent(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes = 60 // more than a leaf set has
		s, lost := complete(nodes), make([]int, nodes)
		s.Env = func(n sim.Node, env engine.Env) engine.Env { return forgetful{env, &lost[n]} }
		v := newWood(t, s)
		topic := routertest.Topic(0)
		for n := range sim.Node(nodes) {
			v.Join(n, topic)
		}
		v.Run(20 * time.Second)
		place, _ := v.Place(v.Root(topic), topic)
		routed := 0
		for _, c := range place.Children {
			publisher, _ := v.NodeAt(c)
			before, due := v.counts[nameOf(scribe.RootAcked{})], s.Scribe.Roots
			if v.isAmongRoots(publisher, topic, due) {
				due--
			}
			v.Publish(publisher, topic, 1000)
			v.Run(5 * time.Second)
			routed += lost[publisher]
			if got := v.counts[nameOf(scribe.RootAcked{})] - before; got != due {
				t.Errorf("%d roots have the event of node %d, want %d", got, publisher, due)
			}
		}
		if routed == 0 {
			t.Error("all publishers knew the roots")
		}
	})
}
