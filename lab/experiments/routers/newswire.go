package routers

import (
	"errors"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/stats"
	"tidings/network/corona"
	"tidings/network/newswire"
)

// NewsWire has whole nodes carry updates down NewsWire's zones.
var NewsWire = lab.Experiment[sizes]{
	Name:   "newswire-live",
	Title:  "NewsWire with whole nodes in eight zones: nothing lost, nothing twice",
	Source: "Vogels, Re, van Renesse and Birman, 2002, has no live network; our own aims",
	About: "Whole nodes, each with its store, scheduler and interfaces, form a ring over libp2p on loopback. Their transport holds each message back for half " +
		"of a round trip between two sites of PlanetLab. Each is in one of eight zones that people have named. They follow feeds, whose subscriptions are made by " +
		"word of mouth, and poll them together; updates come down the zones. First feeds change for a time in which nothing else happens; then some nodes leave " +
		"half of their feeds, some stop, and some are killed: members and those who speak for zones alike. All of those come back with the data that they had. " +
		"Beside that nodes send items to single zones, which some of the members follow, and of which queries of members, and of nodes elsewhere, select some. " +
		"Then a function is installed for a part of the zones, and revoked; and all who speak for some zones are killed at once while items are sent to these. " +
		"Lost is what the stream of a node has not told within two minutes. Noise is an update of a feed that is not followed, and an item that a query does not " +
		"select; outside is what nodes outside of the zone were told that it was sent to. Unwanted is what came to nodes that do not follow it because the filters " +
		"promised too much; it is told to nobody.",

	Live: true,
	Tiny: sizes{
		Nodes: 12, Channels: 2, Least: 1, Interval: time.Second, Every: 2 * time.Second,
		Calm: 4 * time.Second, Part: 3 * time.Second, Leaving: 1,
	},
	Quick: SpiderCast.Quick, Paper: SpiderCast.Paper,

	Words:  wording.NewsWireLive,
	Expect: func(sizes) []lab.Expected { return newswireFigures().Expected() },
	Memory: SpiderCast.Memory,
	Run:    runNewsWire,
}

func newswireFigures() lab.Figures[*routerNet] {
	own := zoneFigures()
	var f lab.Figures[*newswireLog]
	f.Judge("down_zones", "updates and items", lab.AtLeast(1), func(l *newswireLog) float64 { return float64(l.came) })
	f.Tell("recovered", "of these", func(l *newswireLog) float64 { return float64(l.recovered) })
	f.Tell("unwanted", "of what came", func(l *newswireLog) float64 { return stats.Share(float64(l.unwanted), float64(l.came+l.unwanted)) })
	lab.Part(&own, "live.", func(n *routerNet) *newswireLog { return n.log.(*newswireLog) }, f)
	return figures(own)
}

func runNewsWire(run *lab.Run, s sizes) (err error) {
	zones, err := newLiveZones(s)
	run.Must(err)
	defer func() { err = errors.Join(err, zones.close()) }()
	log := &newswireLog{seats: seats{has: make(map[seat]bool)}, zones: zones}
	n := measure(run, s, zones.setup(), log)
	newswireFigures().Give(run, n)
	return nil
}

// newswireLog counts what comes down the zones. It may be written to in several goroutines.
type newswireLog struct {
	seats
	zones *liveZones

	came, recovered, unwanted int
}

func (l *newswireLog) hear(_ time.Duration, node int, event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := event.(type) {
	case corona.Carried:
		l.carried(node, e)
	case newswire.Delivered:
		l.came++
		l.arrived(seat{node, e.Topic})
	case newswire.Recovered:
		l.recovered++
	case newswire.Unwanted:
		l.unwanted++
	}
}
