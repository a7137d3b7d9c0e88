package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// The primary crashes at the very moment when it numbers a version, before it sends it. The update arrives all the
// same, and no number is assigned twice (hostile 32).
func TestPrimaryCrashesBeforeItSends(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWorld(t, 20, 16)
		crashed := false
		v.Inject(func(_ time.Duration, n sim.Node, event any) {
			if _, ok := event.(corona.Numbered); ok && !crashed {
				crashed = true
				v.Crash(n)
			}
		})
		v.Origin.Change(v.news.ID, "something new")
		for !crashed {
			v.Run(time.Second)
		}
		v.Run(3 * time.Minute)
		v.all("something new")
		v.ends()
	})
}

// The primary crashes at some moment between the first sight of a change and the last subscriber
// (hostile 32).
func TestPrimaryCrashesAtAnyMoment(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWorld(t, 20, 16)
		primary := v.Owners(v.news.ID, 1)[0]
		v.Origin.Change(v.news.ID, "something new")
		v.verify(v.finders(1)...)
		v.Run(time.Duration(v.Rand().Int64N(int64(1500 * time.Millisecond))))
		v.Crash(primary)
		v.Run(time.Duration(v.Rand().Int64N(int64(2 * time.Minute))))
		v.Origin.Change(v.news.ID, "something else")
		v.Run(v.interval())
		if v.Rand().IntN(2) == 0 {
			v.Boot(primary)
			v.complete.AtLeast = 0.97 // of 48 deliveries: it was away for one itself
		}
		v.Run(v.interval())
		v.all("something else")
		v.ends()
	})
}

// A primary is dead, and the ring needs some ten seconds to notice. A change that is gone by then reaches all
// subscribers: its finder bypasses the primary (hostile 32).
func TestAShortChangeOutlivesItsPrimary(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWorld(t, 20, 16, defaultUpkeep)
		finders, primary := v.finders(1), v.Owners(v.news.ID, 1)[0]
		v.Crash(primary)
		v.Origin.Change(v.news.ID, "soon gone")
		v.verify(finders...)
		v.Run(8 * time.Second)
		v.all("soon gone")
		v.Origin.Change(v.news.ID, "what stays")
		v.Run(v.interval() + time.Minute)
		v.all("what stays")
		v.ends()
	})
}

// away excepts some numbers from those owed to all. Nodes that subscribe will be down, or one side of a split ring
// assigns a number that the other overtakes. All nodes that are there in the end must have the latest (check.Latest).
func (v *testWorld) away() { v.complete.AtLeast = 0.01 }

// all fails if a node that subscribes has another content.
func (v *testWorld) all(content string) {
	v.t.Helper()
	for n := range sim.Node(v.Len()) {
		if v.Up(n) && v.Node(n).Corona.Subscribed(v.news.ID) {
			if got := v.Node(n).Library.Latest(v.news.ID); got.Content != content {
				v.t.Errorf("node %d has version %x, %q", n, got.Number, got.Content)
			}
		}
	}
}

// A partition into halves: both sides continue. When it heals the versions become one order, and no node gets anything
// twice (hostile 31).
func TestPartitionMergesVersions(t *testing.T) {
	simtest.Run(t, 24, func(t *simtest.T) {
		// Few poll, so that most depend on the network.
		v := newWorld(t, 20, 20, func(s *coronatest.Settings) {
			s.Corona.Policy = honeycomb.Policy{Goal: honeycomb.Fast, Target: 3 * time.Minute}
		})
		var side []sim.Node
		for n := range sim.Node(v.Len()) {
			if v.Rand().IntN(2) == 0 {
				side = append(side, n)
			}
		}
		v.away() // a side need not have each number of the other
		cut := v.Partition(side)
		v.Run(10 * time.Minute)
		for i := range 4 {
			v.Origin.Change(v.news.ID, fmt.Sprint("seen by one side ", i))
			v.verify(v.someone(side))
			v.Run(10 * time.Second)
			content := fmt.Sprint("change ", i)
			v.Origin.Change(v.news.ID, content)
			if i < 3 || t.Seed()%2 == 0 {
				v.Run(v.interval() + 5*time.Minute)
				v.most(side, content)
				continue
			}
			v.Run(time.Duration(v.Rand().Int64N(int64(v.interval()))))
		}
		cut.Heal()
		v.Settle()
		v.Run(2 * time.Minute)
		v.oneAssignment()
		v.Run(v.interval() - 5*time.Minute)
		v.all("change 3")
		v.oneAssignment()
		if t.Seed()%2 == 0 { // else one side may have brought the other an older content
			v.nothingTwice()
		}
		v.ends()
	})
}

