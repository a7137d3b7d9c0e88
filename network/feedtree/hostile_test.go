package feedtree_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/scribe"
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
func withBad(nodes int, bad map[sim.Node]bool, tamper func(to engine.Peer, m engine.Message) engine.Message) feedtreetest.Settings {
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

// carriesItem tells whether a message of Scribe carries an item.
func carriesItem(m engine.Message) bool {
	carrier, ok := m.(engine.Carrier)
	if !ok {
		return false
	}
	_, ok = carrier.Carried().(*feedtree.Item)
	return ok
}

// interior draws a node that has children in a topic's tree and at which nobody publishes.
func (v *town) interior(topic engine.ID, but map[sim.Node]bool) sim.Node {
	for {
		if n := v.Any(); !but[n] {
			if p, _ := v.Place(n, topic); len(p.Children) > 0 {
				return n
			}
		}
	}
}

// A parent passes on heartbeats and drops items, and says that it has none: the gap shows, others are asked,
// the parent is replaced, and all have everything (hostile 41).
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
		if each[feedtree.Suppressed](v, nil)+each[scribe.Blamed](v, nil) == 0 {
			t.Error("no parent was found out")
		}
	})
}

// Where nobody can be found who has an item, the conventional feed is looked at (hostile 41).
func TestTheConventionalFeedIsTheLastResort(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		bad := make(map[sim.Node]bool)
		s := withBad(20, bad, func(_ engine.Peer, m engine.Message) engine.Message {
			if _, ok := m.(*feedtree.Items); ok || carriesItem(m) {
				return nil
			}
			return m
		})
		s.Archive = false
		v := newTown(t, s)
		p := v.NewPublisher("feed", 0, 20*time.Second)
		v.Follow(3, p)
		v.Run(30 * time.Second)
		for n := range sim.Node(20) {
			bad[n] = n != 3
		}
		v.publish(p, 1, time.Second)
		published := v.Now()
		v.Run(2 * time.Minute)
		told := time.Duration(0)
		each(v, func(_ sim.Node, e feedtree.Fallback) {
			if e.From == 1 && told == 0 {
				told = v.Now()
			}
		})
		if told == 0 || told > published+2*time.Minute {
			t.Errorf("published at %v, the node was told to look for itself at %v", published, told)
		}
		clear(bad)
		v.Run(10 * time.Minute)
		v.complete(p, 1, 1) // it has never given up
	})
}

// What is forged or altered is neither believed nor passed on, it is counted by the one that sent it, who is not
// listened to for long (hostile 42).
func TestForgedItems(t *testing.T) {
	run(t, 6, func(t *simtest.T) {
		bad := make(map[sim.Node]bool)
		tampered := 0
		s := withBad(30, bad, func(_ engine.Peer, m engine.Message) engine.Message {
			alter := func(i *feedtree.Item) *feedtree.Item {
				tampered++
				other := *i
				switch tampered % 4 {
				case 0: // other words
					other.Entry = append(slices.Clone(i.Entry), '!')
				case 1: // another number
					other.Number += 1000
				case 2: // signed by somebody else
					other.Sign(engine.ID{}, feedtreetest.PrivateKey("a liar's"))
				case 3: // not signed
					other.Signature = make([]byte, 64)
				}
				return &other
			}
			switch m := m.(type) {
			case *scribe.Down:
				if i, ok := m.Event.Payload.(*feedtree.Item); ok {
					other := *m
					other.Event.Payload = alter(i)
					return &other
				}
			case *scribe.Missed:
				if i, ok := m.Event.Payload.(*feedtree.Item); ok {
					other := *m
					other.Event.Payload = alter(i)
					return &other
				}
			case *feedtree.Items:
				other := &feedtree.Items{Topic: m.Topic, From: m.From}
				for _, i := range m.Items {
					other.Items = append(other.Items, alter(i.(*feedtree.Item)))
				}
				return other
			}
			return m
		})
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
		v.publish(p, 20, 5*time.Second)
		v.Run(3 * time.Minute)
		v.complete(p, 1, 20)
		if tampered == 0 {
			t.Fatal("nothing was tampered with")
		}
		if v.refused(feedtree.Forged) == 0 || v.refused(feedtree.WrongKey) == 0 {
			t.Errorf("refused: %d forged, %d of a wrong key", v.refused(feedtree.Forged), v.refused(feedtree.WrongKey))
		}
		each(v, func(n sim.Node, e feedtree.Refused) {
			if from, ok := v.NodeAt(e.From); !ok || !bad[from] {
				t.Errorf("node %d refused something of %d, which is honest: %+v", n, from, e)
			}
		})
		if each[feedtree.Banned](v, nil) == 0 {
			t.Error("nobody was banned")
		}
		for _, n := range v.Followers(p) {
			for _, r := range v.Node(n).Feed.Refusals() {
				if r.Count == 0 || r.Last == 0 {
					t.Errorf("node %d: %+v", n, r)
				}
			}
		}
	})
}

