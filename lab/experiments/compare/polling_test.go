package compare

import (
	"math"
	"testing"

	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
)

// Followers that poll have an event after half of the interval on average, and after all of it at the latest.
func TestPolling(t *testing.T) {
	s := small.size
	s.events = 200
	work := newWorkload(1, zipf05, s, trial{}, small.times)
	p := poll(work, 1, testnet.Locate(1, testnet.PlanetLab(1), s.nodes, false))
	if mean := stats.Mean(p.delays) / pollEvery.Seconds(); math.Abs(mean-0.5) > 0.1 {
		t.Errorf("events wait for %v of the interval on average", mean)
	}
	if last := stats.Quantile(p.delays, 1); last > pollEvery.Seconds()+1 || p.delays[0] <= 0 {
		t.Errorf("events come after %v to %v s", p.delays[0], last)
	}
}
