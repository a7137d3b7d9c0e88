package experiments

import (
	"math/rand/v2"
	"time"

	"tidings/lab"
	"tidings/network/rappel"
	"tidings/network/sim"
)

// labSites is at how many of the sites of PlanetLab nodes live beside Scribe: the first nodes have different ones.
func (s rappelSizes) labSites() int { return min(planetLabSites, s.Ring) }

// planetLabSites is how many nodes of PlanetLab were measured.
const planetLabSites = 294

// parts returns the worlds of a run, which put into r what they gave.
func (s rappelSizes) parts(r *rappelResults, one func(readers int) feedsSetting, here, flat, there places, many [][]int, recorded [][][]int) (parts rappelParts) {
	add := func(part func(part *lab.Run) error) { parts = append(parts, part) }
	overnet := churning{replaced(s.ChurnFor), fourFifths, s.ChurnFor, s.Updates, true}
	add(func(part *lab.Run) error {
		w := newFeedsWorld(part, one(s.Large*5/4))
		return w.over(r.churned.run(w, overnet))
	})
	add(func(part *lab.Run) error {
		w := newFeedsWorld(part, one(2*s.Large))
		return w.over(r.twice.run(w, s))
	})
	add(func(part *lab.Run) error {
		w := newFeedsWorld(part, one(s.Large))
		return w.over(r.still.run(w, s))
	})
	for i, rule := range friendRules {
		add(func(part *lab.Run) error {
			c := rappel.Default()
			rule.change(&c)
			w := newFeedsWorld(part, feedsSetting{places: here, config: c, subscriptions: many[:s.Readers], feeds: s.Feeds})
			return w.over(r.friends[i].run(w, s.FriendsFor))
		})
	}
	for i, people := range recorded {
		add(func(part *lab.Run) error {
			subscriptions := followed(rand.New(rand.NewPCG(part.Seed(), 0x5e7)), people, s.Recorded, s.Feeds)
			w := newFeedsWorld(part, feedsSetting{places: here, config: rappel.Default(), subscriptions: subscriptions, feeds: s.Feeds})
			return r.recorded[i].run(w, s.FriendsFor) // its trace is no part of the run's, which is the same where nothing was recorded
		})
	}
	for i, readers := range s.Grown {
		add(func(part *lab.Run) error {
			w := newFeedsWorld(part, feedsSetting{places: here, config: rappel.Default(), subscriptions: many[:readers], feeds: s.Feeds})
			return w.over(r.grown[i].run(w, s.GrownFor))
		})
	}
	for i, feeds := range s.Channels {
		add(func(part *lab.Run) error {
			subscriptions := subscribed(rand.New(rand.NewPCG(part.Seed(), uint64(feeds))), s.Grown[len(s.Grown)/2], feeds, 1)
			w := newFeedsWorld(part, feedsSetting{places: here, config: rappel.Default(), subscriptions: subscriptions, feeds: feeds})
			return w.over(r.channels[i].run(w, s.GrownFor))
		})
	}
	add(func(part *lab.Run) error {
		w := newFeedsWorld(part, one(s.Small))
		return w.over(r.half.run(w, s))
	})
	for _, elsewhere := range []struct {
		places places
		gave   *halved
	}{{flat, &r.flat}, {there, &r.measured}} {
		add(func(part *lab.Run) error {
			setting := one(s.Small)
			setting.places = elsewhere.places
			w := newFeedsWorld(part, setting)
			return w.over(elsewhere.gave.run(w, s))
		})
	}
	for i, t := range feedTrades {
		add(func(part *lab.Run) error {
			setting := one(s.Trade * 5 / 4)
			setting.config, setting.silent = t.config(), t.silent
			w := newFeedsWorld(part, setting)
			return w.over(r.trades[i].run(w, churning{replaced(s.TradeFor), fourFifths, s.TradeFor, int(s.TradeFor / (10 * time.Second)), false}))
		})
	}
	for i, children := range fanOuts {
		add(func(part *lab.Run) error {
			setting := one(s.Trade * 5 / 4)
			setting.config.Children = children
			w := newFeedsWorld(part, setting)
			return w.over(r.fanOuts[i].run(w, churning{replaced(s.TradeFor), fourFifths, s.TradeFor, s.Updates, false}))
		})
	}
	add(func(part *lab.Run) error {
		w := newFeedsWorld(part, one(s.Trade))
		trace := torTrace(part.Seed(), s.TradeFor)
		driver := func(gone func(sim.Node)) sim.Churn { trace.Gone = gone; return trace }
		return w.over(r.tor.run(w, churning{driver, trace.Up, s.TradeFor, s.Updates, false}))
	})
	for i, nodes := range []int{s.Among + 1, s.Ring} {
		add(func(part *lab.Run) error { return r.contests[i].run(part, there, nodes, s.Among, s.FriendsFor) })
	}
	add(func(part *lab.Run) error { return r.imbalance.run(part, there, many[:s.Readers], s.Feeds) })
	return parts
}
