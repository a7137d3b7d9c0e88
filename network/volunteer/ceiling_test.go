package volunteer_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
	"tidings/network/volunteer"
)

// Hostile 44: all nodes together poll a host no more often in any interval than its ceiling says, whatever channels it
// has and whichever nodes follow them. Other hosts are polled as ever.
func TestTheCeilingOfAHost(t *testing.T) {
	const nodes, each = 20, 10
	for _, test := range []struct{ ceiling, most, least int }{
		{0, nodes*(each+1)*2 + 1, nodes * each / 2}, // nobody sees to that
		{60, 60, 20},
		{10, 10, 2}, // fewer than there are nodes: the share of each is a poll now and then
	} {
		t.Run(fmt.Sprint(test.ceiling), func(t *testing.T) {
			simtest.Run(t, 3, func(t *simtest.T) {
				v := newTown(t, nodes, quick(), nil)
				var polls []time.Duration // of channels of the host
				elsewhere := 0
				other := make(map[engine.ID]bool)
				v.Observe(func(at time.Duration, _ sim.Node, event any) {
					e, ok := event.(volunteer.Volunteered)
					switch {
					case ok && other[e.Channel]:
						elsewhere++
					case ok:
						polls = append(polls, at)
					}
				})
				for i, n := range v.nodes {
					v.Do(sim.Node(i), func(engine.Protocol) {
						n.volunteer.SetCeiling(test.ceiling, func() int { return nodes })
						for k := range each { // that nobody else follows, so that nobody else's polls are heard of
							n.volunteer.Follow(engine.IDOf(fmt.Append(nil, "channel", i, k)), host)
						}
						id := engine.IDOf(fmt.Append(nil, "elsewhere", i))
						other[id] = true
						n.volunteer.Follow(id, fmt.Sprint("host-", i, ".example"))
					})
				}
				start := v.Now()
				const intervals = 12
				v.Run(intervals * v.config.Interval)
				worst := 0
				for i := range polls {
					in := 0
					for _, at := range polls[i:] {
						if at < polls[i]+v.config.Interval {
							in++
						}
					}
					worst = max(worst, in)
				}
				mean := float64(len(polls)) * float64(v.config.Interval) / float64(v.Now()-start)
				if worst > test.most || mean < float64(test.least) {
					t.Errorf("%d polls in an interval, %.1f on average", worst, mean)
				}
				// Where a node is alone with a host that has room for a poll of each node, nothing is kept back.
				if most := nodes * intervals; test.ceiling != 10 && (elsewhere < most*8/10 || elsewhere > most*12/10) {
					t.Errorf("%d polls of other hosts, of %d", elsewhere, most)
				}
				t.Logf("at most %d polls in an interval, %.1f on average", worst, mean)
			})
		})
	}
}

// A node knows how many have polled a channel of late.
func TestHowManyPoll(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newTown(t, 6, quick(), nil)
		polled := make(map[sim.Node]time.Duration)
		v.Observe(func(at time.Duration, n sim.Node, event any) {
			if _, ok := event.(volunteer.Volunteered); ok {
				polled[n] = at
			}
		})
		v.change()
		v.Run(3 * v.config.Interval)
		for v.polls[len(v.polls)-1] > v.Now()-2*time.Second {
			v.Run(time.Second)
		}
		since := v.Now() - v.config.Interval
		least, most := 0, 0
		for _, at := range polled {
			if at > since+5*time.Second {
				least++
			}
			if at > since-5*time.Second {
				most++
			}
		}
		for i, n := range v.nodes {
			if got := n.volunteer.Pollers(followed); got < least || got > most || got == 0 {
				t.Errorf("node %d knows of %d that have polled; there were %d to %d", i, got, least, most)
			}
		}
		if got := v.nodes[0].volunteer.Pollers(engine.ID{1}); got != 0 {
			t.Errorf("%d have polled what is not followed", got)
		}
	})
}
