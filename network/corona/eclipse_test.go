package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// verifying is for worlds of honest contents, in which nodes poll for themselves, too.
func verifying(s *coronatest.Settings) {
	calm(s)
	s.OwnPolls = true
}

// changes makes several changes, and returns how long after each the last subscriber showed it; at most a day.
func (v *testWorld) changes(times int) (took []time.Duration) {
	v.t.Helper()
	for range times {
		v.changed++
		content := fmt.Sprint("change ", v.changed)
		v.Origin.Change(v.news.ID, content)
		began := v.Now()
		for v.show(content) < v.subscribers() && v.Now()-began < 24*time.Hour {
			v.Run(10 * time.Second)
		}
		took = append(took, v.Now()-began)
		v.Run(v.interval()) // so that there are polls out of turn again
	}
	return took
}

// within fails if one of the times is too long.
func (v *testWorld) within(most time.Duration, took []time.Duration) {
	v.t.Helper()
	v.t.Logf("the last subscriber shows a change after %v", took)
	if slices.Max(took) > most {
		v.t.Errorf("more than %v", most)
	}
}

// The primary of a channel does nothing, or pretends to work, or denies all changes: the next owner does its work
// (hostile 39, 41).
func TestPrimaryIsAnAdversary(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	for _, c := range []struct {
		name string
		how  func(engine.Peer, engine.Message) engine.Message
		most time.Duration // until the last subscriber has a change
	}{
		{"silent", silent, 12 * time.Minute},
		{"mute", mute, 12 * time.Minute},
		// It is believed once. The next owner need not have a permit to poll, nor members that it can ask more than
		// once an interval. At worst each polls itself, every eighth interval.
		{"denying", denying, 5 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			simtest.Run(t, 6, func(t *simtest.T) {
				bad := make(adversaries)
				v := newWorld(t, 30, 26, bad.among, verifying, defaultUpkeep)
				primary := v.Owners(v.news.ID, 1)[0]
				v.turn(bad, primary, c.how)
				if c.name == "denying" {
					v.Origin.Behave(v.news.ID, coronatest.Behaviour{See: func(n sim.Node, content string) string {
						if n == primary {
							return "nothing new"
						}
						return content
					}})
				}
				v.within(c.most, v.changes(4))
				v.Subscribe(27, v.news, 1) // a newcomer without contacts
				v.Run(5 * time.Minute)
				if n := v.Node(27).Corona.Unacknowledged(); n > 0 && bad[27] == nil {
					t.Errorf("%d subscriptions of a newcomer are not acknowledged", n)
				}
				v.Unsubscribe(27, v.news.ID)
				v.Run(v.interval())
				v.all("change 4")
				v.away()
				v.ends()
			})
		})
	}
}

// All owners of a channel are silent. Its subscribers notice when they renew or find something themselves, and poll the
// origin each interval from then on, as readers without a network do. When the owners are back they stop (hostile 39).
func TestAllOwnersAreSilent(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		bad := make(adversaries)
		change := []func(*coronatest.Settings){bad.among, verifying, defaultUpkeep}
		if t.Seed()%2 == 1 {
			change = append(change, fewPoll)
		}
		v := newWorld(t, 30, 26, change...)
		owners := v.Owners(v.news.ID, 3)
		for _, n := range owners {
			v.turn(bad, n, silent)
		}
		before := v.changes(1)[0]
		v.Run(4 * time.Hour) // all have renewed
		v.within(v.interval()+time.Minute, v.changes(4))
		t.Logf("before they noticed it was %v", before)
		if suspecting := v.events["Suspected"]; suspecting < 12 {
			t.Errorf("%d nodes suspect the owners", suspecting)
		}
		clear(bad)
		v.Run(4 * time.Hour)
		v.Origin.Change(v.news.ID, "something new")
		v.Run(v.interval() + time.Minute)
		v.all("something new")
		began, polled := v.Now(), 0
		for range 4 {
			polled += len(v.Pollers(v.news.ID))
			v.Run(v.interval())
		}
		polls := len(v.Origin.Requests(v.news.ID, began, v.Now()))
		t.Logf("afterwards %d polls in four intervals, of which %d are those of the wedge", polls, polled)
		if polls > polled+20 {
			t.Error("that is too many")
		}
		v.away()
		v.ends()
	})
}

// All owners acknowledge and confirm, and pass on nothing: a node that finds a change itself notices. Each poller is
// such a node. One that does not poll finds the first such change by its backup poll, within a day, and the next ones
// within an interval (hostile 39).
func TestAllOwnersAreMute(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		bad := make(adversaries)
		v := newWorld(t, 30, 26, bad.among, verifying, defaultUpkeep, fewPoll)
		for _, n := range v.Owners(v.news.ID, 3) {
			v.turn(bad, n, mute)
		}
		took := v.changes(6)
		v.within(24*time.Hour, took)
		// From the second change on all suspect the owners, but for one that trusts them again for a while: it has
		// itself seen a version that they sent.
		later := slices.Sorted(slices.Values(took[1:]))
		if median, longest := later[len(later)/2], later[len(later)-1]; median > v.interval()+time.Minute ||
			longest > 2*v.interval() {
			t.Errorf("when all suspect the owners it lasts %v in the median, %v at most", median, longest)
		}
		v.away()
		v.ends()
	})
}

