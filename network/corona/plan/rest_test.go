package plan

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Changes cause polls out of turn, and skipped turns. For one change as many turns are skipped as there were such
// polls. For many changes at most half of all are, and leave no long gap.
func TestTurnsAreSkippedForChecks(t *testing.T) {
	const period, polls, rounds = 30 * time.Minute, 6, 20
	for _, pollers := range []int{20, 61, 154, 1000} {
		for _, apart := range []time.Duration{5 * time.Second, 30 * time.Second, 400 * time.Second, rounds * period} {
			chance := rand.New(rand.NewPCG(uint64(pollers), uint64(apart)))
			total := rounds * pollers
			turns, skipped := make([]time.Duration, total), make([]bool, total)
			for i := range turns { // slots are as even as estimates of the ring make them
				turns[i] = time.Duration((float64(i) + 0.5 +
					0.4*(chance.Float64()-0.5)) * float64(period) / float64(pollers))
			}
			counted := make([]float64, pollers) // by each node
			for i := range counted {
				counted[i] = float64(pollers) * (0.9 + 0.2*chance.Float64())
			}
			changes := 0
			for now := apart / 2; now < (rounds-1)*period; now += apart {
				changes++
				for i, turn := range turns {
					if turn > now && turn <= now+period {
						skipped[i] = skipped[i] || rests(turn, now, period, polls,
							counted[i%pollers]*(0.99+0.02*chance.Float64()))
					}
				}
			}
			count, last, gap := 0, turns[0], time.Duration(0)
			for i, turn := range turns {
				if skipped[i] {
					count++
					continue
				}
				gap, last = max(gap, turn-last), turn
			}
			if mean := period / time.Duration(pollers); gap > 10*mean {
				t.Errorf("%d pollers, changes every %v: a gap of %v where %v is the mean", pollers, apart, gap, mean)
			}
			if share := float64(count) / float64(total); share > 0.6 {
				t.Errorf("%d pollers, changes every %v: %.2f of all turns are skipped", pollers, apart, share)
			}
			if changes == 1 && (count < polls/3 || count > 3*polls) {
				t.Errorf("%d pollers: %d turns are skipped for %d polls", pollers, count, polls)
			}
		}
	}
}

// As many turns of a small set are skipped as there were polls, at most half. Nodes that the ring has beside the set do
// not count.
func TestTurnsOfASmallSetAreSkipped(t *testing.T) {
	const places = 1000 // of a turn in the interval, and of the interval among all
	for polls, want := range []float64{0, 1, 2, 2.5, 2.5} {
		v, news, skipped := newLone(nil, "90", "a0", "20", "30"), near(1)[0], 0
		v.dense = 16
		for place := range places {
			period := v.config.Interval
			v.assign(v.contacts[0], func(a *Assignment) {
				a.Start, a.Width, a.Term = uint32(int(period/time.Millisecond)*place/places), 5, uint32(5+place)
			}, news)
			v.duties.poll(v.duties.find(news.ID))
			next := nextTime(v.tasks[news.ID].First, period, v.env.Now())
			if v.Rest(news.ID, polls); v.tasks[news.ID].First > next {
				skipped++
			}
			v.env.Advance(period * 3)
		}
		if got := float64(skipped) / places * 5; math.Abs(got-want) > want/8 {
			t.Errorf("for %d polls the five nodes skip %.2f turns, not %v", polls, got, want)
		}
	}
}

// Nodes skip a turn at a time of day or do not, however long they have been running. So they skip every other turn of a
// small set, not all or none by chance.
func TestNodesAgreeOnSkippedTurns(t *testing.T) {
	skips := func(age, start time.Duration) bool {
		v, news := newLone(nil, "90", "a0", "20", "30"), near(1)[0]
		v.env.WallClock = v.env.WallClock.Add(-age)
		v.env.Advance(age)
		v.assign(v.contacts[0], func(a *Assignment) { a.Start, a.Width = uint32(start/time.Millisecond), 5 }, news)
		next := nextTime(v.tasks[news.ID].First, v.config.Interval, v.env.Now())
		v.Rest(news.ID, 3)
		return v.tasks[news.ID].First > next
	}
	interval := testConfig().Interval
	for _, age := range []time.Duration{time.Minute, interval / 3, interval, 7*interval + interval/5} {
		for start := interval / 100; start < interval; start += interval / 50 {
			if a, b := skips(0, start), skips(age, start); a != b {
				t.Errorf("a turn in %v is skipped: %v; by a node that is %v old: %v", start, a, age, b)
			}
		}
	}
}
