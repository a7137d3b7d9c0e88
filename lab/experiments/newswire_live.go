package experiments

import (
	"errors"
	"sync"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/newswire"
)

// NewsWireLive has whole nodes carry updates down NewsWire's zones.
var NewsWireLive = lab.Experiment[routerLiveSizes]{
	Name:   "newswire-live",
	Title:  "NewsWire with whole nodes in eight zones: nothing lost, nothing twice",
	Source: "Vogels, Re, van Renesse and Birman, 2002, has no live network; our own aims",
	About: "Whole nodes, each with its store, scheduler and interfaces, form a ring over libp2p on loopback. Their transport holds each " +
		"message back for half of a round trip between two sites of PlanetLab. Each is in one of eight zones that people have named. They follow feeds, whose " +
		"subscriptions are made by word of mouth, and poll them together; updates come down the zones. First feeds change for a time in which " +
		"nothing else happens; then some nodes leave half of their feeds, some stop, and some are killed: members and those who speak for zones alike. All of those come back with the data that " +
		"they had. Beside that nodes send items to single zones, which some of the members follow, and of which queries of members, and of nodes elsewhere, select some. " +
		"Then a function is installed for a part of the zones, and revoked; and all who speak for some zones are killed at once while items are sent to these. Lost is what the stream of a node has not told within two minutes. Noise is an update of a feed that is not followed, and an item that a query does not select; outside is what nodes outside of the zone were told that it was sent to. " +
		"Unwanted is what came to nodes that do not follow it because the filters promised too much; it is told to nobody.",

	Live: true,
	Tiny: routerLiveSizes{
		Nodes: 12, Channels: 2, Least: 1, Interval: time.Second, Every: 2 * time.Second,
		Calm: 4 * time.Second, Part: 3 * time.Second, Leaving: 1,
	},
	Quick: SpiderCastLive.Quick, Paper: SpiderCastLive.Paper,

	Words: wording.NewsWireLive,
	Expect: func(routerLiveSizes) []lab.Expected {
		return expectRouterLive(append(expectLiveZones(),
			lab.Expected{Name: "live.down_zones", Unit: "updates and items", Within: lab.AtLeast(1)},
			lab.Expected{Name: "live.recovered", Unit: "of these", Aside: true},
			lab.Expected{Name: "live.unwanted", Unit: "of what came", Aside: true},
		)...)
	},
	Memory: SpiderCastLive.Memory,
	Run:    runNewsWireLive,
}

func runNewsWireLive(run *lab.Run, s routerLiveSizes) error {
	log := &newswireLog{waiting: make(map[seatOf]bool)}
	zones, err := newLiveZones(s)
	if err != nil {
		return err
	}
	n, err := runRouterLive(run, s, zones.setup(), log)
	if err := errors.Join(err, zones.close()); err != nil {
		return err
	}
	zones.give(run, n)
	log.give(run)
	return nil
}

// newswireLog counts what comes down the zones. It may be written to in several goroutines.
type newswireLog struct {
	mu      sync.Mutex
	waiting map[seatOf]bool // who has been told that the zones bring a channel: whether nothing has come since

	came, recovered, unwanted int
}

// add forgets what a node has had that starts anew: it is told again.
func (l *newswireLog) add(d routerDeed) {
	if d.what != boots {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for seat := range l.waiting {
		if seat.node == d.node {
			delete(l.waiting, seat)
		}
	}
}

func (l *newswireLog) hear(_ time.Duration, node int, event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := event.(type) {
	case corona.Carried:
		seat := seatOf{node, e.Channel}
		if _, in := l.waiting[seat]; e.Router == network.Direct {
			delete(l.waiting, seat)
		} else if !in {
			l.waiting[seat] = true
		}
	case newswire.Delivered:
		l.came++
		if _, in := l.waiting[seatOf{node, e.Topic}]; in {
			l.waiting[seatOf{node, e.Topic}] = false
		}
	case newswire.Recovered:
		l.recovered++
	case newswire.Unwanted:
		l.unwanted++
	}
}

// settled reports whether something has come to all who follow channels, and of so many channels.
func (l *newswireLog) settled(channels int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	came := make(map[string]bool)
	for seat, waiting := range l.waiting {
		if waiting {
			return false
		}
		came[seat.topic.String()] = true
	}
	return len(came) >= channels
}

func (l *newswireLog) give(run *lab.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	run.Figure("live.down_zones", float64(l.came))
	run.Figure("live.recovered", float64(l.recovered))
	run.Figure("live.unwanted", share(float64(l.unwanted), float64(l.came+l.unwanted)))
}
