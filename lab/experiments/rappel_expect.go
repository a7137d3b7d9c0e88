package experiments

import (
	"fmt"
	"slices"

	"tidings/lab"
)

// rappelFigure is a figure, how it is measured, and what it should be.
type rappelFigure struct {
	lab.Expected
	measure func(r *rappelResults) float64
	rule    bool // it holds at every scale
}

// expectRappel returns what is expected. Shares of what is lost, repeated or noise are promises, and hold in the smallest world; all
// else needs worlds that are large enough to mean something.
func expectRappel(s rappelSizes) (all []lab.Expected) {
	for _, f := range rappelFigures(s) {
		e := f.Expected
		if !s.full() && !f.rule {
			e.Aside, e.Within = true, lab.Bounds{}
		}
		all = append(all, e)
	}
	return all
}

// give hands the figures over.
func (r *rappelResults) give(run *lab.Run, s rappelSizes) {
	for _, f := range rappelFigures(s) {
		run.Figure(f.Name, f.measure(r))
	}
}

// deliveries returns what was delivered in all worlds of a feed or more, and how many updates came twice or where they were not wanted.
func (r *rappelResults) deliveries() (lost, twice, noise int) {
	add := func(d delivery, again, noises int) {
		lost += d.lost
		twice += again
		noise += noises
	}
	add(r.half.all, r.half.twice, r.half.noise)
	add(r.flat.all, r.flat.twice, r.flat.noise)
	add(r.still.delivery, r.still.twice, r.still.noise)
	add(r.twice.delivery, r.twice.twice, r.twice.noise)
	for _, c := range slices.Concat([]churnedFeed{r.churned, r.tor}, r.trades[:], r.fanOuts[:]) {
		add(c.all, c.twice, c.noise)
	}
	for _, b := range slices.Concat(r.friends[:], r.recorded[:], r.grown, r.channels) {
		add(b.delivery, b.twice, b.noise)
	}
	for _, c := range r.contests {
		lost += c.ourLost
		noise += c.noise
	}
	return lost, twice, noise
}

