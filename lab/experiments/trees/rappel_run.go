package trees

import (
	"math/rand/v2"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/rappel"
	"tidings/network/sim"
)

// labSites is at how many of the sites of PlanetLab nodes live beside Scribe: the first nodes have different ones.
func (s rappelSizes) labSites() int { return min(testnet.PlanetLabSites, s.Ring) }

// parts returns the worlds of a run, which put into r what they gave. The longest come first, so that no core is idle at the end.
func (s rappelSizes) parts(r *rappelResults, seed uint64, here, flat, there testnet.Sites, recorded [][][]int) (parts lab.Parts) {
	many := testnet.Subscribed(rand.New(rand.NewPCG(seed, 0x50b)), s.mostReaders(), s.Feeds, 1)
	r.covered = testnet.Coverable(many[:s.Readers], s.Feeds, 5)
	setting := func(subscriptions [][]int, feeds int) feedsSetting {
		return feedsSetting{Sites: here, config: rappel.Default(), subscriptions: subscriptions, feeds: feeds}
	}
	one := func(readers int) feedsSetting { return setting(make1(readers), 1) }
	add := func(s feedsSetting, measure func(w *feedsWorld)) {
		parts = append(parts, func(part *lab.Run) {
			w := newFeedsWorld(part, s)
			measure(w)
			part.Ran(w.World)
		})
	}
	churning := func(length time.Duration, updates int, watch bool) churning {
		return churning{replaced(length), fourFifths, length, updates, watch}
	}
	add(one(s.Large*5/4), func(w *feedsWorld) { r.churned.run(w, churning(s.ChurnFor, s.Updates, true)) })
	add(one(2*s.Large), func(w *feedsWorld) { r.twice.run(w, s) })
	add(one(s.Large), func(w *feedsWorld) { r.still.run(w, s) })
	for i, rule := range friendRules {
		friends := setting(many[:s.Readers], s.Feeds)
		rule.change(&friends.config)
		add(friends, func(w *feedsWorld) { r.friends[i].run(w, s.FriendsFor) })
	}
	for i, people := range recorded {
		parts = append(parts, func(part *lab.Run) {
			subscriptions := followed(rand.New(rand.NewPCG(seed, 0x5e7)), people, s.Recorded, s.Feeds)
			r.recorded[i].run(newFeedsWorld(part, setting(subscriptions, s.Feeds)), s.FriendsFor)
			// Its trace is no part of the run's, which is the same where nothing was recorded.
		})
	}
	for i, readers := range s.Grown {
		add(setting(many[:readers], s.Feeds), func(w *feedsWorld) { r.grown[i].run(w, s.GrownFor) })
	}
	for i, feeds := range s.Channels {
		subscriptions := testnet.Subscribed(rand.New(rand.NewPCG(seed, uint64(feeds))), s.Grown[len(s.Grown)/2], feeds, 1)
		add(setting(subscriptions, feeds), func(w *feedsWorld) { r.channels[i].run(w, s.GrownFor) })
	}
	for _, world := range []struct {
		sites testnet.Sites
		gave  *halved
	}{{here, &r.half}, {flat, &r.flat}, {there, &r.measured}} {
		small := one(s.Small)
		small.Sites = world.sites
		add(small, func(w *feedsWorld) { world.gave.run(w, s) })
	}
	for i, t := range feedTrades {
		trade := one(s.Trade * 5 / 4)
		trade.config, trade.silent = t.config(), t.silent
		add(trade, func(w *feedsWorld) { r.trades[i].run(w, churning(s.TradeFor, int(s.TradeFor/(10*time.Second)), false)) })
	}
	for i, children := range fanOuts {
		fanOut := one(s.Trade * 5 / 4)
		fanOut.config.Children = children
		add(fanOut, func(w *feedsWorld) { r.fanOuts[i].run(w, churning(s.TradeFor, s.Updates, false)) })
	}
	add(one(s.Trade), func(w *feedsWorld) {
		trace := testnet.TorTrace(seed, s.TradeFor)
		k := churning(s.TradeFor, s.Updates, false)
		k.driver, k.up = func(gone func(sim.Node)) sim.Churn { trace.Gone = gone; return trace }, trace.Up
		r.tor.run(w, k)
	})
	for i, nodes := range []int{s.Among + 1, s.Ring} {
		parts = append(parts, func(part *lab.Run) { r.contests[i].run(part, there, nodes, s.Among, s.FriendsFor) })
	}
	return append(parts, func(part *lab.Run) { r.imbalance.run(part, there, many[:s.Readers], s.Feeds) })
}
