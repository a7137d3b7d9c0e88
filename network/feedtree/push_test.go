package feedtree_test

import (
	"testing"
	"time"

	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// All followers soon have what is published, in order, once, and no node has to search.
func TestFollowersHaveWhatIsPublished(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(40))
		p := v.NewPublisher("feed", 0, time.Minute)
		v.Run(10 * time.Second)
		for n := range sim.Node(40) {
			if n%2 == 1 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 20, 3*time.Second)
		v.Run(2 * time.Minute)
		v.complete(p, 1, 20)
		v.ordered()
		v.honest()
		if n := each[feedtree.Taken](v, nil); n != 20*20 {
			t.Errorf("%d items were taken", n)
		}
		if n := each[feedtree.Gap](v, nil) + each[feedtree.Overdue](v, nil); n > 0 {
			t.Errorf("%d gaps and silences in a network where nothing fails", n)
		}
		for _, n := range v.Followers(p) {
			if s, ok := v.Node(n).Feed.Status(p.Topic()); !ok || !s.Healthy() {
				t.Errorf("node %d: %+v", n, s)
			}
		}
	})
}

// With messages lost, doubled and overtaken every follower has every item once, as long as one source remains. No item
// waits longer than Hold for those before it.
func TestLossIsMended(t *testing.T) {
	run(t, 8, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(40))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(40) {
			if n%2 == 1 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.SetFaults(sim.Faults{Loss: 0.2, Duplicate: 0.1, Reorder: 0.1, ReorderBy: 2 * time.Second})
		for range 40 {
			v.publish(p, 1, time.Duration(v.Rand().IntN(3000))*time.Millisecond)
		}
		v.Run(time.Minute)
		v.SetFaults(sim.Faults{})
		v.Run(5 * time.Minute)
		v.complete(p, 1, 40)
		v.honest()
	})
}

// A follower that was away for longer than the router's buffers last gets all missed items from the members.
func TestReturningFollowersCatchUp(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		s := feedtreetest.Default(30)
		s.Archive = false
		v := newTown(t, s)
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(30) {
			if n%2 == 1 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 5, time.Second)
		v.Run(10 * time.Second)
		v.Crash(7)
		v.publish(p, 100, 5*time.Second)
		v.Boot(7)
		v.Run(2 * time.Minute)
		v.complete(p, 1, 105)
		v.ordered()
		v.Follow(8, p) // and one that is new
		v.Run(2 * time.Minute)
		v.complete(p, 1, 105)
		v.ordered()
		v.honest()
	})
}

// Items that no node has any more are found in the archive, within the window. Items further back are left to readers
// of the archive.
func TestTheArchiveHasTheRest(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(20))
		p := v.NewPublisher("feed", 0, time.Minute)
		v.Run(10 * time.Second)
		v.publish(p, 300, time.Second)
		v.Run(20 * time.Second)
		v.Crash(0) // the publisher's node alone has the items, besides the archive
		v.Run(20 * time.Second)
		v.Follow(5, p)
		v.Run(5 * time.Minute)
		v.complete(p, 45, 300)
		s, _ := v.Node(5).Feed.Status(p.Topic())
		if first := v.Node(5).Library.Numbers(p.Topic())[0]; first != 45 || s.Have != 300 {
			t.Errorf("the first item is %d, and the status %+v", first, s)
		}
		skipped := uint64(0)
		each(v, func(_ sim.Node, e feedtree.Skipped) { skipped += e.To - e.From + 1 })
		if skipped != 44 {
			t.Errorf("%d items were skipped", skipped)
		}
		if !s.Overdue {
			t.Error("the publisher is gone and not overdue")
		}
		if each[feedtree.Fallback](v, nil) == 0 {
			t.Error("nobody was told to look at the conventional feed")
		}
		v.ordered()
	})
}

// Readers that wait for a new publisher are not lent its first items before they are sent. Otherwise the publisher's
// node, which asks whether its numbers were used before, would believe them another node's.
func TestAPublishersFirstItemsAreItsOwn(t *testing.T) {
	run(t, 8, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(12))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(12) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Crash(0)
		v.Boot(0)
		v.publish(p, 3, 700*time.Millisecond) // while the numbers are being checked
		v.Run(time.Minute)
		if p.Overtaken > 0 {
			t.Errorf("the publisher's node takes its own items for another's: %d times", p.Overtaken)
		}
		v.complete(p, 1, 3)
		v.honest()
	})
}
