package feedtree_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// byRouter runs a test with each router that can carry what is published.
func byRouter(t *testing.T, seeds int, f func(t *simtest.T, s feedtreetest.Settings)) {
	for _, r := range feedtreetest.Routers {
		t.Run(r.String(), func(t *testing.T) {
			run(t, seeds, func(t *simtest.T) {
				s := feedtreetest.Default(30)
				s.Router = r
				f(t, s)
			})
		})
	}
}

// settledTown is a town with settled followers; node 0 publishes.
func settledTown(t *simtest.T, s feedtreetest.Settings) (*town, *feedtreetest.Publisher) {
	v := newTown(t, s)
	p := v.NewPublisher("feed", 0, 20*time.Second)
	for n := range sim.Node(s.Nodes) {
		if n%3 == 1 {
			v.Follow(n, p)
		}
	}
	v.Run(3 * time.Minute)
	return v, p
}

// By each router all followers soon have what is published, in order, once. The publisher's node learns that another
// node has it.
func TestEachRouterBringsWhatIsPublished(t *testing.T) {
	byRouter(t, 4, func(t *simtest.T, s feedtreetest.Settings) {
		v, p := settledTown(t, s)
		v.publish(p, 20, 3*time.Second)
		v.Run(2 * time.Minute)
		v.complete(p, 1, 20)
		v.ordered()
		v.honest()
		if n := each[feedtree.Taken](v, nil); n != 20*len(v.Followers(p)) {
			t.Errorf("%d items were taken", n)
		}
		arrived := make(map[uint64]bool)
		each(v, func(_ sim.Node, e feedtree.Arrived) { arrived[e.Number] = true })
		if len(arrived) != 20 {
			t.Errorf("of %d items the publisher's node knows that another node has them", len(arrived))
		}
		if n := each[feedtree.Fallback](v, nil); n > 0 {
			t.Errorf("%d times the feed was to be polled", n)
		}
	})
}

// By each router followers have every item once, though messages are lost, a node inside the tree crashes, and one
// joins late.
func TestEachRouterMendsWhatFails(t *testing.T) {
	byRouter(t, 4, func(t *simtest.T, s feedtreetest.Settings) {
		v, p := settledTown(t, s)
		v.SetFaults(sim.Faults{Loss: 0.1, Duplicate: 0.05, Reorder: 0.05, ReorderBy: time.Second})
		v.publish(p, 10, 2*time.Second)
		down := v.busiest(p)
		v.Crash(down)
		v.publish(p, 10, 2*time.Second)
		v.Follow(2, p)
		v.publish(p, 10, 2*time.Second)
		v.Boot(down)
		v.publish(p, 5, 2*time.Second)
		v.SetFaults(sim.Faults{})
		v.Run(8 * time.Minute)
		v.complete(p, 1, 35)
		v.honest()
	})
}

// busiest returns the node other than the publisher's that has passed on most.
func (v *town) busiest(p *feedtreetest.Publisher) (most sim.Node) {
	most = -1
	for n := range sim.Node(v.Len()) {
		if n != p.At && (most < 0 || v.pushed[n] > v.pushed[most]) {
			most = n
		}
	}
	return most
}

// With rappel and spidercast no node handles what it does not follow, except for the publisher's own. With rappel the
// root does too: the node closest to the topic, which need not follow it.
func TestNobodyCarriesWhatItDoesNotFollow(t *testing.T) {
	byRouter(t, 4, func(t *simtest.T, s feedtreetest.Settings) {
		v, p := settledTown(t, s)
		v.publish(p, 30, 2*time.Second)
		v.Follow(2, p)
		v.publish(p, 10, 2*time.Second)
		v.Run(5 * time.Minute)
		v.complete(p, 1, 40)
		strangers := 0
		for n := range sim.Node(s.Nodes) {
			named := n == p.At || s.Router == network.Rappel && n == v.Root(p.Topic())
			if !named && !slices.Contains(v.Followers(p), n) {
				strangers += v.handled[n]
			}
		}
		noiseless := s.Router == network.Rappel || s.Router == network.SpiderCast
		if noiseless && strangers > 0 {
			t.Errorf("nodes that do not follow the publisher have handled %d messages", strangers)
		}
		if s.Router == network.Scribe && strangers == 0 {
			t.Error("no forwarder has handled anything: nothing is counted")
		}
	})
}

