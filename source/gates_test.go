package source

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// crowd is a stage whose origins are slow or quick by their name, and which identifies their polls by that.
type crowd struct{ *stage }

// slowly is how long a tarpit holds a poll: the longest that a fetch may last.
const slowly = time.Minute

func (c crowd) poll(ctx context.Context, w Job, why string) Result {
	u, _ := url.Parse(w.URL)
	kind := strings.SplitN(u.Hostname(), "-", 2)[0]
	at := time.Now()
	c.enter(kind, at, +1)
	defer c.enter(kind, at, -1)
	if kind != "tarpit" {
		return c.stage.poll(ctx, w, why)
	}
	select {
	case <-time.After(slowly):
	case <-ctx.Done():
	}
	next := time.Now().Add(30 * time.Minute)
	return Result{Poll: tidings.Poll{At: at, Outcome: tidings.OutcomeFailed, Next: next, Took: slowly}, Hold: next,
		Failures: w.Failures + 1}
}

func (c crowd) watch(t *testing.T, schedule Schedule) (x *Scheduler, stop func()) {
	x = NewScheduler(c.poll, c, schedule, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { x.Run(ctx); close(done) }()
	return x, func() { cancel(); <-done }
}

// guestAt is a channel that is polled for others; proven says that its last poll was quick.
func guestAt(url string, next time.Time, proven bool) Job {
	w := channelAt(url, next)
	w.Guest = true
	if proven {
		w.Last = tidings.Poll{At: next.Add(-time.Hour), Outcome: tidings.OutcomeUnchanged, Took: time.Second}
	}
	return w
}

// hostile 63, 44: somebody brings 1,000 tarpits on 1,000 names. Neither this node's own channels nor guests
// that have proved to be quick wait for them.
func TestHostile63TarpitsOnManyNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, schedule := crowd{newStage(time.Second, 10*time.Minute)}, DefaultSchedule()
		x, stop := c.watch(t, schedule)
		start := time.Now()
		for i := range 1000 {
			x.Add(guestAt(fmt.Sprintf("https://tarpit-%d.example%d/feed", i, i), start, false))
		}
		var punctual []string
		for i := range 200 {
			own, guest := fmt.Sprintf("https://own-%d.example/feed", i),
				fmt.Sprintf("https://guest-%d.other%d/feed", i, i)
			due := start.Add(time.Duration(i) * 3 * time.Second)
			x.Add(channelAt(own, due))
			x.Add(guestAt(guest, due, true))
			punctual = append(punctual, own, guest)
		}
		time.Sleep(time.Hour)
		for i, url := range punctual {
			polls := c.polls(url)
			if first := polls[0].Sub(start); first != time.Duration(i/2)*3*time.Second {
				t.Errorf("%s: first check after %s", url, first)
			}
			for n := 1; n < len(polls); n++ {
				if gap := polls[n].Sub(polls[n-1]); gap != 10*time.Minute+time.Second {
					t.Errorf("%s: %s between checks", url, gap)
				}
			}
		}
		if most := c.mostAt("tarpit"); most != schedule.unproven() {
			t.Errorf("tarpits held %d slots at a time, and may hold %d", most, schedule.unproven())
		}
		polled := 0
		for i := range 1000 {
			polled += min(1, c.settledOf(fmt.Sprintf("https://tarpit-%d.example%d/feed", i, i)))
		}
		if polled != 1000 {
			t.Errorf("%d of 1000 tarpits were polled at all", polled)
		}
		stop()
	})
}

// hostile 63: tarpits that were quick before hold no more slots than guests may, and that once.
func TestHostile63TarpitsThatWereQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, schedule := crowd{newStage(time.Second, 10*time.Minute)}, DefaultSchedule()
		x, stop := c.watch(t, schedule)
		start := time.Now()
		for i := range 1000 {
			x.Add(guestAt(fmt.Sprintf("https://tarpit-%d.example%d/feed", i, i), start, true))
		}
		for i := range 50 {
			x.Add(channelAt(fmt.Sprintf("https://own-%d.example/feed", i), start.Add(time.Second)))
		}
		time.Sleep(15 * time.Minute)
		if most := c.mostAt("tarpit"); most != schedule.guests() {
			t.Errorf("tarpits held %d slots at a time, and guests may hold %d", most, schedule.guests())
		}
		for i := range 50 {
			if polls := c.polls(fmt.Sprintf("https://own-%d.example/feed", i)); polls[0].Sub(start) != time.Second {
				t.Errorf("an own channel was polled after %s", polls[0].Sub(start))
			}
		}
		time.Sleep(3 * time.Hour)
		x.mu.Lock()
		for url, entry := range x.byURL {
			if entry.Guest && entry.owes != penance {
				t.Errorf("%s owes %d quick polls", url, entry.owes)
			}
		}
		x.mu.Unlock()
		stop()
	})
}