// most fails unless most subscribers on either side have a content. One whose owners are all on the other side may not
// have noticed yet.
func (v *testWorld) most(side []sim.Node, content string) {
	v.t.Helper()
	var all, have [2]int
	for n := range sim.Node(v.Len()) {
		s := 0
		if slices.Contains(side, n) {
			s = 1
		}
		all[s]++
		if v.Node(n).Library.Latest(v.news.ID).Content == content {
			have[s]++
		}
	}
	for s := range all {
		if 4*have[s] < 3*all[s] {
			v.t.Errorf("of %d nodes on side %d %d have %q", all[s], s, have[s], content)
		}
	}
}

// someone returns one of the pollers of the channel.
func (v *testWorld) someone(of []sim.Node) sim.Node {
	for _, n := range v.Pollers(v.news.ID) {
		if slices.Contains(of, n) {
			return n
		}
	}
	v.t.Fatal("nobody polls on one side")
	return 0
}

// oneAssignment fails unless all have the same latest version.
func (v *testWorld) oneAssignment() {
	v.t.Helper()
	versions := make(map[uint64]int)
	for n := range sim.Node(v.Len()) {
		if v.Up(n) && v.Node(n).Corona.Subscribed(v.news.ID) {
			versions[v.Node(n).Library.Latest(v.news.ID).Number]++
		}
	}
	if len(versions) != 1 {
		v.t.Errorf("the subscribers have different latest versions: %x", versions)
	}
}

// nothingTwice fails if a node got the same content twice in one life: no content comes back here.
func (v *testWorld) nothingTwice() {
	v.t.Helper()
	for n := range sim.Node(v.Len()) {
		if !v.Up(n) {
			continue
		}
		got := make(map[string]bool)
		for _, version := range v.Node(n).Library.History(v.news.ID) {
			if version.News && got[version.Content] {
				v.t.Errorf("node %d got %q twice", n, version.Content)
			}
			got[version.Content] = got[version.Content] || version.News
		}
	}
}

// Messages are lost, doubled, and overtake each other. Each change makes one update, and each subscriber has each once
// (hostile 30).
func TestBadNetwork(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults sim.Faults
		seeds  int
		every  time.Duration // rings cost much where half of all is lost
	}{
		{"1 % lost", sim.Faults{Loss: 0.01}, 4, 30 * time.Minute},
		{"10 % lost", sim.Faults{Loss: 0.1}, 4, 30 * time.Minute},
		{"50 % lost", sim.Faults{Loss: 0.5}, 3, 3 * time.Minute},
		{"doubled", sim.Faults{Duplicate: 0.3}, 4, 30 * time.Minute},
		{"reordered", sim.Faults{Reorder: 0.3, ReorderBy: 5 * time.Second}, 4, 30 * time.Minute},
		{"late", sim.Faults{Spike: 0.02, SpikeBy: 30 * time.Second}, 3, 3 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.every < 30*time.Minute {
				t.Skip("needs seconds")
			}
			simtest.Run(t, c.seeds, func(t *simtest.T) {
				nodes := 20
				if c.every < 30*time.Minute {
					nodes = 12
				}
				v := newWorld(t, nodes, nodes-2, func(s *coronatest.Settings) {
					// all changes are in one interval, and each node may see each itself
					if c.every < s.Corona.Interval {
						s.Polls = 3*nodes/2 + 20 + 4*nodes
					}
				})
				v.SetFaults(c.faults)
				for i := range 4 {
					v.Origin.Change(v.news.ID, fmt.Sprint("change ", i))
					v.verify(v.finders(1)...)
					v.Run(c.every)
				}
				v.SetFaults(sim.Faults{})
				v.Settle()
				v.Run(2 * v.interval())
				v.all("change 3")
				v.nothingTwice()
				if c.every < 30*time.Minute {
					// The ring splits under these faults, and reunites. Two nodes may number one content, so that some
					// contents have two numbers, and a subscriber is sent the higher one alone. But each change makes a
					// version.
					v.away()
					if got := v.contents(); got != 5 {
						t.Errorf("%d contents have a number: %v", got, v.numbered)
					}
				} else {
					v.versions(5)
				}
				v.ends()
			})
		})
	}
}

// contents returns how many contents have got a number.
func (v *testWorld) contents() int {
	different := make(map[corona.Hash]bool)
	for _, n := range v.numbered {
		different[n.Hash] = true
	}
	return len(different)
}

// A subscriber that was away has the latest version soon after it is back, with its disk and
// without.
func TestSubscriberReturns(t *testing.T) {
	for _, disk := range []bool{true, false} {
		t.Run(fmt.Sprint("disk=", disk), func(t *testing.T) {
			simtest.Run(t, 8, func(t *simtest.T) {
				v := newWorld(t, 20, 16, calm)
				away := sim.Node(v.Rand().IntN(16))
				v.Shutdown(away)
				v.away()
				for i := range 3 {
					v.Origin.Change(v.news.ID, fmt.Sprint("change ", i))
					v.Run(v.interval())
				}
				if !disk {
					v.Restore(away, nil)
				}
				v.Boot(away)
				v.Run(30 * time.Second)
				if got := v.Node(away).Library.Latest(v.news.ID).Content; got != "change 2" {
					t.Errorf("node %d has %q", away, got)
				}
				v.ends()
			})
		})
	}
}

