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

// newReaders is a town where every node but the first follows the publisher at the first node, which has published
// items.
func newReaders(t *simtest.T, nodes int, from sim.Node, items int) (*town, *feedtreetest.Publisher) {
	v := newTown(t, feedtreetest.Default(nodes))
	p := v.NewPublisher("feed", 0, time.Minute)
	for n := from; int(n) < nodes; n++ {
		v.Follow(n, p)
	}
	v.Run(20 * time.Second)
	v.publish(p, items, time.Second)
	return v, p
}

// giveTwice has a publisher's key sign two items for one number, which two nodes bring in.
func (v *town) giveTwice(p *feedtreetest.Publisher, number uint64) (one, other *feedtree.Item) {
	now := v.Node(0).Env.Wall().UnixMilli()
	one, other = p.Sign(number, now, "one thing"), p.Sign(number, now, "another thing")
	p.Truth[number] = one
	v.Do(1, func(engine.Protocol) { v.Node(1).Scribe.Publish(p.Topic(), one) })
	v.Do(2, func(engine.Protocol) { v.Node(2).Scribe.Publish(p.Topic(), other) })
	return one, other
}

// A publisher that gives a number to two items is found out wherever both are seen. The proof reaches all nodes. A node
// that has one item keeps it, and no node has both (hostile 42).
func TestEquivocation(t *testing.T) {
	run(t, 6, func(t *simtest.T) {
		v, p := newReaders(t, 40, 1, 5)
		one, _ := v.giveTwice(p, 6)
		v.Run(10 * time.Second)
		seven := p.Sign(7, one.Time+1, "and on")
		p.Truth[7] = seven
		v.Do(1, func(engine.Protocol) { v.Node(1).Scribe.Publish(p.Topic(), seven) })
		v.Run(time.Minute)
		for _, n := range v.Followers(p) {
			s, _ := v.Node(n).Feed.Status(p.Topic())
			if !s.Doubled || s.Have != 7 {
				t.Errorf("node %d: %+v", n, s)
			}
			kept := 0
			for _, e := range v.Node(n).Library.Shelves {
				if e.Number == 6 {
					kept++
				}
			}
			if kept > 1 {
				t.Errorf("node %d has %d items with the number 6", n, kept)
			}
		}
		if err := v.Unruly(); err != nil {
			t.Error(err)
		}
		v.complete(p, 7, 7)
		messages := v.Counters().Kinds[(*feedtree.Equivocation)(nil).Kind()].Sent
		if messages == 0 || messages > 4*40 {
			t.Errorf("the proof was sent %d times among 40 nodes", messages)
		}
	})
}

// A node that forgives a doubled number relies on the publisher again, whatever other nodes report. Another doubled
// number is found out as the first was, also by nodes that know only of that one.
func TestAForgivenPublisher(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v, p := newReaders(t, 30, 10, 5)
		twice := func(number uint64) *feedtree.Equivocation {
			one, other := v.giveTwice(p, number)
			v.Run(time.Minute)
			return &feedtree.Equivocation{Topic: p.Topic(), First: *one.Head(), Second: *other.Head()}
		}
		doubled := func(n sim.Node) bool {
			s, _ := v.Node(n).Feed.Status(p.Topic())
			return s.Doubled
		}
		proof := twice(6)
		var merciful []sim.Node // half of those that forgive
		for i, n := range v.Followers(p) {
			if i%5 == 3 {
				merciful = append(merciful, n)
			}
		}
		forgive := func(number uint64) {
			for _, n := range merciful {
				if !doubled(n) {
					t.Errorf("node %d has not heard that %d was given twice", n, number)
				}
				v.Do(n, func(engine.Protocol) {
					if upTo := v.Node(n).Feed.Forgive(p.Topic()); upTo != number {
						t.Errorf("node %d has forgiven up to %d, not %d", n, upTo, number)
					}
					if doubled(n) {
						t.Errorf("node %d has not forgiven %d", n, number)
					}
				})
			}
		}
		forgive(6)
		v.Do(1, func(engine.Protocol) { v.Node(1).Env.Send(v.Node(merciful[0]).Env.Self(), proof) })
		v.Run(time.Minute)
		if doubled(merciful[0]) {
			t.Error("what was forgiven is held against the publisher")
		}
		twice(7)
		forgive(7)
		if unknown := v.Node(merciful[0]).Feed.Forgive(engine.IDOf([]byte("nobody's"))); unknown != 0 {
			t.Errorf("a channel that is not followed is forgiven up to %d", unknown)
		}
	})
}