// A node inside the tree sends items that are forged, altered or signed with another key, as publisher or as forwarder.
// By no router does any node receive them.
func TestEachRouterRefusesForgeries(t *testing.T) {
	byRouter(t, 3, func(t *simtest.T, s feedtreetest.Settings) {
		liars := map[sim.Node]bool{}
		s.Env = func(n sim.Node, env engine.Env) engine.Env { return forging{env, func() bool { return liars[n] }} }
		v, p := settledTown(t, s)
		v.publish(p, 5, 2*time.Second)
		liar := v.Followers(p)[3]
		liars[liar] = true
		v.publish(p, 10, 2*time.Second)
		other := *p.Truth[3]
		other.Entry = []byte("what nobody has signed")
		v.Do(liar, func(engine.Protocol) { v.Node(liar).Router.Publish(p.Topic(), &other) })
		v.Run(3 * time.Minute)
		v.complete(p, 1, 15)
		for _, n := range v.Followers(p) {
			if n == liar {
				continue
			}
			for _, number := range v.Node(n).Library.Numbers(p.Topic()) {
				if i := v.Node(n).Library.Item(p.Topic(), number); string(i.Entry) != string(p.Truth[number].Entry) {
					t.Errorf("node %d keeps %q", n, i.Entry)
				}
			}
		}
	})
}

// forging is the Env of a node that alters each item that it passes on, while it lies.
type forging struct {
	engine.Env
	lies func() bool
}

func (f forging) Send(to engine.Peer, m engine.Message) {
	if f.lies() && isPush(m) {
		m = altered(reflect.ValueOf(m)).Interface().(engine.Message)
	}
	f.Env.Send(to, m)
}

// altered returns a copy of a message in which each item has another entry.
func altered(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(altered(v.Elem()))
		return out
	case reflect.Pointer:
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(altered(v.Elem()))
		if item, ok := out.Interface().(*feedtree.Item); ok {
			item.Entry = append([]byte("altered: "), item.Entry...)
		}
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if k := v.Field(i).Kind(); k == reflect.Interface || k == reflect.Struct {
				out.Field(i).Set(altered(v.Field(i)))
			}
		}
		return out
	}
	return v
}

// Without followers, routers with a root deliver published items to the root: then another node has them.
func TestARootHasWhatNobodyFollows(t *testing.T) {
	for _, r := range []network.RouterName{network.Scribe, network.Rappel} {
		t.Run(r.String(), func(t *testing.T) {
			run(t, 4, func(t *simtest.T) {
				s := feedtreetest.Default(30)
				s.Router = r
				v := newTown(t, s)
				at := sim.Node(0)
				p := v.NewPublisher("feed", at, time.Minute)
				if v.Root(p.Topic()) == at {
					return // no other node has it
				}
				v.Run(time.Minute)
				v.publish(p, 5, time.Second)
				v.Run(time.Minute)
				arrived := make(map[uint64]engine.ID)
				each(v, func(_ sim.Node, e feedtree.Arrived) { arrived[e.Number] = e.At })
				if len(arrived) != 5 {
					t.Errorf("of %d items the publisher's node knows that another has them", len(arrived))
				}
			})
		})
	}
}

// A backlog that is published at once reaches all followers, in order, though routers bound how much of one publisher
// is on its way.
func TestEachRouterBringsABacklog(t *testing.T) {
	byRouter(t, 3, func(t *simtest.T, s feedtreetest.Settings) {
		v, p := settledTown(t, s)
		v.publish(p, 60, time.Millisecond)
		v.Run(5 * time.Minute)
		v.complete(p, 1, 60)
		v.honest()
	})
}
