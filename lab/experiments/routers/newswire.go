package routers

import (
	"errors"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/stats"
	"tidings/network/corona"
	"tidings/network/routers/newswire"
)

// NewsWire has whole nodes carry updates down NewsWire's zones.
var NewsWire = wording.Of("newswire-live", lab.Experiment[sizes]{
	Live:   true,
	Expect: func(sizes) []lab.Expected { return newswireFigures().Expected() },
	Memory: SpiderCast.Memory,
	Run:    runNewsWire,
})

func newswireFigures() lab.Figures[*routerNet] {
	own := zoneFigures()
	var f lab.Figures[*newswireLog]
	f.Judge("down_zones", "updates and items", lab.AtLeast(1), func(l *newswireLog) float64 { return float64(l.came) })
	f.Report("recovered", "of these", func(l *newswireLog) float64 { return float64(l.recovered) })
	f.Report("unwanted", "of what came",
		func(l *newswireLog) float64 { return stats.Share(float64(l.unwanted), float64(l.came+l.unwanted)) })
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

func (l *newswireLog) observe(_ time.Duration, node int, event any) {
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
