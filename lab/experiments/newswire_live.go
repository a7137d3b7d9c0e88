package experiments

import (
	"errors"
	"sync"
	"time"

	"tidings/lab"
	"tidings/lab/livenet"
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
		"they had. Lost is what the stream of a node has not told within two minutes. Noise is an update of a feed that is not followed. " +
		"Unwanted is what came to nodes that do not follow it because the filters promised too much; it is told to nobody.",

	Live: true,
	Tiny: SpiderCastLive.Tiny, Quick: SpiderCastLive.Quick, Paper: SpiderCastLive.Paper,

	Expect: func(routerLiveSizes) []lab.Expected {
		all := []lab.Expected{
			{Name: "live.told_median_seconds", Unit: "s", Aside: true},
			{Name: "live.told_p95_seconds", Unit: "s", Aside: true},
			{Name: "live.down_zones", Unit: "updates", Within: lab.AtLeast(1)},
			{Name: "live.recovered", Unit: "updates", Aside: true},
			{Name: "live.unwanted", Unit: "of what came", Aside: true},
			{Name: "live.due", Within: lab.AtLeast(1)},
			{Name: "live.lost", Within: lab.Exactly(0)},
			{Name: "live.twice", Within: lab.Exactly(0)},
			{Name: "live.noise", Within: lab.Exactly(0)},
			{Name: "live.node_errors", Within: lab.Exactly(0)},
		}
		for i := range all {
			all[i].OfMachine = true
		}
		return all
	},
	Memory: SpiderCastLive.Memory,
	Run:    runNewsWireLive,
}

// newswireZones are the zones that nodes are in, by turns.
var newswireZones = []string{"/eu/berlin", "/eu/paris", "/eu/london", "/us/east", "/us/west", "/asia/tokyo", "/asia/delhi", "/africa"}

func runNewsWireLive(run *lab.Run, s routerLiveSizes) error {
	run.Stage("starting the nodes", 0.1)
	log := &newswireLog{waiting: make(map[seatOf]bool)}
	n, err := newRouterNet(run, s, network.NewsWire, log)
	if err != nil {
		return err
	}
	_, err = n.live()
	n.Deafen()
	ends := n.Close()
	if err != nil {
		return errors.Join(err, ends)
	}
	told := n.Tally(livenet.Rules{Grace: treeGrace, First: true})
	run.Figure("live.told_median_seconds", quantile(told.Latencies, 0.5))
	run.Figure("live.told_p95_seconds", quantile(told.Latencies, 0.95))
	run.Figure("live.due", float64(told.Due))
	run.Figure("live.lost", float64(told.Lost))
	run.Figure("live.twice", float64(told.Twice))
	run.Figure("live.noise", float64(told.Noise))
	log.give(run)
	giveFailures(run, "live.node_errors", n.Failures())
	if ends != nil {
		run.Remark("At the end, " + ends.Error()) // what was measured stands all the same
	}
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
