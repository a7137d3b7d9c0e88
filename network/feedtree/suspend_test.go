package feedtree_test

import (
	"testing"
	"time"

	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A reader's machine sleeps for eight hours. After waking it has all that was published meanwhile, in order, once, and
// relies on the publisher again (hostile 34).
func TestAfterEightHoursOfSleep(t *testing.T) {
	run(t, 2, func(t *simtest.T) {
		const sleep = 8 * time.Hour
		v := newTown(t, feedtreetest.Default(12))
		p := v.NewPublisher("feed", 0, 20*time.Minute)
		for n := range sim.Node(12) {
			if n%3 == 1 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		v.publish(p, 5, time.Second)
		v.Suspend(7, sleep)
		v.publish(p, 32, sleep/32)
		v.Run(5 * time.Minute)
		v.complete(p, 1, 37)
		v.ordered()
		each(v, func(n sim.Node, e feedtree.Refused) {
			if e.Why != feedtree.Replayed { // what was under way when the machine fell asleep
				t.Errorf("node %d refused %+v", n, e)
			}
		})
		if s, _ := v.Node(7).Feed.Status(p.Topic()); !s.Healthy() {
			t.Errorf("after its sleep: %+v", s)
		}
	})
}
