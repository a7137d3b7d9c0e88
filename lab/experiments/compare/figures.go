package compare

import (
	"slices"

	"tidings/lab"
	"tidings/lab/stats"
)

// figures are those of a run. Routers promise that nothing is lost, or delivered twice, once the trouble is over. Some
// promise that no node is sent what it does not follow. Yardsticks are reported.
func (s sizes) figures() (f lab.Figures[results]) {
	for _, r := range s.rows() {
		for _, c := range s.systems() {
			lab.Part(&f, key(c, r), func(all results) *outcome { return all.of[key(c, r)] }, c.figures(r))
		}
	}
	for _, r := range s.quiet() {
		for _, as := range manners {
			key := as.name + "." + r.name
			lab.Part(&f, key, func(all results) *polled { return all.polled[key] }, pollingFigures())
		}
		if len(s.systems()) > 0 {
			first := key(s.systems()[0], r) // the guesses are the same beside all
			f.Report("popularity."+r.name+".observer_right", "",
				func(all results) float64 { return all.of[first].found.guessed })
		}
	}
	return slices.Concat(f, s.growthFigures(), s.scaleFigures())
}

// promise adds a figure that is exactly x, if it is promised.
func promise(f *lab.Figures[*outcome], is bool, name, unit string, of func(o *outcome) float64) {
	if is {
		f.Promise(name, unit, lab.Exactly(0), of)
	} else {
		f.Report(name, unit, of)
	}
}

func (c *contestant) figures(r row) (f lab.Figures[*outcome]) {
	promise(&f, !c.yardstick && !r.misbehaves(), ".lost", "", func(o *outcome) float64 { return float64(o.lost) })
	promise(&f, !c.yardstick, ".twice", "", func(o *outcome) float64 { return float64(o.twice) })
	if r.liars > 0 {
		promise(&f, !c.yardstick, ".believed", "", func(o *outcome) float64 { return float64(o.believed) })
		f.Report(".forged", "", func(o *outcome) float64 { return float64(o.forged) })
	}
	promise(&f, c.noiseless, ".noise", "", func(o *outcome) float64 { return float64(o.noise) })
	f.Report(".delivered", "", (*outcome).delivered)
	f.Report(".noise_share", "", func(o *outcome) float64 { return stats.Share(float64(o.noise), float64(o.came)) })
	f.Report(".duplicates", "", func(o *outcome) float64 { return stats.Share(float64(o.repeated), float64(o.came)) })
	quantile(&f, ".latency_median_seconds", "s", 0.5, func(o *outcome) []float64 { return o.delays })
	quantile(&f, ".latency_p95_seconds", "s", 0.95, func(o *outcome) []float64 { return o.delays })
	quantile(&f, ".latency_p999_seconds", "s", 0.999, func(o *outcome) []float64 { return o.delays })
	quantile(&f, ".stretch_median", "", 0.5, func(o *outcome) []float64 { return o.stretch })
	f.Report(".stretch_mean", "", func(o *outcome) float64 { return o.stretchMean })
	quantile(&f, ".data_median_bytes", "B/s", 0.5, func(o *outcome) []float64 { return o.data })
	quantile(&f, ".data_p99_bytes", "B/s", 0.99, func(o *outcome) []float64 { return o.data })
	quantile(&f, ".control_median_bytes", "B/s", 0.5, func(o *outcome) []float64 { return o.control })
	quantile(&f, ".control_p99_bytes", "B/s", 0.99, func(o *outcome) []float64 { return o.control })
	f.Report(".gini", "", (*outcome).unfair)
	f.Report(".entry_copies", "", func(o *outcome) float64 { return stats.Mean(o.entry) })
	f.Report(".busiest_copies", "", func(o *outcome) float64 { return o.busiest })
	f.Report(".messages_mean", "1/s", func(o *outcome) float64 { return stats.Mean(o.messages) })
	f.Report(".links_mean", "", func(o *outcome) float64 { return stats.Mean(o.links) })
	quantile(&f, ".links_p99", "", 0.99, func(o *outcome) []float64 { return o.links })
	switch {
	case r.quiet():
		quantile(&f, ".join_median_seconds", "s", 0.5, func(o *outcome) []float64 { return o.joins })
		quantile(&f, ".join_most_seconds", "s", 1, func(o *outcome) []float64 { return o.joins })
		quantile(&f, ".state_median_bytes", "B", 0.5, func(o *outcome) []float64 { return o.state })
		quantile(&f, ".state_most_bytes", "B", 1, func(o *outcome) []float64 { return o.state })
		f.Report(".processor_seconds", "s", func(o *outcome) float64 { return o.processor }).OfMachine = true
		f.Report(".observer_right", "", func(o *outcome) float64 { return o.found.right })
		f.Report(".observer_seen", "", func(o *outcome) float64 { return o.found.seen })
		f.Report(".observer_mistaken", "", func(o *outcome) float64 { return o.found.mistaken })
		f.Report(".joins_failed", "", func(o *outcome) float64 { return float64(o.joinsFailed) })
	default:
		f.Report(".lost_in_trouble", "", func(o *outcome) float64 { return float64(o.troubledLost) })
		if r.crash > 0 {
			f.Report(".heal_seconds", "s", func(o *outcome) float64 { return o.heal })
		}
	}
	return f
}

func quantile(f *lab.Figures[*outcome], name, unit string, q float64, of func(o *outcome) []float64) {
	f.Report(name, unit, func(o *outcome) float64 { return stats.QuantileOf(of(o), q) })
}
