package corona_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
)

// testWorld is a world with one channel, some subscribers, and what Corona traced.
type testWorld struct {
	*coronatest.World
	t        *simtest.T
	news     corona.Channel
	numbered []numbered // versions of the channel, in the order of time
	events   map[string]int
	complete *check.Complete
	changed  int // by changes
}

type numbered struct {
	corona.Numbered
	at   time.Duration
	node sim.Node
}

// newWorld returns a testWorld in which the channel's first version is everywhere, and the wedge has its
// shape.
func newWorld(t *simtest.T, nodes, subscribers int, change ...func(*coronatest.Settings)) *testWorld {
	v := &testWorld{t: t, events: make(map[string]int), complete: &check.Complete{}}
	s := coronatest.Default(nodes)
	v.complete.AtLeast = 1
	s.Checkers = []check.Checker{v.complete}
	s.Corona.AggregateEvery = time.Hour
	if t.Seed()%2 == 0 { // promises do not depend on the router
		s.Trees, s.Corona.Router, s.Corona.DirectUpTo = true, network.Scribe, 2
	}
	for _, f := range change {
		f(&s)
	}
	config := coronatest.SimConfig()
	config.CountByNode = true
	v.World = coronatest.New(t.World(config), s)
	v.Observe(v.observe)
	v.news = v.Origin.Add("http://example.org/news")
	for n := range sim.Node(subscribers) {
		v.Subscribe(n, v.news, 1)
	}
	v.Run(75 * time.Minute)
	v.versions(1)
	return v
}

func (v *testWorld) observe(at time.Duration, n sim.Node, event any) {
	_, name, _ := strings.Cut(fmt.Sprintf("%T", event), ".")
	switch e := event.(type) {
	case corona.Numbered:
		if e.Channel == v.news.ID {
			v.numbered = append(v.numbered, numbered{e, at, n})
		}
	case corona.Dropped:
		name += ": " + string(e.Why)
	case corona.Refused:
		name += ": " + string(e.Why)
	case corona.LimitHit:
		name += ": " + e.What
	}
	v.events[name]++
}

// defaultUpkeep is for worlds in which nodes fall silent: rings are looked after as often as by default.
func defaultUpkeep(s *coronatest.Settings) {
	s.Pastry, s.Corona.AggregateEvery = pastry.Default(), 20*time.Minute
}

// calm is for worlds in which nobody fails: rings cost less.
func calm(s *coronatest.Settings) {
	s.Pastry.KeepAlive, s.Pastry.TablePeriod = 10*time.Minute, 20*time.Minute
}

// trusting makes nodes believe owners, as in a network whose members all trust each other: for promises about numbers
// and routes alone.
func trusting(s *coronatest.Settings) { s.Corona.Witnesses = 0 }

// direct has the primary send all updates itself.
func direct(s *coronatest.Settings) { s.Trees, s.Corona.Router = false, network.Direct }

// versions fails unless the channel has had so many versions.
func (v *testWorld) versions(want int) {
	v.t.Helper()
	if len(v.numbered) != want {
		v.t.Errorf("%d versions were made, want %d: %v", len(v.numbered), want, v.numbered)
	}
}

// ends fails if an oracle saw something wrong, or a node that wants it lacks the latest content.
func (v *testWorld) ends() {
	v.t.Helper()
	if err := v.Watch.Finish(); err != nil {
		v.t.Error(err)
	}
	if v.t.Failed() {
		v.t.Log(v.events)
	}
}

// verify has nodes poll the channel now, whether they keep it so far or not.
func (v *testWorld) verify(nodes ...sim.Node) {
	for _, n := range nodes {
		v.Do(n, func(engine.Protocol) {
			if p := v.Node(n); !p.Poller.Polls(v.news.ID) && !p.Corona.Subscribed(v.news.ID) {
				p.Library.Relay(v.news)
			}
			v.Node(n).Poller.Verify(v.news)
		})
	}
}

