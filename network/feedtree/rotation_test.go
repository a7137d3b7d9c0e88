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

// A publisher changes its key: followers go over to the new topic, and lack nothing of either time. The numbers go
// on.
func TestRotation(t *testing.T) {
	run(t, 6, func(t *simtest.T) {
		settings := feedtreetest.Default(20)
		settings.FeedTree.Linger = 10 * time.Minute
		v := newTown(t, settings)
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(20) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 5, time.Second)
		if t.Seed()%2 == 0 {
			v.SetFaults(sim.Faults{Loss: 0.1})
		}
		old := p.Topic()
		p.Rotate("the next key")
		v.publish(p, 10, 2*time.Second)
		v.SetFaults(sim.Faults{})
		v.Run(5 * time.Minute)
		v.complete(p, 1, 15)
		v.honest()
		for _, n := range v.Followers(p) {
			feed := v.Node(n).Feed
			s, _ := feed.Status(old)
			if s.Topic != p.Topic() || s.Pin != p.Pin() || s.Have != 15 {
				t.Errorf("node %d: %+v", n, s)
			}
		}
		v.Run(10 * time.Minute)
		for _, n := range v.Followers(p) {
			if place, _ := v.Place(n, old); place.Member {
				t.Errorf("node %d is still in the old topic", n)
			}
		}
		v.publish(p, 3, time.Second)
		v.Run(time.Minute)
		v.complete(p, 1, 18)
	})
}

// A follower that was away during a key change learns of it from other followers, by its old topic, or from the feed's
// document.
func TestRotationsReachThoseWhoWereAway(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(20))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(20) {
			if n > 5 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 5, time.Second)
		old := feedtree.Following{Topic: p.Topic(), Channel: p.Channel, Pin: p.Pin(), Silence: time.Minute}
		p.Rotate("the next key")
		v.publish(p, 5, time.Second)
		v.Run(10 * time.Minute)
		v.Do(2, func(engine.Protocol) {
			if err := v.Node(2).Feed.Follow(old); err != nil {
				t.Error(err)
			}
		})
		v.Do(3, func(engine.Protocol) {
			if err := v.Node(3).Feed.Follow(old); err != nil {
				t.Error(err)
			}
			if err := v.Node(3).Feed.Learn(old.Topic, p.Rotation()); err != nil {
				t.Error(err)
			}
		})
		v.Run(5 * time.Minute)
		for _, n := range []sim.Node{2, 3} {
			s, _ := v.Node(n).Feed.Status(old.Topic)
			if s.Topic != p.Topic() || s.Have != 10 {
				t.Errorf("node %d: %+v", n, s)
			}
		}
		if err := p.Complete(3, 1, 10); err != nil {
			t.Error(err)
		}
	})
}

// A rotation signed with another key changes nothing. A second one by the same key is disputed, and the first one
// holds.
func TestFalseRotations(t *testing.T) {
	run(t, 2, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(10))
		p := v.NewPublisher("feed", 0, time.Minute)
		v.Follow(4, p)
		v.Run(20 * time.Second)
		old, before := p.Topic(), p.Private
		now := v.Node(0).Env.Wall().UnixMilli()
		forged := &feedtree.Rotation{New: feedtree.KeyOf(feedtreetest.PrivateKey("a liar's")), Time: now}
		forged.Sign(feedtreetest.PrivateKey("a liar's"))
		forged.Old = feedtree.KeyOf(p.Private)
		v.Do(5, func(engine.Protocol) { v.Node(5).Scribe.Publish(old, forged) })
		v.Run(10 * time.Second)
		if s, _ := v.Node(4).Feed.Status(old); s.Topic != old {
			t.Fatalf("a forged rotation was believed: %+v", s)
		}
		p.Rotate("the next key")
		v.Run(10 * time.Second)
		second := &feedtree.Rotation{New: feedtree.KeyOf(feedtreetest.PrivateKey("a liar's")), Time: now + 1}
		second.Sign(before)
		v.Do(6, func(engine.Protocol) { v.Node(6).Scribe.Publish(old, second) })
		v.Run(10 * time.Second)
		if s, _ := v.Node(4).Feed.Status(old); s.Topic != p.Topic() {
			t.Errorf("a second rotation was believed: %+v", s)
		}
		if each[feedtree.Disputed](v, nil) == 0 {
			t.Error("nobody has noticed")
		}
	})
}