// A publisher's node is restored from an old copy. It learns that the network is further before it gives a number
// twice, and continues above (hostile 33).
func TestAPublisherWithAnOldState(t *testing.T) {
	for _, archive := range []bool{false, true} {
		t.Run(fmt.Sprintf("archive=%v", archive), func(t *testing.T) {
			run(t, 4, func(t *simtest.T) {
				s := feedtreetest.Default(30)
				s.Archive = archive
				v := newTown(t, s)
				p := v.NewPublisher("feed", 0, time.Minute)
				if !archive {
					for n := range sim.Node(30) {
						if n > 9 {
							v.Follow(n, p)
						}
					}
				}
				v.Run(20 * time.Second)
				v.publish(p, 6, time.Second)
				v.Run(time.Second)
				backup := v.Disk(0)
				v.publish(p, 5, time.Second)
				v.Run(10 * time.Second)
				v.Crash(0)
				v.Restore(0, backup)
				v.Boot(0)
				p.Publish("a number that was given before") // it waits, and is dropped
				v.Run(20 * time.Second)
				if p.Overtaken == 0 {
					t.Fatal("the publisher's node was not told")
				}
				if n := each[feedtree.Equivocated](v, nil); n > 0 {
					t.Errorf("%d nodes saw a number twice", n)
				}
				if n := each[feedtree.Contested](v, nil); n > 0 {
					t.Error("it takes its earlier life for another node")
				}
				v.complete(p, 1, 11)
			})
		})
	}
}

// A publisher's node that has lost its disk continues above all that was published. That holds even if an answer cannot
// hold it all, and if the nodes that have it restarted since the publisher's last word.
func TestAPublisherFarBehind(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		s := feedtreetest.Default(30)
		s.Archive = false
		v := newTown(t, s)
		p := v.NewPublisher("feed", 0, time.Hour)
		readers := []sim.Node{11, 17, 23}
		for _, n := range readers {
			v.Follow(n, p)
		}
		v.Run(20 * time.Second)
		v.publish(p, 75, time.Second)
		v.Run(10 * time.Second)
		v.Crash(0)
		v.Restore(0, nil)
		for _, n := range readers {
			v.Crash(n)
			v.Boot(n)
		}
		v.Run(time.Minute)
		v.Boot(0)
		v.Run(time.Minute)
		if number := p.Publish("the next"); number != 76 {
			t.Errorf("the next number is %d", number)
		}
		v.Run(time.Minute)
		if n := each[feedtree.Equivocated](v, nil); n > 0 {
			t.Errorf("%d nodes saw a number twice", n)
		}
		v.complete(p, 1, 76)
	})
}

// Followers detect a clone of the publisher's node that asked no node first (hostile 33).
func TestAPublisherTwice(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v, p := newReaders(t, 30, 10, 6)
		v.Run(time.Hour) // only libraries remember
		clone := p.Sign(6, v.Node(0).Env.Wall().UnixMilli(), "somebody else's sixth")
		v.Do(3, func(engine.Protocol) { v.Node(3).Scribe.Publish(p.Topic(), clone) })
		v.Run(20 * time.Second)
		if each[feedtree.WentBack](v, nil)+each[feedtree.Equivocated](v, nil) == 0 {
			t.Error("nobody has noticed")
		}
		for _, n := range v.Followers(p) {
			if s, _ := v.Node(n).Feed.Status(p.Topic()); !s.Doubled {
				t.Errorf("node %d has no proof", n)
			}
		}
		v.complete(p, 1, 6)
	})
}

// trickler gives one node items one by one, each so late that the node has nearly stopped waiting.
type trickler struct {
	engine.Env
	to engine.Peer
}

func (e *trickler) Send(to engine.Peer, m engine.Message) {
	items, is := m.(*feedtree.Items)
	if !is || to.ID != e.to.ID || len(items.Items) == 0 {
		e.Env.Send(to, m)
		return
	}
	for i, item := range items.Items {
		one := *items
		one.Items = []engine.Message{item}
		e.After(time.Duration(i+1)*feedtree.Default().Check*4/5, func() { e.Env.Send(to, &one) })
	}
}

// A follower that returns a publisher's own items one by one does not delay it, if others return all at once.
func TestASlowFollowerHoldsNoPublisherBack(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		slow := &trickler{}
		s := feedtreetest.Default(30)
		s.Archive = false
		s.Env = func(n sim.Node, env engine.Env) engine.Env {
			if n != 17 {
				return env
			}
			slow.Env = env
			return slow
		}
		v := newTown(t, s)
		p := v.NewPublisher("feed", 0, time.Hour)
		for _, n := range []sim.Node{11, 17, 23} {
			v.Follow(n, p)
		}
		v.Run(20 * time.Second)
		v.publish(p, 75, time.Second)
		v.Crash(0)
		v.Restore(0, nil)
		slow.to = v.Peer(0)
		v.Run(time.Minute)
		v.Boot(0)
		v.Run(30 * time.Second)
		if number := p.Publish("the next"); number != 76 {
			t.Errorf("the next number is %d", number)
		}
		began, came := v.Now(), time.Duration(0)
		v.Observe(func(at time.Duration, n sim.Node, event any) {
			if e, is := event.(feedtree.Taken); is && e.Number == 76 && came == 0 {
				came = at
			}
		})
		v.Run(10 * time.Minute)
		if came == 0 || came-began > 10*time.Second {
			t.Errorf("the next item has come at %v, not soon after %v", came, began)
		}
	})
}
