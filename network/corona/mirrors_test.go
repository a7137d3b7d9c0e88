package corona_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Mirrors that still have the old content make no updates, however many nodes ask them (hostile 14).
func TestStaleMirrorsMakeNoUpdate(t *testing.T) {
	for _, share := range []float64{0.1, 0.5} {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			simtest.Run(t, 4, func(t *simtest.T) {
				v := newWorld(t, 24, 20, calm)
				v.Origin.Behave(v.news.ID, coronatest.Behaviour{Stale: share})
				for i := range 3 {
					v.Origin.Change(v.news.ID, fmt.Sprint("change ", i))
					v.Run(4 * time.Hour)
					v.versions(2 + i)
				}
				v.ends()
			})
		})
	}
}

// A final return of an origin to an old content is announced after the doubt's patience.
func TestOriginGoesBack(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm)
		first := v.Origin.Content(v.news.ID)
		v.Origin.Change(v.news.ID, "a mistake")
		v.Run(time.Hour)
		v.versions(2)
		v.Origin.Change(v.news.ID, first)
		v.Run(3 * v.interval())
		v.versions(3)
		v.Run(3 * v.interval())
		v.versions(3)
		v.ends()
	})
}

// Content that depends on the requester's address does not make versions flip (hostile 14).
func TestContentByAddressDoesNotFlip(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm, trusting)
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{See: func(n sim.Node, content string) string {
			return fmt.Sprint(content, " for region ", n%3)
		}})
		v.Run(24 * time.Hour)
		if made := len(v.numbered) - 1; made > 5 {
			t.Errorf("%d versions were made in a day: %v", made, v.numbered)
		}
		v.ends()
	})
}

// A content that differs from request to request makes at most one update an interval, and the wedge makes only a few
// requests besides its polls (hostile 13).
func TestNoiseMakesAnUpdateAnInterval(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm, trusting)
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{Noisy: true})
		began, polls := v.Now(), 0
		for range 24 {
			polls += len(v.Pollers(v.news.ID))
			v.Run(v.interval())
		}
		for i := 2; i < len(v.numbered); i++ {
			if gap := v.numbered[i].at - v.numbered[i-1].at; gap < v.interval() {
				t.Errorf("two versions within %v", gap)
			}
		}
		if len(v.numbered) < 10 {
			t.Errorf("%d versions in twelve hours", len(v.numbered))
		}
		requests := len(v.Origin.Requests(v.news.ID, began, v.Now()))
		t.Logf("%d requests, of which %d are polls; %d versions, %v", requests, polls, len(v.numbered), v.events)
		if requests > polls+4*24+polls/10 {
			t.Errorf("%d requests, where the polls are %d", requests, polls)
		}
		v.ends()
	})
}

// All nodes together ask an origin nothing as long as it has asked one of them to wait (hostile
// 10).
func TestRetryAfterHoldsForAll(t *testing.T) {
	for _, c := range []struct{ asked, want time.Duration }{
		{2 * time.Hour, 2 * time.Hour}, {10 * time.Second, time.Minute}, {10 * 365 * 24 * time.Hour, 24 * time.Hour},
	} {
		t.Run(fmt.Sprint(c.asked), func(t *testing.T) {
			simtest.Run(t, 4, func(t *simtest.T) {
				v := newWorld(t, 24, 20, calm)
				v.Origin.Behave(v.news.ID, coronatest.Behaviour{Wait: c.asked})
				began := v.Now()
				for len(v.Origin.Requests(v.news.ID, began, v.Now())) == 0 {
					v.Run(time.Second)
				}
				v.Run(5 * time.Second) // for the news of it to reach all
				v.Origin.Behave(v.news.ID, coronatest.Behaviour{})
				limitedAt := v.Now()
				v.Run(c.want - 10*time.Second)
				if early := v.Origin.Requests(v.news.ID, limitedAt, v.Now()); len(early) > 0 {
					t.Errorf("%d requests while all were to wait, the first by node %d after %v", len(early),
						early[0].Node, early[0].At-limitedAt)
				}
				back := v.Now()
				v.Run(v.interval() + time.Minute)
				if len(v.Origin.Requests(v.news.ID, back, v.Now())) == 0 {
					t.Error("nobody has come back")
				}
				v.ends()
			})
		})
	}
}

// All nodes together keep whatever least time an origin wants between polls. If it is so long that the primary polls
// alone, and no node need believe it, each node that reads the channel keeps it by itself, and polls once for a change
// (hostile 12).
func TestIntervalHoldsForAllTogether(t *testing.T) {
	for _, least := range []time.Duration{5 * time.Minute, 12 * time.Minute, 2 * time.Hour} {
		t.Run(fmt.Sprint(least), func(t *testing.T) {
			simtest.Run(t, 12, func(t *simtest.T) {
				v := newWorld(t, 24, 20, calm)
				v.Origin.Behave(v.news.ID, coronatest.Behaviour{Interval: least})
				for n := range sim.Node(20) { // a new subscriber polls the channel, and knows the origin's wishes
					v.verify(n)
				}
				v.Run(2*v.interval() + least)
				began := v.Now()
				v.Origin.ChangeEach(v.news.ID, coronatest.Regular(7*time.Hour))
				v.Run(24 * time.Hour)
				requests := v.Origin.Requests(v.news.ID, began, v.Now())
				alone, last := least > v.interval() || len(v.Pollers(v.news.ID)) == 1, make(map[sim.Node]time.Duration)
				for i := 1; i < len(requests); i++ {
					before := requests[i-1].At
					if alone {
						before = last[requests[i].Node]
						last[requests[i].Node] = requests[i].At
					}
					if gap := requests[i].At - before; gap < least-time.Second {
						t.Errorf("at %v nodes %d and %d ask within %v", requests[i].At, requests[i-1].Node,
							requests[i].Node, gap)
					}
				}
				t.Logf("%d requests in a day, %d pollers", len(requests), len(v.Pollers(v.news.ID)))
				v.versions(4)
				v.ends()
			})
		})
	}
}

func (v *testWorld) interval() time.Duration { return corona.Default().Interval }
