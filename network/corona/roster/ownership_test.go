package roster

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// everyThird has each node subscribe to every third channel.
func everyThird(n sim.Node, i int) bool { return (int(n)+i)%3 == 0 }

// A subscription survives the crash of any F of its owners at the same moment, as soon as it is acknowledged.
func TestSurvivesAnyFailuresOfAllButOneOwner(t *testing.T) {
	for _, owners := range []int{2, 3, 4} {
		for survivor := range owners {
			t.Run(fmt.Sprintf("owners=%d/survivor=%d", owners, survivor), func(t *testing.T) {
				simtest.Run(t, 2, func(t *simtest.T) {
					v := newTestNet(t, t.World(testNetConfig()), 40, func(c *Config) { c.Owners = owners })
					c := channel(survivor)
					all := v.owners(c, owners)
					for _, n := range v.nodes {
						if !slices.Contains(all, n) {
							v.subscribe(n, c, "", 2)
						}
					}
					v.acknowledge(10 * time.Second)
					for i, n := range all {
						if i != survivor {
							v.Crash(n)
						}
					}
					v.becomesRight(3*time.Minute, c)
				})
			})
		}
	}
}

// present checks from now on, ten times a second, that each of the channels' subscriptions is in the tables of at least
// so many live nodes.
func (v *testNet) present(least int, channels ...machine.Channel) {
	v.Every(100*time.Millisecond, func(at time.Duration) {
		for _, c := range channels {
			holders := make(map[reader]int)
			for _, n := range v.nodes {
				if v.Up(n) {
					for _, r := range v.held(n, c) {
						holders[r]++
					}
				}
			}
			for _, r := range v.due(c) {
				if holders[r] < least {
					v.t.Errorf("at %v a subscription of %v to %v is held by %d nodes", at, r.node, c.URL, holders[r])
				}
			}
		}
	})
}

// When nodes join next to a channel, the new owners get its state before the old ones drop it: at no moment do fewer
// than three nodes have it. In the end its owners have it and no other node.
func TestStateMovesWhenNodesJoin(t *testing.T) {
	for _, joining := range []int{1, 3, 6} {
		t.Run(fmt.Sprint(joining), func(t *testing.T) {
			simtest.Run(t, 6, func(t *simtest.T) {
				v := newTestNet(t, t.World(testNetConfig()), 25)
				channels := v.subscribeAll(10, everyThird)
				v.acknowledge(10 * time.Second)
				v.present(v.config.Owners, channels...)
				for i := range joining {
					id := channels[0].ID
					id[10] ^= byte(i + 1)
					v.add(id)
				}
				v.settle()
				v.becomesRight(3*time.Minute, channels...)
			})
		})
	}
}

// A primary that does not know a channel, as all messages about it were lost, learns of it within three maintenance
// intervals.
func TestOwnersInformAnIgnorantPrimary(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 20, quick, func(c *Config) {
			c.Renew, c.Forget = 20*time.Hour, 50*time.Hour // what subscribers say is no help
		})
		channels := v.subscribeAll(10, everyThird)
		v.acknowledge(10 * time.Second)
		v.Run(v.config.Maintenance / 4)
		for _, c := range channels {
			n := v.owners(c, 1)[0]
			v.Do(n, func(engine.Protocol) { v.at(n).forget(v.at(n).Find(c.ID)) })
		}
		v.becomesRight(3*v.config.Maintenance, channels...)
	})
}

// Where owners leave properly, or the whole ring is exchanged by and by, state moves too.
func TestStateMovesWhenNodesLeave(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 20)
		channels := v.subscribeAll(10, func(n sim.Node, i int) bool { return n == 0 })
		v.acknowledge(10 * time.Second)
		v.present(1, channels...)
		old := slices.Clone(v.nodes)
		for _, n := range old[1:] {
			v.grow(1)
			v.Run(15 * time.Second)
			v.Shutdown(n)
			v.Run(15 * time.Second)
		}
		v.settle()
		v.becomesRight(3*time.Minute, channels...)
	})
}

