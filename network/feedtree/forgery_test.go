package feedtree_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Forged or altered items are neither believed nor passed on. They are counted by sender, which is soon ignored
// (hostile 42).
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
				case 2: // signed with another key
					other.Sign(engine.ID{}, feedtreetest.PrivateKey("a liar's"))
				case 3: // not signed
					other.Signature = make([]byte, 64)
				}
				return &other
			}
			switch m := m.(type) {
			case *scribe.Disseminate:
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

// Replayed items come no further than the first honest node, and no item is delivered twice (hostile 42).
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

// Numbers far ahead cost only a check, or a bounded search if the publisher has signed them. No node asks without end
// (hostile 42).
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

// A node believes only the Verifier that it was given.
func TestVerifyBy(t *testing.T) {
	run(t, 2, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(10))
		p := v.NewPublisher("feed", 0, time.Minute)
		doubter, asked := sim.Node(7), 0
		for n := range sim.Node(10) {
			v.Follow(n, p)
		}
		v.Do(doubter, func(engine.Protocol) {
			v.Node(doubter).Feed.VerifyBy(func(k feedtree.Key, words, signature []byte) bool {
				asked++
				if !k.Signed(words, signature) {
					t.Errorf("it is asked about other words than those that were signed")
				}
				return false
			})
		})
		v.Run(20 * time.Second)
		v.publish(p, 3, 3*time.Second)
		v.Run(time.Minute)
		if have := v.Node(doubter).Library.Numbers(p.Topic()); len(have) > 0 || asked == 0 {
			t.Errorf("who verifies nothing was asked %d times and has %v", asked, have)
		}
		if have := v.Node(doubter + 1).Library.Numbers(p.Topic()); len(have) != 3 {
			t.Errorf("who verifies has %v", have)
		}
	})
}