// All is well within minutes of any faults.
func TestStorm(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		// each reader sees three changes an interval for itself, where witnesses are cut off
		v := newWorld(t, 16, 12, func(s *coronatest.Settings) { s.Polls = 3*16/2 + 20 + 3*12 })
		v.Origin.ChangeEach(v.news.ID, coronatest.Poisson(10*time.Minute))
		v.away()
		plan := simtest.Swarm(t.Seed())
		plan.Run(v.World.World, 20*time.Minute)
		v.Settle()
		v.Run(3 * v.interval())
		v.Origin.Change(v.news.ID, "the end")
		v.Run(2 * time.Minute)
		v.Run(v.interval())
		if t.Failed() {
			t.Log(plan)
		}
		v.ends()
	})
}

// Everything changes at once, and nodes are busy with that for seconds. Nodes that consider them dead meanwhile, or
// repeat messages, add to the load, which does not end by itself. So busy nodes get longer deadlines.
func TestMuchAtOnceIsDealtWith(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const subscribers, channels, changes = 16, 40, 6
		v := newWorld(t, 20, subscribers, calm, direct, func(s *coronatest.Settings) { // as with so few
			// each sees three changes an interval for itself, as witnesses are late
			s.Polls = 3*20/2 + 20 + 3*subscribers
		})
		all := []corona.Channel{v.news}
		for i := range channels - 1 {
			c := v.Origin.Add(fmt.Sprintf("http://example.org/news/%d", i))
			all = append(all, c)
			for n := range sim.Node(subscribers) {
				v.Subscribe(n, c, 1)
			}
		}
		v.Run(2 * time.Hour)
		for n := range sim.Node(subscribers) {
			v.SetSlow(n, 100*time.Millisecond)
		}
		sent := func() uint64 { return v.Counters().Kinds[new(corona.Update).Kind()].Sent }
		before, removed := sent(), v.events["Removed"]
		for i := range changes {
			for _, c := range all {
				v.Origin.Change(c.ID, fmt.Sprint("number ", i))
				poller := v.Pollers(c.ID)[0]
				v.Do(poller, func(engine.Protocol) { v.Node(poller).Poller.Verify(c) })
			}
			v.Run(10 * time.Minute)
		}
		each := float64(sent()-before) / (subscribers * channels * changes)
		gone := v.events["Removed"] - removed
		t.Logf("%.2f updates sent to a subscriber for each change; %d times a node counted as dead", each, gone)
		if each > 3.5 || gone > 500 { // witnesses are late, and some ask once more what they have signed
			t.Errorf("%.2f updates sent to a subscriber for each change, %d times a node counted as dead", each, gone)
		}
		for n := range sim.Node(subscribers) {
			v.SetSlow(n, 0)
		}
		v.ends()
	})
}

// Nodes restart one after the other, and have lost all that they owned. Each change still reaches all within an
// interval and a few minutes.
func TestNodesStartAgain(t *testing.T) {
	for _, nodes := range []int{3, 5, 9, 20} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			simtest.Run(t, 8, func(t *simtest.T) {
				v := newHostsWorld(t, nodes)
				for _, url := range []string{"https://one.example/feed", "https://one.example/news",
					"https://other.example/feed"} {
					c := v.Origin.Add(url)
					for n := range nodes {
						v.Subscribe(sim.Node(n), c, 1)
					}
				}
				upTo := func(d time.Duration) time.Duration { return time.Duration(v.Rand().Int64N(int64(d))) }
				lacking := func(content string) (lack []string) {
					for _, c := range v.Origin.Channels() {
						for n := range sim.Node(nodes) {
							if v.Shows(n, c.ID) != content {
								lack = append(lack, fmt.Sprintf("node %d of %s", n, c.URL))
							}
						}
					}
					return lack
				}
				v.Run(90 * time.Minute)
				for round := range 6 {
					for n := range sim.Node(nodes) {
						if v.Rand().IntN(3) == 0 {
							v.Crash(n)
							v.Run(upTo(2 * time.Second))
							v.Boot(n)
							v.Run(time.Minute + upTo(5*time.Second))
						}
					}
					v.Run(upTo(time.Minute))
					content := fmt.Sprint("round ", round)
					for _, c := range v.Origin.Channels() {
						v.Origin.Change(c.ID, content)
					}
					for end := v.Now() + v.config.Interval + 5*time.Minute; v.Now() < end &&
						len(lacking(content)) > 0; {
						v.Run(10 * time.Second)
					}
					if lack := lacking(content); len(lack) > 0 {
						t.Fatalf("in round %d the change has not come to %v", round, lack)
					}
					v.Run(upTo(v.config.Maintenance))
				}
			})
		})
	}
}
