package feedtree_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// tamperer is the Env of a node that sends other messages than its protocols do: none where tamper returns
// nil.
type tamperer struct {
	engine.Env
	tamper func(to engine.Peer, m engine.Message) engine.Message
}

func (e tamperer) Send(to engine.Peer, m engine.Message) {
	if m = e.tamper(to, m); m != nil {
		e.Env.Send(to, m)
	}
}

// withBad are settings in which nodes for which bad is true tamper with what they send.
func withBad(nodes int, bad map[sim.Node]bool,
	tamper func(to engine.Peer, m engine.Message) engine.Message) feedtreetest.Settings {
	s := feedtreetest.Default(nodes)
	s.Scribe.MaxChildren = 4 // a deep tree
	s.Env = func(n sim.Node, env engine.Env) engine.Env {
		return tamperer{env, func(to engine.Peer, m engine.Message) engine.Message {
			if bad[n] {
				return tamper(to, m)
			}
			return m
		}}
	}
	return s
}

// carriesItem reports whether a message of Scribe carries an item.
func carriesItem(m engine.Message) bool {
	carrier, ok := m.(engine.Carrier)
	if !ok {
		return false
	}
	_, ok = carrier.Carried().(*feedtree.Item)
	return ok
}

// interior draws a node that has children in a topic's tree and no publisher.
func (v *town) interior(topic engine.ID, but map[sim.Node]bool) sim.Node {
	for {
		if n := v.Any(); !but[n] {
			if p, _ := v.Place(n, topic); len(p.Children) > 0 {
				return n
			}
		}
	}
}

// A parent passes on heartbeats and drops items, and claims that it has none. The gap shows, others are asked, and all
// followers have everything (hostile 41).
func TestParentsThatDropItems(t *testing.T) {
	run(t, 6, func(t *simtest.T) {
		dropped := 0
		bad := make(map[sim.Node]bool)
		s := withBad(30, bad, func(_ engine.Peer, m engine.Message) engine.Message {
			if items, ok := m.(*feedtree.Items); ok {
				return &feedtree.Items{Topic: items.Topic, From: items.From}
			}
			if carriesItem(m) {
				dropped++
				return nil
			}
			return m
		})
		s.Archive = false
		s.Scribe.Compare = time.Hour // the router's own means are tested there
		v := newTown(t, s)
		p := v.NewPublisher("feed", 0, 20*time.Second)
		for n := range sim.Node(30) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(30 * time.Second)
		for range 3 {
			bad[v.interior(p.Topic(), bad)] = true
		}
		v.Run(2 * time.Minute)
		v.publish(p, 20, 15*time.Second)
		v.Run(3 * time.Minute)
		v.complete(p, 1, 20)
		v.honest()
		if dropped == 0 {
			t.Fatal("nothing was dropped")
		}
	})
}
