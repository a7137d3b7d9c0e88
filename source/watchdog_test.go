package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// tarpit is a stage some of whose polls, or whose storing, wait for nothing but the end of the test.
type tarpit struct {
	*stage
	hangs, unstored func(url string) bool
	end             chan struct{} // closed, nothing hangs any more

	mu   sync.Mutex
	last map[string]Result // stored last
}

func newTarpit(hangs func(url string) bool) *tarpit {
	never := func(string) bool { return false }
	return &tarpit{stage: newStage(time.Second, time.Hour), hangs: hangs, unstored: never,
		end: make(chan struct{}), last: map[string]Result{}}
}

func (p *tarpit) poll(ctx context.Context, w Job, why string) Result {
	if p.ended() || !p.hangs(w.URL) {
		return p.stage.poll(ctx, w, why)
	}
	at := time.Now()
	p.enter(w.URL, at, +1)
	defer p.enter(w.URL, at, -1)
	<-p.end
	return Result{Poll: tidings.Poll{At: at, Why: why, Outcome: tidings.OutcomeUnchanged,
		Next: time.Now().Add(time.Hour)}, Memory: []byte("late")}
}

func (p *tarpit) ended() bool {
	select {
	case <-p.end:
		return true
	default:
		return false
	}
}

func (p *tarpit) RecordPoll(ctx context.Context, w Job, r Result) error {
	if p.unstored(w.URL) {
		<-p.end
	}
	p.mu.Lock()
	p.last[w.URL] = r
	p.mu.Unlock()
	return p.stage.RecordPoll(ctx, w, r)
}

func (p *tarpit) lastOf(url string) Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last[url]
}

// watch runs a watcher over the tarpit, logging to text, until stop.
func (p *tarpit) watch(t *testing.T, text *bytes.Buffer) (x *Scheduler, stop func()) {
	x = NewScheduler(p.poll, p, DefaultSchedule(), slog.New(slog.NewTextHandler(text, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { x.Run(ctx); close(done) }()
	return x, func() { cancel(); <-done }
}

func hung(i int) string          { return fmt.Sprintf("https://host%d.hung.example/feed", i) }
func isHung(url string) bool     { return strings.Contains(url, "hung") }
func noneHangs(string) bool      { return false }
func isUnstored(url string) bool { return strings.Contains(url, "unstored") }

// hostile 62: polls that never come back lose their slots; the channels back off, and say why.
func TestHostile62PollsThatHangAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, log := newTarpit(isHung), new(bytes.Buffer)
		x, stop := p.watch(t, log)
		start, slots := time.Now(), DefaultSchedule().Polls
		for i := range slots {
			x.Add(channelAt(hung(i), start))
		}
		const other = "https://other.example/feed"
		x.Add(channelAt(other, start.Add(time.Second)))
		time.Sleep(2 * time.Second)
		if c := x.Counts(); c.PollingNow != slots || c.Slots != slots || c.Overdue != 1 || c.Waited != time.Second {
			t.Errorf("while all slots are held: %+v", c)
		}
		time.Sleep(5 * time.Hour)
		if n := len(p.polls(other)); n < 4 {
			t.Errorf("%d checks a channel that does not hang", n)
		}
		if c := x.Counts(); c.Overran != int64(slots) || c.LeftBehind != slots || c.PollingNow != 0 ||
			c.ByOutcome[tidings.OutcomeFailed] != int64(slots) {
			t.Errorf("counted %+v", c)
		}
		synctest.Wait()
		if n := strings.Count(log.String(), "level=WARN msg=\"a poll overran its time and was given up\""); n != slots {
			t.Errorf("%d warnings", n)
		}
		r := p.lastOf(hung(0))
		if n := len(p.polls(hung(0))); n != 1 || r.Health != tidings.HealthFailing || r.Failures != 1 ||
			r.Poll.Error != "the poll overran its time and was given up" || r.Poll.Next.Sub(start) < 6*time.Hour ||
			r.Hold != r.Poll.Next {
			t.Errorf("after %d checks: %+v", n, r)
		}
		if _, err := x.Now(t.Context(), hung(0), "you asked"); !errors.Is(err, ErrTooSoon) {
			t.Errorf("a check of what hangs still: %v", err)
		}
		time.Sleep(2 * time.Hour) // and again, and after a longer pause
		if n := len(p.polls(hung(0))); n != 2 || p.lastOf(hung(0)).Failures != 2 ||
			time.Until(p.lastOf(hung(0)).Poll.Next) < 10*time.Hour {
			t.Errorf("%d checks, the last %+v", n, p.lastOf(hung(0)))
		}
		settled := p.settledOf(hung(0))
		close(p.end)
		synctest.Wait()
		if c := x.Counts(); c.LeftBehind != 0 || p.settledOf(hung(0)) != settled {
			t.Errorf("late results: %d polls left behind, %d results stored, %d before", c.LeftBehind,
				p.settledOf(hung(0)), settled)
		}
		time.Sleep(13 * time.Hour)
		if r := p.lastOf(hung(0)); r.Poll.Outcome != tidings.OutcomeUnchanged || bytes.Equal(r.Memory, []byte("late")) {
			t.Errorf("when it hangs no more: %+v", r)
		}
		stop()
	})
}

