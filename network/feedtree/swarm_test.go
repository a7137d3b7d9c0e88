package feedtree_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// After any faults, each follower has each item once when all is well again. One source remains: the archive, the
// publisher's library, or one follower. Followers lose their disks too. (A publisher that does so while it is cut off
// can know of nothing.)
func TestSwarm(t *testing.T) {
	run(t, 8, func(t *simtest.T) {
		s := feedtreetest.Default(16)
		s.FeedTree.RetrySlow = 3 * time.Minute
		v := newTown(t, s)
		p := v.NewPublisher("feed", 0, 30*time.Second)
		for n := range sim.Node(16) {
			if n > 0 && n%3 > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		plan := simtest.Swarm(t.Seed())
		plan.Clock, plan.Amnesia = 0, 0
		for i := range 3 {
			v.After(time.Duration(i+1)*2*time.Minute, func() {
				n := sim.Node(1 + i*3)
				v.Crash(n)
				v.Restore(n, nil)
				v.Boot(n)
			})
		}
		for i := range 50 {
			v.After(time.Duration(i)*7*time.Second, func() {
				if v.Up(0) {
					p.Publish(fmt.Sprintf("news at %v", v.Now()))
				}
			})
		}
		plan.Run(v.World.World, 7*time.Minute)
		v.Settle()
		v.Run(15 * time.Minute)
		last := uint64(len(p.Truth))
		if last < 20 {
			t.Fatalf("with %v: %d items were published", plan, last)
		}
		if err := v.World.Complete(p, 1, last); err != nil {
			t.Errorf("with %v: %v", plan, err)
		}
		each(v, func(n sim.Node, e feedtree.Equivocated) {
			t.Errorf("with %v: node %d saw two items %d", plan, n, e.Proof.First.Number)
		})
		each(v, func(n sim.Node, e feedtree.Banned) {
			t.Errorf("with %v: node %d banned %v: %v", plan, n, e.Peer, e.Why)
		})
	})
}

// Readers with clocks an hour wrong, either way, have everything when the clocks are right again. None of their
// neighbours lacks anything meanwhile (hostile 34).
func TestWrongClocks(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(20))
		p := v.NewPublisher("feed", 0, 30*time.Second)
		for n := range sim.Node(20) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.SetWall(3, time.Hour)
		v.SetWall(4, -time.Hour)
		v.SetWall(5, 4*time.Minute)
		v.SetWall(6, -4*time.Minute)
		v.publish(p, 30, 5*time.Second)
		v.Run(5 * time.Minute)
		for _, n := range v.Followers(p) {
			if n != 4 {
				if err := p.Complete(n, 1, 30); err != nil {
					t.Error(err)
				}
			}
		}
		v.SetWall(3, 0)
		v.SetWall(4, 0)
		v.Run(5 * time.Minute)
		v.complete(p, 1, 30)
	})
}

// A busy feed has many readers. No node has more children than the bound, or sends to more than those. Every reader has
// all soon, and readers of another feed have theirs as soon as without it (hostile 37).
func TestAHotFeed(t *testing.T) {
	run(t, 2, func(t *simtest.T) {
		const nodes = 80
		s := feedtreetest.Default(nodes)
		s.Archive = false
		v := newTown(t, s)
		calm := v.NewPublisher("calm", 1, time.Minute)
		hot := v.NewPublisher("hot", 0, time.Minute)
		for n := range sim.Node(nodes) {
			if n > 1 && n%5 == 0 {
				v.Follow(n, calm)
			}
		}
		v.Run(20 * time.Second)
		v.publish(calm, 20, 500*time.Millisecond)
		v.Run(10 * time.Second)
		before := v.delays(calm)
		for n := range sim.Node(nodes) {
			if n > 1 {
				v.Follow(n, hot)
			}
		}
		v.Run(time.Minute)
		for i := range 60 {
			v.publish(hot, 1, 100*time.Millisecond)
			if i%5 == 0 {
				v.publish(calm, 1, 0)
			}
		}
		v.Run(20 * time.Second)
		v.complete(hot, 1, 60)
		v.complete(calm, 1, 32)
		for _, n := range v.Live() {
			if p, _ := v.Place(n, hot.Topic()); len(p.Children) > s.Scribe.MaxChildren {
				t.Errorf("node %d has %d children", n, len(p.Children))
			}
		}
		after := v.delays(calm)
		if after > 2*before {
			t.Errorf("the calm feed takes %v, and took %v", after, before)
		}
		if d := v.delays(hot); d > 2*time.Second {
			t.Errorf("the hot feed takes %v", d)
		}
		v.honest()
	})
}

// delays returns the average time from signing to keeping, since the last call.
func (v *town) delays(p *feedtreetest.Publisher) time.Duration {
	var sum time.Duration
	count := 0
	name := fmt.Sprintf("%T", feedtree.Taken{})
	for _, e := range v.traced[name] {
		if taken := e.event.(feedtree.Taken); taken.Topic == p.Topic() {
			sum += e.at - time.Duration(taken.Time-v.epoch)*time.Millisecond
			count++
		}
	}
	v.traced[name] = nil
	return sum / time.Duration(max(count, 1))
}
