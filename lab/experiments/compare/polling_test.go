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
	sites := testnet.Locate(1, testnet.PlanetLab(1), s.nodes, false)
	p := poll(work, 1, sites, manners[0])
	if mean := stats.Mean(p.delays) / pollEvery.Seconds(); math.Abs(mean-0.5) > 0.1 {
		t.Errorf("events wait for %v of the interval on average", mean)
	}
	if last := stats.Quantile(p.delays, 1); last > pollEvery.Seconds()+1 || p.delays[0] <= 0 {
		t.Errorf("events come after %v to %v s", p.delays[0], last)
	}
}

// Followers that poll in turns have an event after half of the time between two turns on average.
func TestPollingInTurns(t *testing.T) {
	s := small.size
	s.events, s.topics, s.follows = 200, 1, 1
	work := newWorkload(1, zipf05, s, trial{}, small.times)
	sites := testnet.Locate(1, testnet.PlanetLab(1), s.nodes, false)
	p := poll(work, 1, sites, manners[1])
	turn := pollEvery.Seconds() / float64(len(work.interests.Followers[0]))
	if mean := stats.Mean(p.delays) / turn; math.Abs(mean-0.5) > 0.1 {
		t.Errorf("events wait for %v of a turn on average", mean)
	}
	if last := stats.Quantile(p.delays, 1); last > turn+2 || p.delays[0] <= 0 {
		t.Errorf("events come after %v to %v s, where turns are %v s", p.delays[0], last, turn)
	}
	if alone := poll(work, 1, sites, manners[0]); alone.busiest != p.busiest {
		t.Errorf("%v polls a second in turns, %v alone", p.busiest, alone.busiest)
	}
}