// hostile 61, 62: the watcher stops in time while polls hang in all slots, and drops what they bring then.
func TestHostile61StopsWhilePollsHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTarpit(isHung)
		x, stop := p.watch(t, new(bytes.Buffer))
		for i := range DefaultSchedule().Polls {
			x.Add(channelAt(hung(i), time.Now()))
		}
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took >= 5*time.Second {
			t.Errorf("stopping took %v", took)
		}
		close(p.end)
		synctest.Wait()
		if n := p.settledOf(hung(0)); n != 0 {
			t.Errorf("%d results stored after the end", n)
		}
		time.Sleep(time.Hour) // no watchdog bites then
		if c := x.Counts(); c.Overran != 0 {
			t.Errorf("%d polls given up after the end", c.Overran)
		}
	})
}

// hostile 62: polls that were given up are bounded in number; further ones keep their slots until one comes back.
func TestHostile62PollsLeftBehindAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTarpit(isHung)
		x, stop := p.watch(t, new(bytes.Buffer))
		slots := DefaultSchedule().Polls
		for i := range MaxLeftBehind + slots {
			x.Add(channelAt(hung(i), time.Now()))
		}
		time.Sleep(2 * time.Hour)
		if c := x.Counts(); c.LeftBehind != MaxLeftBehind || c.PollingNow != slots ||
			p.mostAt("all") != MaxLeftBehind+slots {
			t.Errorf("at most %d at a time: %+v", p.mostAt("all"), c)
		}
		close(p.end)
		time.Sleep(24 * time.Hour)
		if c := x.Counts(); c.LeftBehind != 0 || c.PollingNow != 0 || c.Overdue != 0 {
			t.Errorf("when none hangs any more: %+v", c)
		}
		stop()
	})
}

// hostile 62: a result that is not stored in time frees its slot as well, and the poll is repeated.
func TestHostile62StoringThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTarpit(noneHangs)
		p.unstored = isUnstored
		x, stop := p.watch(t, new(bytes.Buffer))
		for i := range DefaultSchedule().Polls {
			x.Add(channelAt(fmt.Sprintf("https://host%d.unstored.example/", i), time.Now()))
		}
		const other = "https://other.example/feed"
		x.Add(channelAt(other, time.Now().Add(2*time.Second)))
		time.Sleep(2*time.Minute + grace + 3*time.Second)
		if p.settledOf(other) != 1 {
			t.Error("a channel that can be stored was not polled")
		}
		close(p.end)
		time.Sleep(5 * time.Minute)
		const first = "https://host0.unstored.example/"
		synctest.Wait()
		if n := len(p.polls(first)); n != 2 || x.Counts().LeftBehind != 0 ||
			x.byURL[first].Last.Outcome != tidings.OutcomeUnchanged {
			t.Errorf("%d checks, the last %+v; %+v", n, x.byURL[first].Last, x.Counts())
		}
		stop()
	})
}

// Channels of this node's own that wait too long for their turn are worth one warning.
func TestWaitingTooLongIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, log := newTarpit(isHung), new(bytes.Buffer)
		x, stop := p.watch(t, log)
		for i := range 10 {
			x.Add(channelAt(fmt.Sprintf("https://one.hung.example/%d", i), time.Now()))
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := strings.Count(log.String(), "wait too long"); n != 1 {
			t.Errorf("%d warnings:\n%s", n, log)
		}
		close(p.end)
		synctest.Wait()
		stop()
	})
}
