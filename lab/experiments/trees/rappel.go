package trees

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/experiments/wording"
	"tidings/network/sim"
)

// Rappel measures the friends and the trees of network/rappel.
var Rappel = wording.Of("rappel", lab.Experiment[rappelSizes]{
	Expect: func(s rappelSizes) []lab.Expected { return s.figures().Expected() },
	Memory: func(s rappelSizes) uint64 { return uint64(max(2*s.Large, s.mostReaders())) * 120_000 },
	Run:    runRappel,
})

// rappelSizes are the parameters of Rappel.
type rappelSizes struct {
	Networks int `json:"networks"` // stub networks in which nodes live

	Small    int           `json:"small"` // readers of the feed of which half fail
	SmallFor time.Duration `json:"small_for_ns"`

	Large    int           `json:"large"` // readers of one feed at rest, under churn, and half as many as of the largest
	LargeFor time.Duration `json:"large_for_ns"`
	ChurnFor time.Duration `json:"churn_for_ns"`
	Updates  int           `json:"updates"` // under churn

	Trade    int           `json:"trade"` // readers of each world without a transport that tells
	TradeFor time.Duration `json:"trade_for_ns"`

	Feeds      int           `json:"feeds"`
	Readers    int           `json:"readers"` // of some of these feeds each
	FriendsFor time.Duration `json:"friends_for_ns"`
	Recorded   int           `json:"recorded"` // readers, at most, who follow what people were recorded to

	Among int   `json:"among"` // readers of one feed beside Scribe
	Ring  int   `json:"ring"`  // nodes of the larger of the two worlds
	Grown []int `json:"grown"` // readers of feeds, by world, besides Readers

	// GrownFor is for how long these worlds run, and those of Channels: only their messages are counted.
	GrownFor time.Duration `json:"grown_for_ns"`

	// Channels are numbers of feeds, by world; there are as many readers as in the world in the middle of Grown.
	Channels []int `json:"channels"`
}

// mostReaders is how many readers the largest world has.
func (s rappelSizes) mostReaders() int { return max(s.Readers, slices.Max(s.Grown)) }

// full reports whether the worlds are large enough for the figures to mean something.
func (s rappelSizes) full() bool { return s.Large >= 400 }

// rappelResults is all that the worlds gave.
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
	c := sim.DefaultPaths(run.Seed())
	c.Networks = s.Networks
	paths := sim.NewPaths(c)
	here, flat := testnet.Locate(run.Seed(), paths, s.Networks, false), testnet.Locate(run.Seed(), paths, s.Networks, true)
	there := testnet.Locate(run.Seed(), testnet.PlanetLab(run.Seed()), s.labSites(), false)
	r := rappelResults{grown: make([]befriended, len(s.Grown)), channels: make([]befriended, len(s.Channels)), contests: make([]contest, 2)}
	recorded, err := readInterests()
	if err != nil {
		return err
	}
	run.Parts(s.parts(&r, run.Seed(), here, flat, there, recorded))
	r.off, r.offFlat = here.Errors(), flat.Errors()
	s.figures().Give(run, &r)
	r.plot(run, s)
	return nil
}

// make1 returns the subscriptions of readers who all follow one feed.
func make1(readers int) [][]int {
	all := make([][]int, readers)
	for i := range all {
		all[i] = []int{0}
	}
	return all
}
