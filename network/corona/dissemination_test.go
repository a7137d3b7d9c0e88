package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// treed lets trees carry versions beyond eight subscribers. Nodes poll whenever they are asked to.
func treed(s *coronatest.Settings) {
	s.Trees, s.Corona.Router, s.Corona.DirectUpTo, s.Corona.HostCeiling = true, network.Scribe, 8, 0
}

// carried returns how many of the nodes that subscribe get versions down a tree.
func (v *testWorld) carried() (count int) {
	for n := range sim.Node(v.Len()) {
		if v.Up(n) && v.Node(n).Corona.CarriedBy(v.news.ID) == network.Scribe {
			count++
		}
	}
	return count
}

// publish lets the primary find the next change. It returns how many updates the primary sent to subscribers itself,
// and how many of them, or down the tree, in all.
func (v *testWorld) publish() (direct, all uint32) {
	v.changed++
	primary := v.Owners(v.news.ID, 1)[0]
	sent := func(kind engine.Kind) uint32 { return v.NodeKindCount(primary, kind).Sent }
	update, down := engine.KindOf(engine.Corona, 9), engine.KindOf(engine.Scribe, 12)
	directly, all := sent(update), sent(update)+sent(down)
	v.Origin.Change(v.news.ID, fmt.Sprint("change ", v.changed))
	v.verify(primary)
	v.Run(time.Minute)
	return sent(update) - directly, sent(update) + sent(down) - all
}

// A channel moves into a tree when it has more subscribers than its primary sends to itself, and back when they have
// gone. Each version reaches every subscriber once, also during a move (rows 12 and 37 of the hostile inputs ask for
// that).
func TestVersionsMoveIntoTreesAndBack(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 40, 5, calm, treed, trusting)
		if direct, _ := v.publish(); direct < 4 || v.carried() > 0 {
			t.Errorf("the primary sent %d updates to 5 subscribers itself, %d are in a tree", direct, v.carried())
		}
		for n := sim.Node(5); n < 30; n++ {
			v.Subscribe(n, v.news, 1)
			if n%6 == 0 {
				v.publish()
			}
			v.Run(time.Second)
		}
		v.Run(5 * time.Minute)
		if direct, all := v.publish(); direct > 2 || all > 26 {
			t.Errorf("the primary sent %d updates itself, and %d in all, to 30 subscribers", direct, all)
		}
		if got := v.carried(); got != 30 {
			t.Errorf("%d of 30 subscribers are in the tree", got)
		}
		for n := sim.Node(2); n < 30; n++ {
			v.Unsubscribe(n, v.news.ID)
			if n%6 == 0 {
				v.publish()
			}
			v.Run(time.Second)
		}
		if direct, _ := v.publish(); direct == 0 {
			t.Error("the primary sends nothing itself to two subscribers")
		}
		v.Run(8 * time.Hour) // all have renewed
		if got := v.carried(); got != 0 {
			t.Errorf("%d of 2 subscribers are in a tree still", got)
		}
		v.ends()
	})
}

// The primary of a channel dies when its versions go down a tree, or just before: the next one continues, by the tree.
func TestTreesOutliveThePrimary(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 40, 6, defaultUpkeep, treed)
		for n := sim.Node(6); n < 30; n++ {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(time.Duration(t.Seed()) * 3 * time.Second)
		v.Crash(v.Owners(v.news.ID, 1)[0])
		v.Run(10 * time.Minute)
		_, all := v.publish()
		v.all("change 1")
		if up := v.subscribers(); v.carried() != up || all > uint32(up) {
			t.Errorf("%d of %d subscribers are in the tree; the new primary sent %d updates", v.carried(), up, all)
		}
		v.away()
		v.ends()
	})
}

// rootKnown returns how many subscribers know the root of the tree.
func (v *testWorld) rootKnown(root sim.Node) (count int) {
	for n := range sim.Node(v.Len()) {
		if v.Up(n) && v.Node(n).Corona.Subscribed(v.news.ID) &&
			(n == root || v.Node(n).Corona.Root(v.news.ID).ID == v.Peer(root).ID) {
			count++
		}
	}
	return count
}

// When the primary dies, or a node joins that is closer to the channel, the new one notifies all subscribers, wherever
// they are. They know the root of the tree long before they would renew.
func TestSubscribersLearnOfANewRoot(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 60, 6, calm, treed)
		for n := sim.Node(6); n < 50; n++ {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(10 * time.Minute)
		old := v.Owners(v.news.ID, 1)[0]
		v.Crash(old)
		// The ring needs up to 45 s to notice; the rest is a matter of seconds.
		v.Run(time.Minute)
		root := v.Owners(v.news.ID, 1)[0]
		if root == old {
			t.Fatal("the ring has not seen that the primary is gone")
		}
		if got, want := v.rootKnown(root), v.subscribers(); got != want {
			t.Errorf("%d of %d subscribers know the new root", got, want)
		}
		v.Boot(old)
		v.Run(2 * time.Minute)
		if root = v.Owners(v.news.ID, 1)[0]; root != old {
			t.Fatal("the old primary is not back")
		}
		if got, want := v.rootKnown(root), v.subscribers(); got != want {
			t.Errorf("%d of %d subscribers know the root that has come back", got, want)
		}
		v.publish()
		v.all(fmt.Sprint("change ", v.changed))
		v.ends()
	})
}

