package corona_test

import (
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A primary tells some nodes one content, and others another, with one number. A proof of it is
// found, spreads to the owners and the pollers, and all have what the origin says in the end
// (hostile 42).
func TestEquivocation(t *testing.T) {
	pairs := findTwins(8)
	simtest.Run(t, 16, func(t *simtest.T) {
		bad := make(villains)
		v := newRoom(t, 30, 26, bad.among, lies)
		primary := v.Owners(v.news.ID, 1)[0]
		pair := pairs[t.Seed()%uint64(len(pairs))]
		v.turn(bad, primary, equivocator(v.Keys(primary), func() engine.Peer { return v.Peer(primary) }, pair.truth, pair.lie))
		told := make(map[sim.Node]bool)
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			if e, ok := event.(corona.Delivered); ok && e.Hash == coronatest.HashOf(pair.lie) {
				told[n] = true
			}
		})
		began := v.Now()
		v.Origin.Change(v.news.ID, pair.truth)
		v.look(v.finders(1)...)
		for v.Run(5 * time.Second); v.show(pair.truth) < v.subscribers() && v.Now()-began < 3*v.interval(); v.Run(time.Second) {
		}
		t.Logf("%d nodes were told the lie; all show the truth after %v", len(told), v.Now()-began)
		if len(told) < 5 {
			t.Error("the lie was not told")
		}
		v.Run(time.Minute)
		v.all(pair.truth)
		v.convicted(primary)
		v.Origin.Change(v.news.ID, "something new")
		v.Run(v.interval() + time.Minute)
		v.all("something new")
		v.away() // the convicted one need not be told
		v.ends()
	})
}

// subscribers returns how many nodes subscribe.
func (v *newsroom) subscribers() (count int) {
	for n := range sim.Node(v.Len()) {
		if v.Up(n) && v.Node(n).Corona.Subscribed(v.news.ID) {
			count++
		}
	}
	return count
}

// lies is for worlds in which some nodes make up contents.
func lies(s *coronatest.Settings) {
	calm(s)
	s.Lies, s.Looks = true, true
}

// show returns how many subscribers show a content.
func (v *newsroom) show(content string) (count int) {
	for n := range sim.Node(v.Len()) {
		if v.Up(n) && v.Node(n).Corona.Subscribed(v.news.ID) && v.Shows(n, v.news.ID) == content {
			count++
		}
	}
	return count
}

// convicted fails unless the owners, and most pollers, know that a node equivocates, and nobody
// thinks so of another.
func (v *newsroom) convicted(guilty sim.Node) {
	v.t.Helper()
	known := make(map[sim.Node]bool)
	for n := range sim.Node(v.Len()) {
		for m := range sim.Node(v.Len()) {
			if v.Node(n).Corona.Convicted(v.Peer(m).ID) {
				if known[n] = true; m != guilty {
					v.t.Errorf("node %d is convicted", m)
				}
			}
		}
	}
	for _, n := range v.Owners(v.news.ID, 4) {
		if n != guilty && !known[n] {
			v.t.Errorf("owner %d does not know of it", n)
		}
	}
	pollers := v.Pollers(v.news.ID)
	missing := 0
	for _, n := range pollers {
		if n != guilty && !known[n] {
			missing++
		}
	}
	if 4*missing > len(pollers) {
		v.t.Errorf("%d of %d pollers do not know of it", missing, len(pollers))
	}
}
