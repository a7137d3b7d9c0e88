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

// polled is when events come to followers that poll the origin. It is computed: no message is sent.
type polled struct {
	delays  []float64 // seconds, ascending
	stretch []float64 // over direct sends; ascending
	busiest float64   // polls a second of the topic with most followers
}

// manner is how followers poll.
type manner struct {
	name string
	// shared says that followers of a topic poll in turns, each as rarely as alone. The one that finds an event sends
	// it to all others. It is Corona's polling with as many polls as the followers would need by themselves, without
	// the delays of a plan, of votes and of a router.
	shared bool
}

var manners = []manner{{"polling", false}, {"cooperative", true}}

// poll returns when the events of a workload come to followers that poll, each once an interval. The origin is where
// the node is at which the topic's events enter.
func poll(work *workload, seed uint64, sites testnet.Sites, as manner) *polled {
	chance, p := rand.New(rand.NewPCG(seed, 0xc3)), new(polled)
	for t, followers := range work.interests.Followers {
		origin := work.closest(t, func(sim.Node) bool { return true })
		p.busiest = max(p.busiest, float64(len(followers))/pollEvery.Seconds())
		turns := drawTurns(chance, len(followers), as)
		for _, e := range work.events {
			if e.topic != int32(t) || e.part != calm {
				continue
			}
			first, found := nextTurn(turns, e.at)
			for i, n := range followers {
				n := sim.Node(n)
				if n == origin {
					continue
				}
				straight := sites.Between(nil, origin, n)
				delay := (turns[i]-e.at%pollEvery+pollEvery)%pollEvery + straight
				if as.shared {
					finder := sim.Node(followers[first])
					delay = found + sites.Between(nil, origin, finder)
					if finder != n {
						delay += sites.Between(nil, finder, n)
					}
				}
				p.delays = append(p.delays, delay.Seconds())
				p.stretch = append(p.stretch, stats.Share(delay.Seconds(), straight.Seconds()))
			}
		}
	}
	slices.Sort(p.delays)
	slices.Sort(p.stretch)
	return p
}

// drawTurns returns when in the interval each of so many followers polls.
func drawTurns(chance *rand.Rand, followers int, as manner) []time.Duration {
	turns := make([]time.Duration, followers)
	for i := range turns {
		turns[i] = time.Duration(chance.Int64N(int64(pollEvery)))
		if as.shared {
			turns[i] = (turns[0] + pollEvery*time.Duration(i)/time.Duration(followers)) % pollEvery
		}
	}
	return turns
}

// nextTurn returns whose turn is the first after a time, and how long after it.
func nextTurn(turns []time.Duration, at time.Duration) (first int, after time.Duration) {
	after = pollEvery
	for i, turn := range turns {
		if wait := (turn - at%pollEvery + pollEvery) % pollEvery; wait < after {
			first, after = i, wait
		}
	}
	return first, after
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