// A member of the wedge confirms all assignments and drops the updates of one channel. The nodes below it poll for
// themselves, and get from others what those find (hostile 41).
func TestCensorInTheWedge(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		bad := make(adversaries)
		v := newWorld(t, 40, 10, bad.among, verifying)
		primary := v.Owners(v.news.ID, 1)[0]
		for i, n := range v.Pollers(v.news.ID) {
			if n != primary && i%3 == 0 {
				v.turn(bad, n, censor(v.news.ID))
			}
		}
		for i := range 3 {
			content := fmt.Sprint("change ", i)
			v.Origin.Change(v.news.ID, content)
			v.Run(2*v.interval() + 2*time.Minute)
			for _, n := range v.Pollers(v.news.ID) {
				if got := v.Node(n).Library.Latest(v.news.ID); bad[n] == nil && got.Content != content {
					t.Errorf("poller %d has version %x, %q", n, got.Number, got.Content)
				}
			}
			v.all(content)
		}
		v.versions(4)
		v.away()
		v.ends()
	})
}

// All nodes restart at once, and a tenth of them are adversaries from then on. Some drop all, some pass on nothing, and
// some invent versions. The test states when the ring is right again, when the last subscription is acknowledged, and
// when the last subscriber shows a change made as all went down (hostile 40: attack at dawn, cold boot among
// attackers).
func TestAttackAtDawn(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	for _, disk := range []bool{true, false} {
		t.Run(fmt.Sprint("disk=", disk), func(t *testing.T) {
			simtest.Run(t, 6, func(t *simtest.T) {
				bad := make(adversaries)
				v := newWorld(t, 40, 36, bad.among, lies, defaultUpkeep)
				turns := []func(engine.Peer, engine.Message) engine.Message{silent, mute, mute, silent}
				for i, how := range turns {
					v.turn(bad, sim.Node(36+i), how)
				}
				v.away()
				for n := range sim.Node(40) {
					v.Crash(n)
				}
				v.Origin.Change(v.news.ID, "at dawn")
				v.Run(time.Minute)
				for n := range sim.Node(40) {
					if !disk {
						v.Restore(n, nil)
					}
					v.Boot(n)
					v.Run(50 * time.Millisecond)
				}
				began := v.Now()
				var found time.Duration
				v.Observe(func(at time.Duration, _ sim.Node, event any) {
					if _, ok := event.(corona.Found); ok && found == 0 {
						found = at - began
					}
				})
				v.Settle()
				ring := v.Now() - began
				var acked, shown time.Duration
				for acked == 0 || shown == 0 {
					unacked := 0
					for n := range sim.Node(36) {
						unacked += v.Node(n).Corona.Unacknowledged()
					}
					if unacked == 0 && acked == 0 {
						acked = v.Now() - began
					}
					if v.show("at dawn") == 36 && shown == 0 {
						shown = v.Now() - began
					}
					if v.Now()-began > 3*time.Hour {
						t.Fatalf("%d are not acknowledged, %d show it", unacked, v.show("at dawn"))
					}
					v.Run(time.Second)
				}
				t.Logf("a ring after %v, all subscriptions stand after %v, the change is found after %v, all show "+
					"it after %v",
					ring, acked, found, shown)
				const recovery = 2 * time.Minute
				if ring > recovery || acked > recovery || shown > found+recovery || shown > v.interval()+recovery {
					t.Error("that is too long")
				}
				v.Run(v.interval())
				v.Origin.Change(v.news.ID, "in the morning")
				v.Run(v.interval() + 2*time.Minute)
				if got := v.show("in the morning"); got < 36 {
					t.Errorf("%d of 36 show the next change", got)
				}
			})
		})
	}
}

// A tenth of all nodes are honest for hours, and then all do their worst at the same moment, the primary among them
// (hostile 40: covert flash).
func TestCovertFlash(t *testing.T) {
	pairs := findTwins(4)
	simtest.Run(t, 6, func(t *simtest.T) {
		bad := make(adversaries)
		v := newWorld(t, 40, 36, bad.among, lies, defaultUpkeep)
		v.Run(3 * time.Hour)
		pair := pairs[t.Seed()%uint64(len(pairs))]
		primary := v.Owners(v.news.ID, 1)[0]
		others := v.finders(3)
		for _, n := range append(others, primary) {
			v.Unsubscribe(n, v.news.ID)
		}
		v.Run(10 * time.Second)
		bad[primary] = equivocator(v.Keys(primary), func() engine.Peer { return v.Peer(primary) }, pair.truth, pair.lie)
		bad[others[0]], bad[others[1]], bad[others[2]] = silent, mute, censor(v.news.ID)
		v.Origin.Change(v.news.ID, pair.truth)
		began := v.Now()
		var found time.Duration
		v.Observe(func(at time.Duration, _ sim.Node, event any) {
			if _, ok := event.(corona.Found); ok && found == 0 {
				found = at
			}
		})
		for v.show(pair.truth) < v.subscribers() && v.Now()-began < 3*v.interval() {
			v.Run(time.Second)
		}
		t.Logf("all show the truth %v after it was found first", v.Now()-found)
		if v.Now()-found > 2*time.Minute {
			t.Error("that is too long")
		}
		v.Run(v.interval())
		v.Origin.Change(v.news.ID, "later")
		v.Run(v.interval() + time.Minute)
		if got := v.show("later"); got != v.subscribers() {
			t.Errorf("%d of %d show the next change", got, v.subscribers())
		}
	})
}
