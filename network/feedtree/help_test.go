package feedtree_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// town is a world that remembers what is traced.
type town struct {
	*feedtreetest.World
	t      *simtest.T
	traced map[string][]traced // by type
	epoch  int64

	// messages with what publishers have signed that a node has sent, and received, to be passed on or kept
	pushed, handled map[sim.Node]int
}

type traced struct {
	at    time.Duration
	node  sim.Node
	event any
}

func newTown(t *simtest.T, s feedtreetest.Settings) *town {
	v := &town{t: t, traced: make(map[string][]traced), pushed: make(map[sim.Node]int), handled: make(map[sim.Node]int)}
	w := t.World(feedtreetest.SimConfig())
	v.epoch = feedtreetest.SimConfig().Epoch.UnixMilli()
	w.Observe(func(at time.Duration, n sim.Node, event any) {
		name := fmt.Sprintf("%T", event)
		v.traced[name] = append(v.traced[name], traced{at, n, event})
	})
	w.Tap(func(d sim.Delivery) {
		switch {
		case !isPush(d.Message):
		case d.Fate == sim.Received:
			v.handled[d.To]++
		case d.Fate == sim.Sent:
			v.pushed[d.From]++
		}
	})
	v.World = feedtreetest.New(w, s)
	return v
}

// isPush reports whether a message of a router has in it what a publisher has signed.
func isPush(m engine.Message) bool {
	c, ok := m.(interface{ Carried() engine.Message })
	if !ok {
		return false
	}
	switch m := c.Carried().(type) {
	case *feedtree.Item, *feedtree.Heartbeat, *feedtree.Rotation, *feedtree.Revocation:
		return true
	default:
		return isPush(m)
	}
}

// each calls f with all events of a type that nodes have traced.
func each[E any](v *town, f func(n sim.Node, e E)) (count int) {
	var zero E
	for _, e := range v.traced[fmt.Sprintf("%T", zero)] {
		if f != nil {
			f(e.node, e.event.(E))
		}
		count++
	}
	return count
}

// refused counts what was refused for a reason.
func (v *town) refused(why feedtree.Why) (count int) {
	each(v, func(_ sim.Node, e feedtree.Refused) {
		if e.Why == why {
			count++
		}
	})
	return count
}

// publish publishes items at an interval.
func (v *town) publish(p *feedtreetest.Publisher, items int, apart time.Duration) {
	for range items {
		p.Publish(fmt.Sprintf("news %d", len(p.Truth)+1))
		v.Run(apart)
	}
}

// complete fails the test where a follower lacks something.
func (v *town) complete(p *feedtreetest.Publisher, from, to uint64) {
	v.t.Helper()
	if err := v.World.Complete(p, from, to); err != nil {
		v.t.Error(err)
	}
}

// honest fails the test if anything was refused.
func (v *town) honest() {
	v.t.Helper()
	each(v, func(n sim.Node, e feedtree.Refused) { v.t.Errorf("node %d refused %+v", n, e) })
}

// ordered fails the test if a library was given items out of order.
func (v *town) ordered() {
	v.t.Helper()
	for _, n := range v.Live() {
		last := make(map[engine.ID]uint64)
		for _, s := range v.Node(n).Library.Shelves {
			if s.Number < last[s.Topic] {
				v.t.Errorf("node %d was given item %d after %d", n, s.Number, last[s.Topic])
			}
			last[s.Topic] = s.Number
		}
	}
}

func run(t *testing.T, seeds int, f func(t *simtest.T)) { simtest.Run(t, seeds, f) }

// sent returns how many messages were sent.
func (v *town) sent() (messages uint64) {
	for _, c := range v.Counters().Kinds {
		messages += c.Sent
	}
	return messages
}