// A node that is closer to the channel comes and goes again and again. The primary notifies its subscribers no more
// often than it would send them a few updates, and in the end all know it.
func TestAFlappingPrimaryAnnouncesSeldom(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 60, 6, calm, treed)
		for n := sim.Node(6); n < 50; n++ {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(10 * time.Minute)
		two := v.Owners(v.news.ID, 2)
		routed := new(corona.Routed).Kind()
		before := v.NodeKindCount(two[1], routed).Sent
		for range 4 {
			v.Crash(two[0])
			v.Run(time.Minute)
			v.Boot(two[0])
			v.Run(time.Minute)
		}
		v.Crash(two[0])
		v.Run(7 * time.Minute)
		if got, most := v.NodeKindCount(two[1], routed).Sent-before, uint32(4*50); got > most {
			t.Errorf("a primary that came and went five times in eight minutes notified 50 subscribers %d times", got)
		}
		if got, want := v.rootKnown(two[1]), v.subscribers(); got != want {
			t.Errorf("%d of %d subscribers know the root in the end", got, want)
		}
	})
}

// until advances time until all show a content, and returns how long that lasted.
func (v *testWorld) until(content string, within time.Duration) time.Duration {
	began := v.Now()
	for v.show(content) < v.subscribers() && v.Now() < began+within {
		v.Run(time.Second)
	}
	v.all(content)
	return v.Now() - began
}

// The primary and the owner next to it die within half a second, after the primary has numbered a version for a tree.
// All others have it within a polling interval, though both were roots of the tree (hostile 32).
func TestVersionsInTreesOutliveTwoRoots(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 40, 34, defaultUpkeep, treed)
		v.publish()
		owners := v.Owners(v.news.ID, 2)
		numbered := len(v.numbered)
		v.Origin.Change(v.news.ID, "last words")
		v.verify(owners[0])
		for len(v.numbered) == numbered {
			v.Run(10 * time.Millisecond)
		}
		v.Crash(owners[0])
		lacked := v.subscribers() - v.show("last words")
		v.Run(time.Duration(v.Rand().IntN(500)) * time.Millisecond)
		v.Crash(owners[1])
		t.Logf("%d lacked the version when its primary died; all have it %v after the second root died", lacked,
			v.until("last words", v.interval()))
		if lacked < 10 {
			t.Errorf("%d lacked the version: it was not on its way", lacked)
		}
		v.away()
		v.ends()
	})
}

// While the network is in two parts, one of them has versions that go down a tree of its own. After the reunion all
// have the latest within minutes, long before any node's next audit or poll (hostile 31).
func TestVersionsInTreesComeAcrossAfterAPartition(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 40, 34, fewPoll, treed)
		v.publish()
		side := v.half()
		seen := v.Origin.Content(v.news.ID)
		old := seen
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{See: func(n sim.Node, _ string) string {
			if slices.Contains(side, n) {
				return seen
			}
			return old
		}})
		cut := v.Partition(side)
		v.Run(10 * time.Minute)
		v.Origin.Change(v.news.ID, "seen on one side")
		seen = "seen on one side"
		v.Run(v.interval() + 5*time.Minute)
		if got := v.show(seen); got == 0 || got > len(side) {
			t.Fatalf("%d show what %d could see", got, len(side))
		}
		old = seen
		cut.Heal()
		v.Settle()
		t.Logf("all have the version %v after the ring was one", v.until(seen, v.interval()/2))
		v.Run(2 * time.Minute)
		v.oneAssignment()
		v.away()
		v.ends()
	})
}

// A network that goes over to another router, its nodes one after the other, loses nothing on the way.
func TestNetworksAdoptARouter(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 30, 25, calm, treed, func(s *coronatest.Settings) { s.Corona.Router = network.Direct })
		for _, router := range []network.RouterName{network.Scribe, network.Direct, network.Scribe} {
			for _, i := range v.Rand().Perm(v.Len()) {
				n := sim.Node(i)
				v.Do(n, func(engine.Protocol) {
					if err := v.Node(n).Corona.GoBy(router); err != nil {
						t.Error(err)
					}
				})
				if i%8 == 0 {
					v.publish()
				}
			}
			v.Run(8 * time.Hour) // all have renewed
			v.publish()
			if got := v.carried(); router == network.Scribe && got != 25 || router == network.Direct && got != 0 {
				t.Errorf("by the router %v %d of 25 subscribers are in a tree", router, got)
			}
		}
		v.ends()
	})
}

