package routers

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/stats"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/spidercast"
	"tidings/network/spidercast/spread"
)

// SpiderCast has whole nodes carry updates over SpiderCast's links.
var SpiderCast = lab.Experiment[sizes]{
	Name:   "spidercast-live",
	Title:  "SpiderCast with whole nodes: nothing lost, nothing twice, no noise",
	Source: "Chockler, Melamed, Tock and Vitenberg, DEBS 2007, has no live network; our own aims",
	About: "Whole nodes, each with its store, scheduler and interfaces, form a ring over libp2p on loopback. Their transport holds each message back for " +
		"half of a round trip between two sites of PlanetLab. They follow feeds, whose subscriptions are made by word of mouth, and poll them together; " +
		"SpiderCast's links carry all updates. First feeds change for a time in which nothing else happens; then some nodes leave half of their feeds, some " +
		"stop, and some are killed. All of those come back with the data that they had. Lost is what the stream of a node has not told within two minutes. " +
		"Noise is each update that comes over a link to a node that neither follows the feed, nor did half a minute before, nor publishes its updates, and " +
		"each that a stream tells of a feed that is not followed.",

	Live: true,
	Tiny: sizes{
		Nodes: 5, Channels: 4, Least: 2, Interval: time.Second, Every: 2 * time.Second,
		Calm: 4 * time.Second, Part: 3 * time.Second, Killed: 1, Stopped: 1, Leaving: 1,
	},
	Quick: sizes{
		Nodes: 60, Channels: 200, Least: 10, Interval: time.Minute, Every: 2 * time.Minute, Subscribe: time.Minute,
		Settle: 30 * time.Second, Calm: 2 * time.Minute, Part: time.Minute, Killed: 3, Stopped: 3, Leaving: 6,
	},
	Paper: sizes{
		Nodes: 60, Channels: 200, Least: 10, Interval: time.Minute, Every: 2 * time.Minute, Subscribe: time.Minute,
		Settle: 5 * time.Minute, Calm: 15 * time.Minute, Part: 5 * time.Minute, Killed: 6, Stopped: 6, Leaving: 12,
	},

	Words:  wording.SpiderCastLive,
	Expect: func(sizes) []lab.Expected { return spiderFigures().Expected() },
	Memory: sizes.memory,
	Run:    runSpiderCast,
}

func spiderFigures() lab.Figures[*routerNet] {
	var f lab.Figures[*spiderLog]
	f.Judge("over_links", "updates that came over links", lab.AtLeast(1), func(l *spiderLog) float64 { return float64(l.came) })
	f.Tell("over_links_twice", "of these", func(l *spiderLog) float64 { return stats.Share(float64(l.repeated), float64(l.came)) })
	f.Judge("noise_over_links", "", lab.Exactly(0), func(l *spiderLog) float64 { return float64(l.noise) })
	var own lab.Figures[*routerNet]
	lab.Part(&own, "live.", func(n *routerNet) *spiderLog { return n.log.(*spiderLog) }, f)
	return figures(own)
}

func runSpiderCast(run *lab.Run, s sizes) error {
	log := &spiderLog{seats: seats{has: make(map[seat]bool)}, left: make(map[seat]time.Duration), published: make(map[seat]time.Duration)}
	spiderFigures().Give(run, measure(run, s, routerSetup{router: network.SpiderCast}, log))
	return nil
}

// spiderLog judges what comes over links. It may be written to in several goroutines.
type spiderLog struct {
	seats
	left      map[seat]time.Duration // when
	published map[seat]time.Duration // when last

	came, repeated, noise int
}

// spiderLately is for how long what was sent to a node before it left may come.
const spiderLately = 30 * time.Second

func (l *spiderLog) hear(at time.Duration, node int, event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := event.(type) {
	case corona.Carried:
		if l.carried(node, e) {
			l.left[seat{node, e.Channel}] = at
		}
	case spread.Published:
		l.published[seat{node, e.Topic}] = at
		l.arrived(seat{node, e.Topic})
	case spread.Came:
		l.came++
		l.judge(at, seat{node, e.Topic})
	case spread.Repeated:
		l.repeated++
		l.judge(at, seat{node, e.Topic})
	}
}

// judge judges whether an update was wanted.
func (l *spiderLog) judge(at time.Duration, who seat) {
	if l.arrived(who) {
		return
	}
	left, was := l.left[who]
	published, has := l.published[who]
	if (!was || at > left+spiderLately) && (!has || at > published+spidercast.Publishing+spiderLately) {
		l.noise++
	}
}