func rappelFigures(s rappelSizes) (all []rappelFigure) {
	type results = *rappelResults
	var last *rappelFigure
	judged := func(name, unit string, within lab.Bounds, measure func(r results) float64) *rappelFigure {
		e := lab.Expected{Name: name, Unit: unit, Within: within, Aside: within == (lab.Bounds{})}
		all = append(all, rappelFigure{Expected: e, measure: measure})
		last = &all[len(all)-1]
		return last
	}
	paper := func(x float64) { last.Paper = &x }
	aside := func(name, unit string, measure func(r results) float64) { judged(name, unit, lab.Bounds{}, measure) }
	promise := func(name string, x float64, measure func(r results) float64) {
		f := judged(name, "", lab.Exactly(x), measure)
		f.Worst, f.rule = true, true
	}

	// What holds in every world.
	promise("noise.messages", 0, func(r results) float64 { _, _, noise := r.deliveries(); return float64(noise) })
	paper(0)
	promise("delivery.lost", 0, func(r results) float64 { lost, _, _ := r.deliveries(); return float64(lost) })
	promise("delivery.twice", 0, func(r results) float64 { _, twice, _ := r.deliveries(); return float64(twice) })
	promise("fairness.noise_free_share", 1, func(r results) float64 {
		return 1 - share(float64(r.friends[0].noisy), float64(s.Readers+s.Feeds))
	})
	paper(1)

	// Figure 7.
	judged("half.latency_median_seconds", "s", lab.AtMost(0.3), func(r results) float64 { return quantile(r.half.calm.seconds, 0.5) })
	paper(0.1)
	judged("half.latency_p95_seconds", "s", lab.AtMost(0.75), func(r results) float64 { return quantile(r.half.calm.seconds, 0.95) })
	paper(0.5)
	aside("half.latency_p95_seconds_all_the_time", "s", func(r results) float64 { return quantile(r.half.all.seconds, 0.95) })
	judged("stretch.measured_median", "of direct", lab.AtMost(4), func(r results) float64 { return quantile(r.half.calm.stretch, 0.5) })
	paper(2)
	// The paper's coordinates have no heights, so the aim is for those; ours have, and each node on a way adds its own twice.
	judged("stretch.coordinates_median", "of direct", lab.AtMost(1.15), func(r results) float64 { return quantile(r.flat.calm.ways, 0.5) })
	paper(1.15)
	judged("stretch.coordinates_p95", "of direct", lab.AtMost(1.5), func(r results) float64 { return quantile(r.flat.calm.ways, 0.95) })
	paper(1.25)
	aside("stretch.with_heights_median", "of direct", func(r results) float64 { return quantile(r.half.calm.ways, 0.5) })
	aside("stretch.with_heights_p95", "of direct", func(r results) float64 { return quantile(r.half.calm.ways, 0.95) })
	aside("flat.latency_median_seconds", "s", func(r results) float64 { return quantile(r.flat.calm.seconds, 0.5) })
	aside("flat.latency_p95_seconds", "s", func(r results) float64 { return quantile(r.flat.calm.seconds, 0.95) })
	aside("coordinates.error_median", "of the round trip", func(r results) float64 { return quantile(slices.Sorted(slices.Values(r.off)), 0.5) })
	aside("coordinates.flat_error_median", "of the round trip", func(r results) float64 { return quantile(slices.Sorted(slices.Values(r.offFlat)), 0.5) })

	// Figure 8.
	large := fmt.Sprintf("large_%d.", s.Large)
	aside(large+"stretch.coordinates_median", "of direct", func(r results) float64 { return quantile(r.still.ways, 0.5) })
	aside(large+"height_most", "", func(r results) float64 { return float64(r.still.deepest) })
	aside(large+"latency_median_seconds", "s", func(r results) float64 { return quantile(r.still.seconds, 0.5) })
	judged("churn.latency_p95_seconds", "s", lab.AtMost(1), func(r results) float64 { return quantile(r.churned.all.seconds, 0.95) })
	judged("churn.latency_worst_seconds", "s", lab.AtMost(15), func(r results) float64 { return quantile(r.churned.all.seconds, 1) })
	paper(45)
	judged("churn.within_1s", "", lab.AtLeast(0.85), func(r results) float64 {
		return outcome{due: r.churned.all.due, delays: r.churned.all.seconds}.share(1e9)
	})
	paper(0.85)
	judged("churn.slower_median_seconds", "s", lab.AtMost(0.25), func(r results) float64 {
		return quantile(r.churned.all.seconds, 0.5) - quantile(r.still.seconds, 0.5)
	})
	paper(0.164)
	aside("churn.observers_p95_seconds", "s", func(r results) float64 { return quantile(r.churned.observed.seconds, 0.95) })
	aside("churn.observers_worst_seconds", "s", func(r results) float64 { return quantile(r.churned.observed.seconds, 1) })
	aside("churn.p99_seconds", "s", func(r results) float64 { return quantile(r.churned.all.seconds, 0.99) })
	aside("churn.p999_seconds", "s", func(r results) float64 { return quantile(r.churned.all.seconds, 0.999) })
	aside("churn.pulled", "of deliveries", func(r results) float64 { return share(float64(r.churned.all.pulled), float64(r.churned.all.due)) })
	aside("churn.left_hourly", "of nodes", func(r results) float64 { return r.churned.left })
	paper(0.25)
	aside("tor.latency_p95_seconds", "s", func(r results) float64 { return quantile(r.tor.all.seconds, 0.95) })
	aside("tor.latency_worst_seconds", "s", func(r results) float64 { return quantile(r.tor.all.seconds, 1) })
	for i, children := range fanOuts {
		beta := fmt.Sprintf("beta%d.", children)
		aside(beta+"latency_median_seconds", "s", func(r results) float64 { return quantile(r.fanOuts[i].all.seconds, 0.5) })
		aside(beta+"latency_p95_seconds", "s", func(r results) float64 { return quantile(r.fanOuts[i].all.seconds, 0.95) })
	}
	for i, t := range feedTrades {
		aside("trade."+t.name+".p99_seconds", "s", func(r results) float64 { return quantile(r.trades[i].all.seconds, 0.99) })
		aside("trade."+t.name+".worst_seconds", "s", func(r results) float64 { return quantile(r.trades[i].all.seconds, 1) })
		aside("trade."+t.name+".messages_per_second", "", func(r results) float64 { return mean(r.trades[i].messages) })
	}
	judged("trade.messages_of_paper", "of the paper's way", lab.AtMost(1.1), func(r results) float64 {
		return share(mean(r.trades[1].messages), mean(r.trades[0].messages))
	})

	// Figure 9.
	judged("coverage.all_feeds", "of readers", lab.AtLeast(0.91), func(r results) float64 { return above(r.friends[0].coverage(1), 1) })
	paper(0.91)
	for i, rule := range friendRules {
		aside("coverage."+rule.name+".all_feeds_of_several", "of readers", func(r results) float64 { return above(r.friends[i].coverage(2), 1) })
		if rule.name == "alpha4" {
			paper(0.73)
		}
		aside("overlap."+rule.name+".above_1_of_several", "of readers", func(r results) float64 {
			return above(r.friends[i].overlaps(2), 1.0001)
		})
		if rule.name == "both" {
			last.Within, last.Aside = lab.AtLeast(0.7), false
			paper(0.8)
		}
	}
	if interestsAtHand() { // figures of the machine, as others do not have what was recorded
		for i, rec := range recordedInterests {
			aside("recorded."+rec.name+".all_feeds", "of readers", func(r results) float64 { return above(r.recorded[i].coverage(1), 1) })
			last.OfMachine = true
			aside("recorded."+rec.name+".all_feeds_of_several", "of readers", func(r results) float64 { return above(r.recorded[i].coverage(2), 1) })
			last.OfMachine = true
			aside("recorded."+rec.name+".overlap_above_1_of_several", "of readers", func(r results) float64 {
				return above(r.recorded[i].overlaps(2), 1.0001)
			})
			last.OfMachine = true
		}
	}
	judged("subscriptions.covered_by_six_best", "of readers", lab.Between(0.9, 1), func(r results) float64 { return r.covered })
	paper(0.95)

	// Figure 10.
	judged("scribe.median_ratio", "of Scribe", lab.AtMost(1.3), func(r results) float64 {
		return share(quantile(r.contests[1].ours, 0.5), quantile(r.contests[1].scribes, 0.5))
	})
	aside("scribe.median_ratio_without_outsiders", "of Scribe", func(r results) float64 {
		return share(quantile(r.contests[0].ours, 0.5), quantile(r.contests[0].scribes, 0.5))
	})
	aside("scribe.latency_median_seconds", "s", func(r results) float64 { return quantile(r.contests[1].scribes, 0.5) })
	aside("scribe.outsiders", "nodes", func(r results) float64 { return float64(r.contests[1].outsiders) })
	paper(40)
	aside("scribe.noise_free_share", "of nodes", func(r results) float64 { return 1 - r.imbalance.noisy })
	judged("fairness.most_messages_per_feed", "", lab.AtMost(8), func(r results) float64 { return most(r.friends[0].wanted, r.friends[0].data) })
	paper(6)
	aside("scribe.most_messages_per_feed", "", func(r results) float64 { return most(r.imbalance.wanted, r.imbalance.data) })
	judged("fairness.correlation", "", lab.AtLeast(0.6), func(r results) float64 { return correlation(r.friends[0].wanted, r.friends[0].data) })
	aside("scribe.correlation", "", func(r results) float64 { return correlation(r.imbalance.wanted, r.imbalance.data) })

	// Figure 11.
	judged("control.median_bytes_per_second", "B/s", lab.AtMost(100), func(r results) float64 { return quantile(r.churned.bytes, 0.5) })
	paper(100)
	aside("control.sent_and_received_bytes_per_second", "B/s", func(r results) float64 { return quantile(r.churned.bothBytes, 0.5) })
	judged("control.median_messages_per_second", "", lab.AtMost(2), func(r results) float64 { return quantile(r.churned.messages, 0.5) })
	paper(2)
	judged("control.messages_per_feed", "messages/s", lab.AtMost(0.4), func(r results) float64 { return slope(r.friends[0].wanted, r.friends[0].messages) })
	paper(0.4)
	judged("rejoins.at_root_of_twice_the_readers", "of those of half as many", lab.AtMost(2), func(r results) float64 {
		return share(r.twice.rejoins[0].Y, r.still.rejoins[0].Y)
	})
	return all
}
