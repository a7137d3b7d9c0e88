package experiments

import (
	"sync"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/spidercast"
	"tidings/network/spidercast/spread"
)

// SpiderCastLive has whole nodes carry updates over SpiderCast's links.
var SpiderCastLive = lab.Experiment[routerLiveSizes]{
	Name:   "spidercast-live",
	Title:  "SpiderCast with whole nodes: nothing lost, nothing twice, no noise",
	Source: "Chockler, Melamed, Tock and Vitenberg, DEBS 2007, has no live network; our own aims",
	About: "Whole nodes, each with its store, scheduler and interfaces, form a ring over libp2p on loopback. Their transport holds each " +
		"message back for half of a round trip between two sites of PlanetLab. They follow feeds, whose subscriptions are made by " +
		"word of mouth, and poll them together; SpiderCast's links carry all updates. First feeds change for a time in which " +
		"nothing else happens; then some nodes leave half of their feeds, some stop, and some are killed. All of those come back with the data that " +
		"they had. Lost is what the stream of a node has not told within two minutes. Noise is each update that comes over a link to " +
		"a node that neither follows the feed, nor did half a minute before, nor publishes its updates, and each that a " +
		"stream tells of a feed that is not followed.",

	Live: true,
	Tiny: routerLiveSizes{
		Nodes: 5, Channels: 4, Least: 2, Interval: time.Second, Every: 2 * time.Second,
		Calm: 4 * time.Second, Part: 3 * time.Second, Killed: 1, Stopped: 1, Leaving: 1,
	},
	Quick: routerLiveSizes{
		Nodes: 60, Channels: 200, Least: 10, Interval: time.Minute, Every: 2 * time.Minute, Subscribe: time.Minute,
		Settle: 30 * time.Second, Calm: 2 * time.Minute, Part: time.Minute, Killed: 3, Stopped: 3, Leaving: 6,
	},
	Paper: routerLiveSizes{
		Nodes: 60, Channels: 200, Least: 10, Interval: time.Minute, Every: 2 * time.Minute, Subscribe: time.Minute,
		Settle: 5 * time.Minute, Calm: 15 * time.Minute, Part: 5 * time.Minute, Killed: 6, Stopped: 6, Leaving: 12,
	},

	Words:  wording.SpiderCastLive,
	Expect: expectSpiderCastLive,
	Memory: func(s routerLiveSizes) uint64 { return uint64(s.Nodes) * (50 << 20) },
	Run:    runSpiderCastLive,
}

func expectSpiderCastLive(routerLiveSizes) []lab.Expected {
	return expectRouterLive(
		lab.Expected{Name: "live.over_links", Unit: "updates that came over links", Within: lab.AtLeast(1)},
		lab.Expected{Name: "live.over_links_twice", Unit: "of these", Aside: true},
		lab.Expected{Name: "live.noise_over_links", Within: lab.Exactly(0)},
	)
}

func runSpiderCastLive(run *lab.Run, s routerLiveSizes) error {
	log := newSpiderLog()
	_, err := runRouterLive(run, s, routerSetup{router: network.SpiderCast}, log)
	if err == nil {
		log.give(run)
	}
	return err
}

// spiderLog judges what comes over links. It may be written to in several goroutines.
type spiderLog struct {
	mu        sync.Mutex
	joined    map[seatOf]bool          // whether anything has come since
	left      map[seatOf]time.Duration // when
	published map[seatOf]time.Duration // when last
	topics    map[engine.ID]bool       // of which anything has come

	came, repeated, noise int
}

func newSpiderLog() *spiderLog {
	return &spiderLog{
		joined: make(map[seatOf]bool), left: make(map[seatOf]time.Duration), published: make(map[seatOf]time.Duration),
		topics: make(map[engine.ID]bool),
	}
}

// spiderLately is for how long what was sent to a node before it left may come.
const spiderLately = 30 * time.Second

// add forgets what a node followed that starts anew: it tells again.
func (l *spiderLog) add(d routerDeed) {
	if d.what != boots {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for seat := range l.joined {
		if seat.node == d.node {
			delete(l.joined, seat)
		}
	}
}

func (l *spiderLog) hear(at time.Duration, node int, event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := event.(type) {
	case corona.Carried:
		seat := seatOf{node, e.Channel}
		if e.Router == network.Direct {
			delete(l.joined, seat)
			l.left[seat] = at
		} else if _, in := l.joined[seat]; !in {
			l.joined[seat] = false
		}
	case spread.Published:
		seat := seatOf{node, e.Topic}
		if l.published[seat] = at; !l.joined[seat] {
			if _, in := l.joined[seat]; in {
				l.joined[seat] = true
			}
		}
	case spread.Came:
		l.came++
		l.arrived(at, seatOf{node, e.Topic})
	case spread.Repeated:
		l.repeated++
		l.arrived(at, seatOf{node, e.Topic})
	}
}

// arrived judges whether an update was wanted.
func (l *spiderLog) arrived(at time.Duration, seat seatOf) {
	l.topics[seat.topic] = true
	if _, in := l.joined[seat]; in {
		l.joined[seat] = true
		return
	}
	left, was := l.left[seat]
	published, has := l.published[seat]
	if (!was || at > left+spiderLately) && (!has || at > published+spidercast.Publishing+spiderLately) {
		l.noise++
	}
}

// settled reports whether something has come to all who follow topics, and of so many topics.
func (l *spiderLog) settled(channels int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, came := range l.joined {
		if !came {
			return false
		}
	}
	return len(l.topics) >= channels
}

func (l *spiderLog) give(run *lab.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	run.Figure("live.over_links", float64(l.came))
	run.Figure("live.over_links_twice", share(float64(l.repeated), float64(l.came)))
	run.Figure("live.noise_over_links", float64(l.noise))
}