// hostile 63: names below one registered domain cost nothing, so they share a few places.
func TestHostile63TarpitsBelowOneDomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crowd{newStage(time.Second, time.Hour)}
		x, stop := c.watch(t, DefaultSchedule())
		for i := range 100 {
			x.Add(guestAt(fmt.Sprintf("https://tarpit-%d.evil.co.uk/feed", i), time.Now(), true))
			x.Add(guestAt(fmt.Sprintf("https://guest-%d.co.uk/feed", i), time.Now(), true))
		}
		time.Sleep(90 * time.Second)
		if most := c.mostAt("tarpit"); most != guestsPerDomain {
			t.Errorf("one domain held %d slots at a time, and may hold %d", most, guestsPerDomain)
		}
		for i := range 100 {
			if c.settledOf(fmt.Sprintf("https://guest-%d.co.uk/feed", i)) != 1 {
				t.Errorf("guest-%d.co.uk was not polled: names below a public suffix are not one domain", i)
			}
		}
		time.Sleep(time.Hour)
		stop()
	})
}

// hostile 63: guests hang at a host. This node's own channels there are polled all the same, and a guest that is newly
// followed here no longer waits.
func TestHostile63OwnChannelsBesideGuestsAtAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crowd{newStage(time.Second, time.Hour)}
		x, stop := c.watch(t, DefaultSchedule())
		start := time.Now()
		for i := range 10 {
			x.Add(guestAt(fmt.Sprintf("https://tarpit-1.example/%d", i), start, true))
		}
		time.Sleep(time.Second)
		if c := x.Counts(); c.PollingNow != 1 || c.Overdue != 9 {
			t.Errorf("%d guests polled at the host and %d waiting, want 1 and 9", c.PollingNow, c.Overdue)
		}
		x.Add(channelAt("https://tarpit-1.example/own", start.Add(2*time.Second)))
		x.Change("https://tarpit-1.example/9", func(w *Job) { w.Guest = false })
		time.Sleep(2 * time.Second)
		if n := x.Counts().PollingNow; n != 2 {
			t.Errorf("%d polls at the host, want a guest's and one that was a guest's", n)
		}
		time.Sleep(slowly)
		if n := len(c.polls("tarpit")); n != 4 {
			t.Errorf("%d polls after the first have ended, want two more", n)
		}
		x.mu.Lock()
		if own := x.byURL["https://tarpit-1.example/own"]; own.state != polling {
			t.Error("an own channel waits for a guest")
		}
		x.mu.Unlock()
		time.Sleep(20 * time.Minute)
		x.mu.Lock()
		if len(x.gates) != 0 || x.parked != 0 {
			t.Errorf("%d gates and %d waiting are left", len(x.gates), x.parked)
		}
		x.mu.Unlock()
		stop()
	})
}

// hostile 63: when all slots are this node's own channels', the next goes to an own channel, though guests wait longer.
func TestHostile63OwnChannelsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, schedule := crowd{newStage(10*time.Second, time.Hour)}, DefaultSchedule()
		schedule.Polls = 1
		x, stop := c.watch(t, schedule)
		start := time.Now()
		x.Add(channelAt("https://own-1.example/", start))
		x.Add(guestAt("https://guest-1.example/", start.Add(time.Second), true))
		x.Add(channelAt("https://own-2.example/", start.Add(2*time.Second)))
		time.Sleep(time.Minute)
		for url, want := range map[string]time.Duration{"https://own-2.example/": 10 * time.Second,
			"https://guest-1.example/": 20 * time.Second} {
			if polls := c.polls(url); len(polls) != 1 || polls[0].Sub(start) != want {
				t.Errorf("%s was polled %v, want after %v", url, polls, want)
			}
		}
		stop()
	})
}

// A guest that was slow owes several quick polls before it counts as proven; what was not asked counts for nothing.
func TestGuestsProveThemselves(t *testing.T) {
	e, at := &watch{}, time.Unix(1, 0)
	for i, step := range []struct {
		poll tidings.Poll
		owes int
	}{
		{tidings.Poll{}, 1},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeLimited}, 1},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeUnchanged, Took: slowPoll}, 0},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeNotModified}, 0},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeUnchanged, Took: slowPoll + 1}, penance},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeChanged}, penance - 1},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeLimited}, penance - 1},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeLimited, Status: 429}, penance},
		{tidings.Poll{At: at, Outcome: tidings.OutcomeFailed}, penance},
	} {
		if e.judge(step.poll); e.owes != step.owes {
			t.Errorf("after step %d it owes %d, want %d", i, e.owes, step.owes)
		}
	}
}