// If versions go down a tree, the primary sends none to its contacts that subscribe. These pass on what the tree
// brings, so that pollers that do not subscribe have it as soon as before.
func TestWedgesGetVersionsFromTrees(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 40, 34, calm, treed)
		shared := func() uint32 {
			return v.NodeKindCount(v.Owners(v.news.ID, 1)[0], new(corona.Shared).Kind()).Sent
		}
		if v.publish(); len(v.Pollers(v.news.ID)) < 12 {
			t.Fatalf("%d of 40 nodes poll", len(v.Pollers(v.news.ID)))
		}
		before := shared()
		for range 3 {
			v.publish()
		}
		if got := shared() - before; got > 3*6 {
			t.Errorf("the primary sent %d updates to contacts, of which at most 6 do not subscribe, for 3 versions",
				got)
		}
		latest := v.numbered[len(v.numbered)-1].Version
		for _, n := range v.Pollers(v.news.ID) {
			if held, _ := v.Node(n).Library.Held(v.news.ID); held != latest {
				t.Errorf("node %d polls and has version %d, not %d", n, held, latest)
			}
		}
		v.ends()
	})
}

// mute trees carry nothing at all while they are on.
type muteTrees struct {
	engine.Env
	on *bool
}

func (e muteTrees) Send(to engine.Peer, m engine.Message) {
	if _, carries := m.(interface{ Carried() engine.Message }); !carries || !*e.on {
		e.Env.Send(to, m)
	}
}

// Trees withhold everything. All subscribers have new versions within a polling interval all the same, as each asks an
// owner once an interval (hostile 41).
func TestHostile41TreesThatCarryNothing(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		mute := false
		v := newWorld(t, 40, 34, defaultUpkeep, fewPoll, treed, func(s *coronatest.Settings) {
			s.Env = func(_ sim.Node, env engine.Env) engine.Env { return muteTrees{env, &mute} }
		})
		v.publish()
		v.Run(v.interval())
		mute = true
		late := 0
		for range 3 {
			v.publish()
			late += v.subscribers() - v.show(fmt.Sprint("change ", v.changed))
			v.Run(v.interval() + time.Minute)
			v.all(fmt.Sprint("change ", v.changed))
		}
		if late < 20 {
			t.Errorf("%d updates were late: trees carried them", late)
		}
		v.ends()
	})
}

// deafEnv sends nobody a Routed, nor an acknowledgement that says the same, while it is on.
type deafEnv struct {
	engine.Env
	on *bool
}

func (e deafEnv) Send(to engine.Peer, m engine.Message) {
	if _, routed := m.(*corona.Routed); routed && *e.on {
		return
	}
	e.Env.Send(to, m)
}

// While a channel moves into a tree, another owner than the silent primary acknowledges a subscription. The subscriber
// is in the tree like all others.
func TestSubscribersAroundThePrimaryJoinTheTree(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		deaf := true // so that the channel is long about to move
		v := newWorld(t, 40, 8, calm, treed, func(s *coronatest.Settings) {
			s.Env = func(_ sim.Node, env engine.Env) engine.Env { return deafEnv{env, &deaf} }
		})
		for n := sim.Node(8); n < 20; n++ {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(time.Second)
		owners := v.Owners(v.news.ID, 3)
		late := sim.Node(20)
		for slices.Contains(owners, late) {
			late++
		}
		v.SetLinkFaults(owners[0], late, sim.Faults{Loss: 1})
		v.Subscribe(late, v.news, 1)
		v.Run(50 * time.Second)
		if home := v.Node(late).Corona.Root(v.news.ID); home.IsZero() || home.ID == v.Peer(owners[0]).ID {
			t.Fatalf("the subscription was acknowledged by %v, not by another owner than the primary", home)
		}
		deaf = false
		v.SetLinkFaults(owners[0], late, sim.Faults{})
		v.Run(5 * time.Minute)
		v.publish()
		v.all(fmt.Sprint("change ", v.changed))
		if got := v.carried(); got != 21 {
			t.Errorf("%d of 21 are in the tree", got)
		}
		v.ends()
	})
}

// A channel moves into a tree although a Routed could not reach some subscribers. Those are sent its versions as
// before, without asking, and join the tree when a Routed arrives.
func TestSubscribersWithoutRoutedGetVersions(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		deaf := true
		v := newWorld(t, 40, 8, calm, treed, func(s *coronatest.Settings) {
			s.Env = func(_ sim.Node, env engine.Env) engine.Env { return deafEnv{env, &deaf} }
		})
		for n := sim.Node(8); n < 30; n++ {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(20 * time.Minute)                       // they are sent a Routed several times
		if got := v.carried(); got > 23 || got < 21 { // the primary may be one of the eight
			t.Fatalf("%d are in the tree, of the 22 that subscribed after it was made", got)
		}
		v.publish()
		v.all(fmt.Sprint("change ", v.changed))
		deaf = false
		v.publish()
		v.all(fmt.Sprint("change ", v.changed))
		if got := v.carried(); got != 30 {
			t.Errorf("%d of 30 are in the tree after they were notified", got)
		}
		before := v.events["Unsent"]
		direct, _ := v.publish()
		v.all(fmt.Sprint("change ", v.changed))
		if direct > 4 || v.events["Unsent"] > before {
			t.Errorf("the primary sent %d updates itself when all were in the tree", direct)
		}
		v.nothingTwice()
		v.ends()
	})
}
