package routers

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/stats"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/routers/spidercast"
	"tidings/network/routers/spidercast/spread"
)

// SpiderCast has whole nodes carry updates over SpiderCast's links.
var SpiderCast = wording.Of("spidercast-live", lab.Experiment[sizes]{
	Live:   true,
	Expect: func(sizes) []lab.Expected { return spiderFigures().Expected() },
	Memory: sizes.memory,
	Run:    runSpiderCast,
})

func spiderFigures() lab.Figures[*routerNet] {
	var f lab.Figures[*spiderLog]
	f.Judge("over_links", "updates that came over links", lab.AtLeast(1),
		func(l *spiderLog) float64 { return float64(l.came) })
	f.Report("over_links_twice", "of these",
		func(l *spiderLog) float64 { return stats.Share(float64(l.repeated), float64(l.came)) })
	f.Judge("noise_over_links", "", lab.Exactly(0), func(l *spiderLog) float64 { return float64(l.noise) })
	var own lab.Figures[*routerNet]
	lab.Part(&own, "live.", func(n *routerNet) *spiderLog { return n.log.(*spiderLog) }, f)
	return figures(own)
}

func runSpiderCast(run *lab.Run, s sizes) error {
	log := &spiderLog{seats: seats{has: make(map[seat]bool)}, left: make(map[seat]time.Duration),
		published: make(map[seat]time.Duration)}
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

func (l *spiderLog) observe(at time.Duration, node int, event any) {
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
func (l *spiderLog) judge(at time.Duration, pair seat) {
	if l.arrived(pair) {
		return
	}
	left, was := l.left[pair]
	published, has := l.published[pair]
	if (!was || at > left+spiderLately) && (!has || at > published+spidercast.Publishing+spiderLately) {
		l.noise++
	}
}