// Old items that are sent once more come no further than the first honest node, and nothing comes twice
// (hostile 42).
func TestReplayedItems(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(15))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(15) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 300, 3*time.Second)
		v.Run(20 * time.Second)
		v.complete(p, 1, 300)
		before := v.sent()
		liar := v.Any()
		for number := uint64(1); number <= 100; number++ {
			v.Do(liar, func(engine.Protocol) { v.Node(liar).Scribe.Publish(p.Topic(), p.Truth[number]) })
		}
		v.Run(time.Second)
		after := v.sent()
		if spent := after - before; spent > 100*10 {
			t.Errorf("%d messages for 100 old items in 15 nodes", spent)
		}
		v.Run(10 * time.Second)
		v.complete(p, 1, 300)
		if v.refused(feedtree.Replayed) == 0 {
			t.Error("nothing was refused")
		}
	})
}

// Numbers far ahead cost nothing but a look, or if the publisher has signed them a bounded one; nobody asks
// without end (hostile 42).
func TestNumbersFarAhead(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(10))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(10) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 5, time.Second)
		now := v.Node(0).Env.Wall().UnixMilli()
		for at, number := range []uint64{1 << 63, 1<<64 - 1, 1 << 40} {
			i, liar := p.Sign(number, now, "far ahead"), sim.Node(5+at)
			v.Do(liar, func(engine.Protocol) { v.Node(liar).Scribe.Publish(p.Topic(), i) })
			v.Run(10 * time.Second)
		}
		for _, n := range v.Followers(p) {
			s, _ := v.Node(n).Feed.Status(p.Topic())
			if s.Last != 1<<40 || s.Have != 1<<40-256 {
				t.Errorf("node %d: %+v", n, s)
			}
		}
		if v.refused(feedtree.Malformed) == 0 {
			t.Error("nothing was refused")
		}
		v.Run(5 * time.Minute)
		finds := v.Vault.Finds
		v.Run(2 * time.Hour)
		if asked := v.Vault.Finds - finds; asked > 9*8*8 {
			t.Errorf("%d items were asked of the archive in two hours by 9 nodes", asked)
		}
	})
}

// A publisher that gives a number to two items is found out wherever both are seen; the proof reaches all, whoever has
// one keeps it, and nobody has both (hostile 42).
func TestEquivocation(t *testing.T) {
	run(t, 6, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(40))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(40) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 5, time.Second)
		now := v.Node(0).Env.Wall().UnixMilli()
		one, other := p.Sign(6, now, "one thing"), p.Sign(6, now, "another thing")
		p.Truth[6] = one
		v.Do(1, func(engine.Protocol) { v.Node(1).Scribe.Publish(p.Topic(), one) })
		v.Do(2, func(engine.Protocol) { v.Node(2).Scribe.Publish(p.Topic(), other) })
		v.Run(10 * time.Second)
		seven := p.Sign(7, now+1, "and on")
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

// Items dated ahead are refused, and so are times that go back as numbers rise (hostile 42).
func TestTimesThatCannotBe(t *testing.T) {
	run(t, 2, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(10))
		p := v.NewPublisher("feed", 0, time.Minute)
		v.Follow(4, p)
		v.Run(20 * time.Second)
		v.publish(p, 3, time.Second)
		now := v.Node(0).Env.Wall().UnixMilli()
		early := p.Sign(4, now+time.Hour.Milliseconds(), "tomorrow's paper")
		v.Do(5, func(engine.Protocol) { v.Node(5).Scribe.Publish(p.Topic(), early) })
		v.Run(time.Second)
		if v.refused(feedtree.Early) == 0 {
			t.Error("an item dated ahead was not refused")
		}
		back := p.Sign(4, p.Truth[2].Time, "yesterday's paper")
		v.Do(5, func(engine.Protocol) { v.Node(5).Scribe.Publish(p.Topic(), back) })
		v.Run(time.Second)
		if v.refused(feedtree.Disordered) != 1 {
			t.Errorf("an item out of order was refused %d times", v.refused(feedtree.Disordered))
		}
		if s, _ := v.Node(4).Feed.Status(p.Topic()); s.Have != 3 {
			t.Errorf("%+v", s)
		}
	})
}

// A publisher's node is restored from an old copy. It is told that the network is further before it gives a number
// twice, and goes on above (hostile 33).
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
				v.complete(p, 1, 11)
			})
		})
	}
}

// A clone of the publisher's node, at which nobody has asked, is found out by the followers (hostile 33).
func TestAPublisherTwice(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(30))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(30) {
			if n > 9 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 6, time.Second)
		v.Run(time.Hour) // nobody but libraries remembers
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

// A reader whose library takes two seconds an item has no more waiting than the bound, hinders nobody, and has
// everything in the end (hostile 35).
func TestASlowReader(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		s := feedtreetest.Default(20)
		s.FeedTree.MaxPending = 16
		v := newTown(t, s)
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(20) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Node(7).Library.Slow = 2 * time.Second
		v.Run(20 * time.Second)
		most := 0
		for range 100 {
			v.publish(p, 1, 200*time.Millisecond)
			most = max(most, v.Node(7).Feed.Load().Pending)
		}
		v.Run(time.Second)
		for _, n := range v.Followers(p) {
			if n != 7 {
				if err := p.Complete(n, 1, 100); err != nil {
					t.Error(err)
				}
			}
		}
		if most > 16 || most < 10 {
			t.Errorf("%d items waited", most)
		}
		if each[feedtree.LimitHit](v, nil) == 0 {
			t.Error("no bound was hit")
		}
		v.Run(20 * time.Minute)
		v.complete(p, 1, 100)
		v.honest()
	})
}
