package roster

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// subscribeAll has nodes subscribe to channels, each to those that pick says.
func (v *testNet) subscribeAll(channels int, pick func(n sim.Node, i int) bool) (all []machine.Channel) {
	for i := range channels {
		c := channel(i)
		all = append(all, c)
		for _, n := range v.nodes {
			if pick(n, i) {
				v.subscribe(n, c, "", 1+i%3)
			}
		}
	}
	return all
}

// unacknowledged returns how many subscriptions wait to be acknowledged.
func (v *testNet) unacknowledged() (count int) {
	for _, n := range v.active() {
		count += v.at(n).Unacknowledged()
	}
	return count
}

// acknowledge waits until all subscriptions are acknowledged.
func (v *testNet) acknowledge(within time.Duration) {
	v.t.Helper()
	began := v.Now()
	if !v.RunUntil(func() bool { return v.unacknowledged() == 0 }, within) {
		v.t.Fatalf("%d subscriptions are not acknowledged after %v", v.unacknowledged(), within)
	}
	v.t.Logf("acknowledged after %v", v.Now()-began)
}

// An acknowledged subscription is in the tables of all owners, and an ended one in none.
func TestSubscribeAndUnsubscribe(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 30)
		channels := v.subscribeAll(40, func(n sim.Node, i int) bool { return (int(n)+i)%3 == 0 })
		v.acknowledge(10 * time.Second)
		if wrong := v.wrong(channels...); wrong > 0 {
			t.Errorf("%d owners hold something else than was acknowledged", wrong)
		}
		for i, c := range channels {
			for _, n := range v.nodes[:10] {
				if i%2 == 0 {
					v.unsubscribe(n, c, "")
				}
			}
		}
		v.acknowledge(10 * time.Second)
		if wrong := v.wrong(channels...); wrong > 0 {
			t.Errorf("%d owners hold something else than was acknowledged", wrong)
		}
	})
}

// Owners that do not answer hold up no subscriptions that others own, however few may be under way at a time.
func TestSilentOwnersHoldUpNobody(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 30, func(c *Config) { c.MaxUnacked = 8 })
		reader := v.nodes[0]
		channels := v.subscribeAll(200, func(n sim.Node, _ int) bool { return n == reader })
		v.acknowledge(time.Minute)
		for _, n := range v.nodes[1:7] {
			v.Crash(n)
		}
		for i, c := range channels {
			v.subscribe(reader, c, "", 5+i%3)
		}
		v.acknowledge(3 * time.Minute)
		v.becomesRight(time.Minute, channels...)
	})
}
