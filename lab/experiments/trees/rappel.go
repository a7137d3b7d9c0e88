package trees

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/experiments/wording"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/sim/churn"
	"tidings/network/sim/latency"
)

// Rappel measures the friends and the trees of network/routers/rappel.
var Rappel = wording.Of("rappel", lab.Experiment[rappelSizes]{
	Expect: func(s rappelSizes) []lab.Expected { return s.figures().Expected() },
	Memory: func(s rappelSizes) uint64 { return uint64(max(2*s.Large, s.mostReaders())) * 120_000 },
	Run:    runRappel,
})

type rappelSizes struct {
	Networks int `json:"networks"` // stub networks in which nodes live

	Small    int           `json:"small"` // readers of the feed of which half fail
	SmallFor time.Duration `json:"small_for_ns"`

	// readers of one feed at rest, under churn, and half as many as of the largest
	Large    int           `json:"large"`
	LargeFor time.Duration `json:"large_for_ns"`
	ChurnFor time.Duration `json:"churn_for_ns"`
	Updates  int           `json:"updates"` // under churn

	Trade    int           `json:"trade"` // readers of each world without a transport that reports dead connections
	TradeFor time.Duration `json:"trade_for_ns"`

	Feeds      int           `json:"feeds"`
	Readers    int           `json:"readers"` // of some of these feeds each
	FriendsFor time.Duration `json:"friends_for_ns"`
	// readers, at most, that follow what people were recorded to; 0: none do, so that all have the same run
	Recorded int `json:"recorded"`

	Among int   `json:"among"` // readers of one feed beside Scribe
	Ring  int   `json:"ring"`  // nodes of the larger of the two worlds
	Grown []int `json:"grown"` // readers of feeds, by world, besides Readers

	// GrownFor is for how long these worlds run, and those of Channels: only their messages are counted.
	GrownFor time.Duration `json:"grown_for_ns"`

	// Channels are numbers of feeds, by world. There are as many readers as in the world in the middle of Grown.
	Channels []int `json:"channels"`
}

// mostReaders is how many readers the largest world has.
func (s rappelSizes) mostReaders() int { return max(s.Readers, slices.Max(s.Grown)) }

// full reports whether the worlds are large enough for the figures to mean something.
func (s rappelSizes) full() bool { return s.Large >= 400 }

type rappelResults struct {
	half         halved
	flat         halved    // the same with flat coordinates, as the paper's
	measured     halved    // the same on the round trips that were measured of PlanetLab
	off, offFlat []float64 // how far coordinates are off round trips
	still        rested
	twice        rested // twice as many readers
	churned      churnedFeed
	tor          churnedFeed
	trades       [len(feedTrades)]churnedFeed
	friends      [len(friendRules)]befriended
	fanOuts      [len(fanOuts)]churnedFeed
	recorded     [len(recordedInterests)]befriended
	grown        []befriended
	channels     []befriended // by number of feeds
	contests     []contest
	imbalance    imbalance
	covered      float64 // of subscriptions: what six well-chosen friends would cover
}

func runRappel(run *lab.Run, s rappelSizes) error {
	c := latency.DefaultPaths(run.Seed())
	c.Networks = s.Networks
	paths := latency.NewPaths(c)
	here, flat := testnet.Locate(run.Seed(), paths, s.Networks, false),
		testnet.Locate(run.Seed(), paths, s.Networks, true)
	there := testnet.Locate(run.Seed(), testnet.PlanetLab(run.Seed()), min(testnet.PlanetLabSites, s.Ring), false)
	r := rappelResults{grown: make([]befriended, len(s.Grown)), channels: make([]befriended, len(s.Channels)),
		contests: make([]contest, 2)}
	recorded, err := s.readInterests()
	if err != nil {
		return err
	}
	run.Parts(s.parts(&r, run.Seed(), here, flat, there, recorded))
	r.off, r.offFlat = here.Errors(), flat.Errors()
	s.figures().Give(run, &r)
	r.plot(run, s)
	return nil
}

// parts returns the worlds of a run, which put into r what they gave. The longest come first, so that no core is idle
// at the end.
func (s rappelSizes) parts(r *rappelResults, seed uint64, here, flat, there testnet.Sites,
	recorded [][][]int) (parts lab.Parts) {
	many := testnet.Subscribed(rand.New(rand.NewPCG(seed, 0x50b)), s.mostReaders(), s.Feeds, 1)
	r.covered = testnet.Coverable(many[:s.Readers], s.Feeds, 5)
	setting := func(subscriptions [][]int, feeds int) feedsSetting {
		return feedsSetting{Sites: here, config: rappel.Default(), subscriptions: subscriptions, feeds: feeds}
	}
	one := func(readers int) feedsSetting { return setting(slices.Repeat([][]int{{0}}, readers), 1) }
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
			subscriptions := testnet.Recorded(rand.New(rand.NewPCG(seed, 0x5e7)), people, s.Recorded, s.Feeds)
			r.recorded[i].run(newFeedsWorld(part, setting(subscriptions, s.Feeds)), s.FriendsFor)
			// Its trace is no part of the run's, which is the same where nothing was recorded.
		})
	}
	for i, readers := range s.Grown {
		add(setting(many[:readers], s.Feeds), func(w *feedsWorld) { r.grown[i].run(w, s.GrownFor) })
	}
	for i, feeds := range s.Channels {
		subscriptions := testnet.Subscribed(rand.New(rand.NewPCG(seed, uint64(feeds))), s.Grown[len(s.Grown)/2],
			feeds, 1)
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
		add(trade, func(w *feedsWorld) {
			r.trades[i].run(w, churning(s.TradeFor, int(s.TradeFor/(10*time.Second)),
				false))
		})
	}
	for i, children := range fanOuts {
		fanOut := one(s.Trade * 5 / 4)
		fanOut.config.Children = children
		add(fanOut, func(w *feedsWorld) { r.fanOuts[i].run(w, churning(s.TradeFor, s.Updates, false)) })
	}
	add(one(s.Trade), func(w *feedsWorld) {
		trace := testnet.TorTrace(seed, s.TradeFor)
		k := churning(s.TradeFor, s.Updates, false)
		k.driver, k.up = func(gone func(sim.Node)) churn.Model { trace.Gone = gone; return trace }, trace.Up
		r.tor.run(w, k)
	})
	for i, nodes := range []int{s.Among + 1, s.Ring} { // the first ones have sites of their own
		parts = append(parts, func(part *lab.Run) { r.contests[i].run(part, there, nodes, s.Among, s.FriendsFor) })
	}
	return append(parts, func(part *lab.Run) { r.imbalance.run(part, there, many[:s.Readers], s.Feeds) })
}
