package feedtree_test

import (
	"testing"
	"time"

	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A reader's library needs two seconds an item. No more items wait than the bound, no other node is delayed, and the
// reader has everything in the end (hostile 35).
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