// finders returns pollers of the channel other than the primary.
func (v *testWorld) finders(count int) []sim.Node {
	primary := v.Owners(v.news.ID, 1)[0]
	var finders []sim.Node
	for _, n := range v.Pollers(v.news.ID) {
		if n != primary && len(finders) < count {
			finders = append(finders, n)
		}
	}
	if len(finders) < count {
		v.t.Fatalf("%d pollers, want %d and the primary", len(finders), count)
	}
	return finders
}

// Nodes that detect the same change at one time make one update of it.
func TestManyFindersOneUpdate(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWorld(t, 30, 25, calm)
		v.Origin.Change(v.news.ID, "something new")
		v.verify(v.finders(8)...)
		v.verify(v.Owners(v.news.ID, 1)...)
		v.Run(time.Minute)
		v.versions(2)
		v.Run(time.Hour)
		v.versions(2)
		v.ends()
	})
}

// Two changes in quick succession make two updates, in order.
func TestTwoChangesTwoUpdates(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWorld(t, 30, 25, calm)
		finders := v.finders(2)
		v.Origin.Change(v.news.ID, "first")
		v.verify(finders[0])
		v.Run(3 * time.Second)
		v.Origin.Change(v.news.ID, "second")
		v.verify(finders[1])
		v.Run(time.Minute)
		v.versions(3)
		for i, content := range []string{"first", "second"} {
			if got := v.numbered[len(v.numbered)-2+i].Hash; got != coronatest.HashOf(content) {
				t.Errorf("version %d is not the content %q", i, content)
			}
		}
		v.ends()
	})
}

// A library may store an update before Store returns.
func TestLibrariesThatKeepAtOnce(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 30, 25, calm, func(s *coronatest.Settings) { s.KeepAtOnce = true })
		for i, content := range []string{"first", "second", "third"} {
			v.Origin.Change(v.news.ID, content)
			v.verify(v.finders(8)...)
			v.Run(time.Minute)
			v.versions(2 + i)
			v.Run(v.interval())
		}
		v.ends()
	})
}

// A node that polls a channel for others gets its content from its own first poll: of the version it requests the
// number alone.
func TestGuestsBringTheContentThemselves(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 40, 6, calm)
		before := append(v.Pollers(v.news.ID), v.Owners(v.news.ID, 3)...)
		for n := range sim.Node(24) {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(4 * v.interval())
		relaying := 0
		for _, n := range v.Pollers(v.news.ID) {
			if got := v.Node(n).Library.Latest(v.news.ID).Number; got != v.numbered[0].Version {
				t.Errorf("node %d has version %d and not %d", n, got, v.numbered[0].Version)
			}
			if n < 24 || slices.Contains(before, n) {
				continue
			}
			relaying++
			if whole := v.Node(n).Library.Whole(); whole > 0 {
				t.Errorf("node %d got %d whole contents", n, whole)
			}
		}
		if relaying == 0 {
			t.Error("nobody polls for others")
		}
	})
}

// A node that begins to poll a channel learns its version from the node that assigned it, even if that one has only
// just begun. The content of its first poll is not reported to the primary as a change.
func TestGuestsReportNothingKnown(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		const nodes, readers = 128, 64
		v := newWorld(t, nodes, 4, calm)
		reports := make(map[sim.Node]int)
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			if _, is := event.(corona.Found); is {
				reports[n]++
			}
		})
		before := v.Pollers(v.news.ID)
		for n := range sim.Node(readers) {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(4 * v.interval())
		relaying, reported := 0, 0
		for _, n := range v.Pollers(v.news.ID) {
			if n >= readers && !slices.Contains(before, n) {
				relaying++
				reported += reports[n]
			}
		}
		if relaying < 10 || reported > 0 {
			t.Errorf("%d of %d relaying pollers reported their first poll as news", reported, relaying)
		}
	})
}