// A partition heals to the union of the subscriptions on either side, less those that ended on either (hostile 31).
func TestPartitionHealsToTheUnion(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 40)
		channels := v.subscribeAll(20, everyThird)
		v.acknowledge(10 * time.Second)
		side := v.nodes[:20]
		v.Partition(side)
		v.Run(5 * time.Minute) // each side is a ring by itself
		for i, c := range channels {
			for _, n := range []sim.Node{sim.Node(i % 20), sim.Node(20 + i%20)} {
				if _, subscribed := v.wants[n][c]; subscribed {
					v.unsubscribe(n, c, "")
				} else {
					v.subscribe(n, c, "", 5)
				}
			}
		}
		v.acknowledge(time.Minute)
		v.Heal()
		v.settle()
		v.becomesRight(5*time.Minute, channels...)
	})
}

// All owners of a channel crash: the subscribers renew, and so bring it back within three
// maintenance intervals (hostile 32).
func TestRenewalsBringBackWhatAllOwnersLost(t *testing.T) {
	if testing.Short() {
		t.Skip("hours of a network of 60")
	}
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 60)
		channels := v.subscribeAll(10, everyThird)
		v.acknowledge(10 * time.Second)
		for _, c := range channels {
			for _, n := range v.owners(c, v.config.Owners) {
				v.Crash(n)
			}
		}
		for _, n := range v.nodes {
			if !v.Up(n) {
				clear(v.wants[n])
			}
		}
		began, due := v.Now(), 0
		for _, c := range channels {
			due += len(v.due(c))
		}
		var half time.Duration
		for held := 0; held < due; v.Run(10 * time.Second) {
			held = 0
			for _, c := range channels {
				held += len(v.held(v.owners(c, 1)[0], c))
			}
			if half == 0 && held >= due/2 {
				half = v.Now() - began
			}
			if v.Now()-began > 3*v.config.Maintenance {
				t.Fatalf("%d of %d subscriptions are back after %v", held, due, v.Now()-began)
			}
		}
		t.Logf("half of %d subscriptions were back after %v, all after %v", due, half, v.Now()-began)
	})
}

// Subscriptions that nobody renews are forgotten, and with the last one the channel.
func TestUnrenewedSubscriptionsAreForgotten(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 20, quick)
		channels := v.subscribeAll(5, func(n sim.Node, i int) bool { return n == 0 || n == 1 && i == 0 })
		v.acknowledge(10 * time.Second)
		v.Crash(0)
		clear(v.wants[0])
		v.Run(v.config.Forget - v.config.Renew - v.config.Maintenance)
		if v.wrong(channels...) == 0 {
			t.Error("subscriptions were forgotten early")
		}
		v.Run(v.config.Renew + 3*v.config.Maintenance)
		if wrong := v.wrong(channels...); wrong > 0 {
			t.Errorf("%d owners hold something that nobody renewed", wrong)
		}
		for _, n := range v.active() {
			for _, c := range channels[1:] {
				if v.at(n).Find(c.ID) != nil {
					t.Errorf("node %d still knows a channel that nobody wants", n)
				}
			}
		}
	})
}

// A node that has lost its count of stamps, and whose calendar was set back, learns the stamp from which to continue.
func TestStampsGoOnAfterARestart(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 10)
		c := channel(0)
		v.subscribe(3, c, "", 1)
		v.acknowledge(10 * time.Second)
		v.Crash(3)
		v.Run(time.Minute)
		v.SetWall(3, -30*24*time.Hour)
		v.wants[3][c][""] = 7
		v.Boot(3)
		v.settle()
		v.acknowledge(10 * time.Second)
		v.becomesRight(time.Second, c)
		v.unsubscribe(3, c, "")
		v.acknowledge(10 * time.Second)
		v.becomesRight(time.Second, c)
	})
}

// A subscription in another's name is revoked as soon as the owners notify that node.
func TestForgedSubscriptionIsRevoked(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 20)
		c, mine := channel(0), channel(1)
		v.subscribe(5, mine, "", 2)
		v.acknowledge(10 * time.Second)
		v.Do(7, func(engine.Protocol) {
			m := &Subscribe{Node: v.Peer(5), Wanted: []Wanted{{Channel: c.ID, URL: c.URL, Count: 64, Stamp: 1 << 50}}}
			v.at(7).pastry.Route(c.ID, m)
			m = &Subscribe{Node: v.Peer(5), Wanted: []Wanted{{Channel: mine.ID, URL: mine.URL, Count: 0,
				Stamp: 1 << 50}}}
			v.at(7).pastry.Route(mine.ID, m)
		})
		v.Run(5 * time.Second)
		v.becomesRight(10*time.Second, c, mine)
	})
}
