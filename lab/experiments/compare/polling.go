package compare

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network/sim"
)

// pollEvery is how often a reader polls a channel that polls by itself: the interval that is usual.
const pollEvery = 30 * time.Minute

// polled is when events come to followers that poll the origin, each by itself. It is computed: no message is sent.
type polled struct {
	delays  []float64 // seconds, ascending
	stretch []float64 // over direct sends; ascending
	busiest float64   // polls a second of the topic with most followers
}

// poll returns when the events of a workload come to followers that poll once an interval, each at a time of its own.
// The origin is where the node is at which the topic's events enter.
func poll(work *workload, seed uint64, sites testnet.Sites) *polled {
	chance, p := rand.New(rand.NewPCG(seed, 0xc3)), new(polled)
	for t, followers := range work.interests.Followers {
		origin := work.closest(t, func(sim.Node) bool { return true })
		p.busiest = max(p.busiest, float64(len(followers))/pollEvery.Seconds())
		for _, n := range followers {
			first := time.Duration(chance.Int64N(int64(pollEvery)))
			for _, e := range work.events {
				if n := sim.Node(n); e.topic == int32(t) && e.part == calm && n != origin {
					wait := (first - e.at%pollEvery + pollEvery) % pollEvery
					straight := sites.Between(nil, origin, n)
					p.delays = append(p.delays, (wait + straight).Seconds())
					p.stretch = append(p.stretch, stats.Share((wait+straight).Seconds(), straight.Seconds()))
				}
			}
		}
	}
	slices.Sort(p.delays)
	slices.Sort(p.stretch)
	return p
}

func pollingFigures() (f lab.Figures[*polled]) {
	for _, q := range []struct {
		name  string
		share float64
	}{{".latency_median_seconds", 0.5}, {".latency_p95_seconds", 0.95}, {".latency_p999_seconds", 0.999}} {
		f.Report(q.name, "s", func(p *polled) float64 { return stats.Quantile(p.delays, q.share) })
	}
	f.Report(".stretch_median", "", func(p *polled) float64 { return stats.Quantile(p.stretch, 0.5) })
	f.Report(".busiest_polls", "1/s", func(p *polled) float64 { return p.busiest })
	return f
}
