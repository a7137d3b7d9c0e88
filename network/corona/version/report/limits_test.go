package report

import (
	"testing"
	"time"
)

// What a primary knows of an origin's wishes only becomes stricter by what others say: a wait does not end sooner, and
// a least interval does not shrink. An answer to this node itself replaces the interval, and ends no wait.
func TestLimitsOnlyTighten(t *testing.T) {
	n := newNode("51", true)
	start := n.env.Now()
	n.env.Advance(10 * time.Minute)
	limit := func(wait, interval time.Duration) func() {
		return func() { n.ReceiveLimit(news.ID, &Limit{news.ID, inSeconds(wait), inSeconds(interval)}) }
	}
	learn := func(wait, interval time.Duration, ok bool) func() {
		return func() { n.Learn(news.ID, wait, interval, ok) }
	}
	tighten := func(wait, interval time.Duration) func() { return func() { n.Tighten(news.ID, wait, interval) } }
	const minute, hour = time.Minute, time.Hour
	for _, c := range []struct {
		what            string
		do              func()
		until, interval time.Duration // until is since start
	}{
		{"the origin wants a wait of less than a minute", learn(time.Second, 0, true), 10*minute + MinWait, 0},
		{"it wants a longer one", learn(2*hour, hour, true), 2*hour + 10*minute, hour},
		{"it wants a shorter one", learn(5*minute, hour, true), 2*hour + 10*minute, hour},
		{"it wants none", learn(0, hour, true), 2*hour + 10*minute, hour},
		{"a poller says that it wants a shorter one", limit(5*minute, hour), 2*hour + 10*minute, hour},
		{"another owner knows of a shorter one", tighten(minute, 0), 2*hour + 10*minute, hour},
		{"it has not answered, and wanted less before", learn(0, halfHour, false), 2*hour + 10*minute, hour},
		{"another owner knows of less", tighten(0, halfHour), 2*hour + 10*minute, hour},
		{"another owner knows of more", tighten(3*hour, 2*hour), 3*hour + 10*minute, 2 * hour},
		{"it wants fewer polls no more", learn(0, 0, true), 3*hour + 10*minute, 0},
		{"it wants none for days", learn(72*hour, 72*hour, true), MaxWait + 10*minute, MaxWait},
		{"another owner says so", tighten(96*hour, 96*hour), MaxWait + 10*minute, MaxWait},
	} {
		c.do()
		if got := n.Limits(news.ID); got.NotBefore-start != c.until || got.Interval != c.interval {
			t.Errorf("%s: no poll for %v from the start, and then every %v; want %v, %v", c.what,
				got.NotBefore-start, got.Interval, c.until, c.interval)
		}
	}
}
