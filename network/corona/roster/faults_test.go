package roster

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Messages are lost, doubled and overtaken, and some need half a minute. Owners hold the latest subscriptions (hostile
// 30).
func TestSubscriptionsUnderBadLinks(t *testing.T) {
	for _, f := range []struct {
		name   string
		faults sim.Faults
	}{
		{"loss 1 %", sim.Faults{Loss: 0.01}},
		{"loss 10 %", sim.Faults{Loss: 0.1}},
		{"loss 50 %", sim.Faults{Loss: 0.5}},
		{"duplicates", sim.Faults{Duplicate: 0.5}},
		{"reordering", sim.Faults{Reorder: 0.5, ReorderBy: 3 * time.Second}},
		{"spikes", sim.Faults{Spike: 0.01, SpikeBy: 30 * time.Second}},
	} {
		t.Run(f.name, func(t *testing.T) {
			simtest.Run(t, 2, func(t *simtest.T) {
				v := newTestNet(t, t.World(testNetConfig()), some(20), quick)
				v.SetFaults(f.faults)
				channels := v.subscribeAll(10, everyThird)
				for range 5 {
					v.Run(time.Duration(v.Rand().Int64N(int64(10 * time.Second))))
					v.changeMinds(20, channels)
				}
				v.Run(2 * time.Minute)
				v.SetFaults(sim.Faults{})
				v.settle()
				v.becomesRight(v.config.Maintenance, channels...)
			})
		})
	}
}

// changeMinds has some nodes that are up subscribe, unsubscribe, or count other readers.
func (v *testNet) changeMinds(times int, channels []machine.Channel) {
	for range times {
		n, c := v.nodes[v.Rand().IntN(len(v.nodes))], channels[v.Rand().IntN(len(channels))]
		outside := []string{"", "", "xmpp:a@b", "xmpp:c@d"}[v.Rand().IntN(4)]
		switch _, wanted := v.wants[n][c][outside]; {
		case !v.Up(n):
		case wanted && v.Rand().IntN(2) == 0:
			v.unsubscribe(n, c, outside)
		default:
			v.subscribe(n, c, outside, 1+v.Rand().IntN(100))
		}
	}
}

// All faults that the seed draws occur, while users change their minds. Afterwards, and after a maintenance interval,
// owners hold what is wanted (hostile 31, 33).
func TestSubscriptionsInTheStorm(t *testing.T) {
	simtest.Run(t, 16, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), some(16), func(c *Config) {
			c.Maintenance, c.Renew, c.Forget = 10*time.Minute, 20*time.Minute, time.Hour
		})
		channels := v.subscribeAll(12, everyThird)
		v.acknowledge(10 * time.Second)
		for i := range 20 {
			v.After(time.Duration(i)*30*time.Second, func() { v.changeMinds(5, channels) })
		}
		plan := simtest.Swarm(t.Seed())
		plan.Run(v.World, 10*time.Minute)
		v.Run(v.World.Now() / 100) // those that slept notice
		v.meetAgain()
		v.settle()
		t.Logf("with %v", plan)
		v.becomesRight(v.config.Forget+3*v.config.Maintenance, channels...)
	})
}

// meetAgain introduces nodes to each other that know nobody alive any more, as their users would.
func (v *testNet) meetAgain() {
	first := v.active()
	if len(first) == 0 {
		v.t.Fatal("nobody is active")
	}
	for _, n := range v.nodes {
		v.at(n).pastry.Join(v.Peer(first[0]))
	}
}

// Half of all nodes crash at once. Acknowledged subscriptions of live nodes are with the owners again within three
// maintenance intervals (hostile 32).
func TestHalfOfAllNodesCrash(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 40, quick)
		channels := v.subscribeAll(30, everyThird)
		v.acknowledge(10 * time.Second)
		for _, i := range v.Rand().Perm(len(v.nodes))[:len(v.nodes)/2] {
			v.Crash(v.nodes[i])
		}
		v.Run(time.Minute)
		v.settle()
		began := v.Now()
		for missing := 1; missing > 0; v.Run(time.Minute) {
			missing = v.missing(channels)
			if v.Now() > began+3*v.config.Maintenance {
				t.Fatalf("%d subscriptions are missing at owners", missing)
			}
		}
		t.Logf("nothing is missing %v after the ring was right", v.Now()-began)
	})
}

// missing returns how many subscriptions of live nodes do not stand in an owner's table.
func (v *testNet) missing(channels []machine.Channel) (missing int) {
	for _, c := range channels {
		for _, owner := range v.owners(c, v.config.Owners) {
			held := make(map[reader]bool)
			for _, r := range v.held(owner, c) {
				held[r] = true
			}
			for _, n := range v.active() {
				for outside, count := range v.wants[n][c] {
					if !held[reader{v.Peer(n).ID, outside, count}] {
						missing++
					}
				}
			}
		}
	}
	return missing
}

// If messages are lost, an acknowledged subscription is in all tables, except for the few that an owner has not
// confirmed in three tries. These are traced (hostile 30).
func TestAcknowledgedIsStoredUnderLoss(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 20)
		v.SetFaults(sim.Faults{Loss: 0.1})
		channels := v.subscribeAll(60, everyThird)
		v.acknowledge(5 * time.Minute)
		unstored := 0
		for _, s := range v.seen {
			if u, ok := s.event.(Unstored); ok {
				unstored += u.Subscriptions
			}
		}
		missing := v.missing(channels)
		t.Logf("%d of %d copies are missing, %d not confirmed", missing, 20*20*3, unstored)
		if missing > unstored {
			t.Error("some are missing of which owners have said that they have them")
		}
		if unstored > 20*20*2/10 {
			t.Error("too many are not confirmed")
		}
	})
}

// Owners that differ in a few of many subscriptions send each other little more than these, whether the primary has
// lost them or another.
func TestLargeTablesAreComparedByParts(t *testing.T) {
	for loser := range 2 {
		t.Run(fmt.Sprint(loser), func(t *testing.T) { compareLargeTables(t, loser) })
	}
}

func compareLargeTables(t *testing.T, loser int) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 12)
		const lost = 10
		all := 20_000
		if testing.Short() {
			all = 4000
		}
		c := channel(0)
		primary := v.owners(c, 1)[0]
		v.Do(primary, func(engine.Protocol) {
			for i := range all {
				n := v.at(primary)
				gateway := engine.Peer{ID: engine.ID{1}, Address: "gateway"}
				n.receiveSubscribe(&Subscribe{Node: gateway,
					Wanted: []Wanted{{Channel: c.ID, URL: c.URL, Outside: fmt.Sprint("xmpp:", i), Count: 1, Stamp: 1}}})
			}
		})
		v.Run(time.Minute)
		other := v.owners(c, 2)[loser]
		v.Do(other, func(engine.Protocol) {
			n := v.at(other)
			for range lost {
				n.removeEntry(n.Find(c.ID), v.Rand().IntN(all-lost))
			}
		})
		var sent uint64
		v.Tap(func(p sim.Delivery) {
			if e, ok := p.Message.(*Entries); ok && p.Fate == sim.Received {
				sent += uint64(len(e.Subscriptions))
			}
		})
		v.Run(2 * v.config.Maintenance)
		if o := v.at(other).Find(c.ID); o.Entries() != all {
			t.Errorf("%d of %d entries", o.Entries(), all)
		}
		t.Logf("%d entries were sent for %d that were lost of %d", sent, lost, all)
		if sent > 3*lost*entriesOfOnePart {
			t.Error("that is too many")
		}
	})
}
