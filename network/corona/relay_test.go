package corona_test

import (
	"testing"
	"time"

	"tidings/network/corona/coronatest"
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
)

// prefixes chooses sets as in the paper: all nodes that share a channel's first digit.
type prefixes struct{ *plan.Plan }

func (prefixes) Own() plan.Summary                              { return plan.Summary{} }
func (prefixes) Merge([]*plan.Summary) plan.Summary             { return plan.Summary{} }
func (prefixes) Read(*plan.Aggregate) (s plan.Summary, ok bool) { return s, true }

func (o prefixes) Choose(*plan.Summary, []*plan.Summary) {
	for _, c := range o.Known().Primaries {
		o.Plan.Choose(c.Channel, machine.Size{Bits: 4, Run: 1})
	}
}

// newBorderWorld is a testWorld with a channel at a border between prefixes, with wedges as in the paper. Its second
// owner, which acts for the primary, lies beyond the border. So it is in no wedge that is polled, and does not
// subscribe either.
func newBorderWorld(t *simtest.T) (v *testWorld, primary, second sim.Node) {
	v = &testWorld{t: t, events: make(map[string]int), complete: &check.Complete{AtLeast: 1}, news: sceneNews}
	s := coronatest.Default(40)
	s.Checkers = []check.Checker{v.complete}
	defaultUpkeep(&s)
	s.Corona.HostCeiling = 0 // the plan alone decides which nodes poll
	s.Corona.Optimizer = func(p *plan.Plan) plan.Optimizer { return prefixes{p} }
	primary, second = 0, 1
	s.IDs = []engine.ID{sceneNews.ID, {0x4f, 0xff}}
	s.IDs[primary][19] ^= 1
	for _, first := range []byte{0x51, 0x53, 0x56, 0x59, 0x5c, 0x5e} { // the pollers
		id := sceneNews.ID
		id[0] = first
		s.IDs = append(s.IDs, id)
	}
	v.World = coronatest.New(t.World(coronatest.SimConfig()), s)
	v.Observe(v.observe)
	v.Origin.Add(v.news.URL)
	for n := sim.Node(2); n < 30; n++ {
		v.Subscribe(n, v.news, 1)
	}
	v.Run(75 * time.Minute)
	if got := v.Owners(v.news.ID, 2); got[0] != primary || got[1] != second {
		t.Fatalf("the owners are %v", got)
	}
	if v.Node(second).Poller.Polls(v.news.ID) || len(v.Pollers(v.news.ID)) < 3 {
		t.Fatalf("%v poll, and the second owner, %d, must not", v.Pollers(v.news.ID), second)
	}
	return v, primary, second
}

// The primary is dead, and the owner that acts for it neither polls the channel nor subscribes to it. Finds are kept
// there all the same, and reach all (hostile 32).
func TestAnActingOwnerKeepsFinds(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v, primary, second := newBorderWorld(t)
		finders := v.finders(2)
		v.Crash(primary)
		v.Origin.Change(v.news.ID, "soon gone")
		v.verify(finders...)
		v.Run(9 * time.Second) // the ring is about to see that the primary is dead
		if got := v.Node(second).Library.Latest(v.news.ID).Content; got != "soon gone" {
			t.Errorf("the acting owner has %q", got)
		}
		v.all("soon gone")
		v.Origin.Change(v.news.ID, "what stays")
		v.Run(v.interval() + time.Minute)
		v.all("what stays")
		v.ends()
	})
}

// An owner that acts for a primary keeps the channel for as long as that lasts, and no longer.
func TestAnActingOwnerReleases(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v, primary, second := newBorderWorld(t)
		finders := v.finders(2)
		cut := v.Partition([]sim.Node{primary})
		v.Origin.Change(v.news.ID, "something new")
		v.verify(finders...)
		v.Run(9 * time.Second)
		if !v.Node(second).Library.Relays(v.news.ID) {
			t.Error("the acting owner does not keep the channel")
		}
		cut.Heal()
		v.Run(25 * time.Minute)
		if v.Node(second).Library.Relays(v.news.ID) {
			t.Error("the channel is kept although its primary is back")
		}
	})
}
