package routers

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network"
)

// Rappel holds whole nodes against simulated ones.
var Rappel = wording.Of("rappel-live", lab.Experiment[sizes]{
	Live:   true,
	Expect: func(s sizes) []lab.Expected { return rappelFigures(s).Expected() },
	Memory: sizes.memory,
	Run:    runRappel,
})

// sizes are the parameters of Rappel, and of the other routers.
type sizes struct {
	Nodes     int           `json:"nodes"`
	Channels  int           `json:"channels"`
	Least     int           `json:"least"` // channels that a node follows at least
	Interval  time.Duration `json:"interval_ns"`
	Every     time.Duration `json:"every_ns"`     // how often each channel changes
	Subscribe time.Duration `json:"subscribe_ns"` // in which all nodes subscribe
	Settle    time.Duration `json:"settle_ns"`    // from when all are in their trees until what is measured
	Calm      time.Duration `json:"calm_ns"`      // with changes, and without trouble
	Part      time.Duration `json:"part_ns"`      // each of the three parts of the time with trouble
	Killed    int           `json:"killed"`
	Stopped   int           `json:"stopped"`
	Leaving   int           `json:"leaving"` // half of what they follow
	Twins     int           `json:"twins"`   // simulated runs
}

// full reports whether a run is so long that its latencies can be expected.
func (s sizes) full() bool { return s.Nodes >= 60 }

// likeness is by what share a live latency may differ from the simulated one.
const likeness = 0.15

func (s sizes) memory() uint64 { return uint64(s.Nodes) * (50 << 20) }

// rappelResults are what trees have brought, live and simulated, and what the streams of live nodes have delivered.
type rappelResults struct {
	*routerNet
	here, there rappelVerdict
}

func rappelFigures(s sizes) lab.Figures[*rappelResults] {
	var f lab.Figures[*rappelResults]
	quantile := func(name string, q float64, of func(r *rappelResults) []float64) {
		f.Report(name+"_seconds", "s", func(r *rappelResults) float64 { return stats.Quantile(of(r), q) })
	}
	here, there := func(r *rappelResults) []float64 { return r.here.calm },
		func(r *rappelResults) []float64 { return r.there.calm }
	late := func(r *rappelResults) []float64 { return r.late }
	count := func(name string, within lab.Bounds, of func(r *rappelResults) int) {
		f.Judge(name, "", within, func(r *rappelResults) float64 { return float64(of(r)) })
	}
	for _, of := range []struct {
		name string
		q    float64
	}{{"median", 0.5}, {"p95", 0.95}} {
		f.Judge("live.latency_ratio."+of.name, "of simulated", lab.Near(1, likeness), func(r *rappelResults) float64 {
			return stats.Share(stats.Quantile(here(r), of.q), stats.Quantile(there(r), of.q))
		})
	}
	f.Aside(func(lab.Expected) bool { return !s.full() })
	quantile("live.latency_median", 0.5, here)
	quantile("live.latency_p95", 0.95, here)
	quantile("simulated.latency_median", 0.5, there)
	quantile("simulated.latency_p95", 0.95, there)
	quantile("live.machine_late_median", 0.5, late)
	quantile("live.machine_late_p95", 0.95, late)
	quantile("live.trouble_p95", 0.95, func(r *rappelResults) []float64 { return r.here.trouble })
	quantile("simulated.trouble_p95", 0.95, func(r *rappelResults) []float64 { return r.there.trouble })
	count("live.deliveries", lab.AtLeast(1), func(r *rappelResults) int { return r.here.due })
	count("live.due", lab.AtLeast(1), func(r *rappelResults) int { return r.tally.Due })
	count("live.lost", lab.Exactly(0), func(r *rappelResults) int { return r.here.lost + r.tally.Lost })
	count("live.twice", lab.Exactly(0), func(r *rappelResults) int { return r.here.twice + r.tally.Twice })
	count("live.noise", lab.Exactly(0), func(r *rappelResults) int { return r.here.noise + r.tally.Noise })
	count("live.returned_due", lab.AtLeast(1), func(r *rappelResults) int { due, _ := r.returned(); return due })
	count("live.returned_lost", lab.Exactly(0), func(r *rappelResults) int { _, lost := r.returned(); return lost })
	count("simulated.lost", lab.Exactly(0), func(r *rappelResults) int { return r.there.lost })
	count("simulated.twice", lab.Exactly(0), func(r *rappelResults) int { return r.there.twice })
	count("simulated.noise", lab.Exactly(0), func(r *rappelResults) int { return r.there.noise })
	count("live.node_errors", lab.Exactly(0), func(r *rappelResults) int { return r.Failures().Count })
	return f.OfMachine()
}

func runRappel(run *lab.Run, s sizes) error {
	log := new(rappelLog)
	var deeds []deed
	n := measure(run, s, routerSetup{router: network.Rappel, ends: func() { deeds = log.deeds() }}, log)
	r := &rappelResults{routerNet: n, here: judgeRappel(deeds, n.parts)}
	run.Stage("simulating the same", 0.1)
	for i := range s.Twins {
		repeated := runTwin(run, run.Seed()+uint64(i), n.latency, n.ids, deeds, n.parts.over)
		r.there.add(judgeRappel(repeated, n.parts))
		run.Part(i+1, s.Twins)
	}
	rappelFigures(s).Give(run, r)
	run.Plot(wording.Plots("rappel-live", s)("rappel-live-latency").With(
		plot.CDF("live", stats.Thinned(r.here.calm)), plot.CDF("simulated", stats.Thinned(r.there.calm)),
		plot.CDF("live, in trouble", stats.Thinned(r.here.trouble)),
		plot.CDF("simulated, in trouble", stats.Thinned(r.there.trouble))))
	return nil
}

// returned returns how many updates were due to nodes that had come back, and how many of these they have not
// delivered.
func (n *routerNet) returned() (due, lost int) {
	for i := range n.work.Channels {
		for verdict := range n.Verdicts(i, n.Facts(i), rules) {
			if span := verdict.Node.Up; len(span) > 1 && verdict.From == span[len(span)-1].From {
				due++
				if len(verdict.Notified) == 0 {
					lost++
				}
			}
		}
	}
	return due, lost
}
