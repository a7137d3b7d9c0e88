package source

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// stage is an origin and a store in one, on the virtual clock of synctest.
type stage struct {
	mu       sync.Mutex
	takes    time.Duration // how long a poll lasts
	interval time.Duration
	refuse   error         // what RecordPoll answers
	stored   Job           // what Job answers
	storing  time.Duration // how long RecordPoll needs
	now      map[string]int
	most     map[string]int // most polls a time, by host of the test's choice
	polled   map[string][]time.Time
	settled  map[string]int
}

func newStage(takes, interval time.Duration) *stage {
	return &stage{takes: takes, interval: interval, now: map[string]int{}, most: map[string]int{},
		polled: map[string][]time.Time{}, settled: map[string]int{}}
}

func (s *stage) poll(ctx context.Context, w Job, why string) Result {
	at := time.Now()
	s.enter(w.URL, at, +1)
	defer s.enter(w.URL, at, -1)
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return Result{Poll: tidings.Poll{At: at, Outcome: tidings.OutcomeFailed}}
	}
	return Result{Poll: tidings.Poll{At: at, Why: why, Outcome: tidings.OutcomeUnchanged,
		Next: time.Now().Add(s.interval), NextWhy: "by plan"}, Memory: append(w.Memory, 1)}
}

func (s *stage) enter(url string, at time.Time, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > 0 {
		s.polled[url] = append(s.polled[url], at)
	}
	for _, key := range []string{url, "all"} {
		s.now[key] += n
		s.most[key] = max(s.most[key], s.now[key])
	}
}

func (s *stage) RecordPoll(_ context.Context, w Job, r Result) error {
	time.Sleep(s.storing)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return s.refuse
	}
	s.settled[w.URL]++
	return nil
}

func (s *stage) Job(_ context.Context, url string) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored, nil
}

func (s *stage) polls(url string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.polled[url])
}

func (s *stage) mostAt(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most[key]
}

func (s *stage) settledOf(url string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled[url]
}

func channelAt(url string, next time.Time) Job {
	return Job{Channel: tidings.Channel{URL: url}, Next: next}
}

// watching runs a watcher over the stage until the returned function ends it.
func watching(t *testing.T, s *stage, schedule Schedule) (*Scheduler, func()) {
	t.Helper()
	x := NewScheduler(s.poll, s, schedule, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { x.Run(ctx); close(done) }()
	return x, func() { cancel(); <-done }
}

func TestEveryChannelIsPolledWhenDueAndNeverTwiceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(time.Second, time.Minute)
		x, stop := watching(t, s, DefaultSchedule())
		start := time.Now()
		for i := range 100 {
			x.Add(channelAt(fmt.Sprintf("https://host%d.example/feed", i), start.Add(time.Duration(i)*time.Second/2)))
		}
		time.Sleep(10 * time.Minute)
		stop()
		for i := range 100 {
			url := fmt.Sprintf("https://host%d.example/feed", i)
			if s.mostAt(url) != 1 {
				t.Errorf("%s: %d checks a time", url, s.mostAt(url))
			}
			if first := s.polls(url)[0].Sub(start); first != time.Duration(i)*time.Second/2 {
				t.Errorf("%s: first check after %s", url, first)
			}
			for n := 1; n < len(s.polls(url)); n++ {
				if gap := s.polls(url)[n].Sub(s.polls(url)[n-1]); gap != 61*time.Second {
					t.Errorf("%s: gap of %s between checks", url, gap)
				}
			}
		}
	})
}

func TestOneHostGetsNoMoreThanItsShareOfPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(10*time.Second, time.Hour)
		schedule := DefaultSchedule()
		x, stop := watching(t, s, schedule)
		defer stop()
		for i := range 50 {
			x.Add(channelAt(fmt.Sprintf("https://one.example/%d", i), time.Now()))
		}
		x.Add(channelAt("https://other.example/", time.Now().Add(time.Second)))
		time.Sleep(5 * time.Second)
		if s.mostAt("all") != 3 {
			t.Errorf("%d checks a time, want 2 at one host and 1 at the other", s.mostAt("all"))
		}
		if c := x.Counts(); c.PollingNow != 3 || c.Overdue != 48 {
			t.Errorf("%d checks under way and %d overdue, want 3 and 48", c.PollingNow, c.Overdue)
		}
		time.Sleep(5 * time.Minute)
		if c := x.Counts(); c.Polls != 51 || c.Overdue != 0 {
			t.Errorf("%d checks and %d overdue after a while, want 51 and 0", c.Polls, c.Overdue)
		}
	})
}

func TestPollsATimeAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(time.Second, time.Hour)
		schedule := DefaultSchedule()
		schedule.Polls, schedule.PerHost = 5, 0
		x, stop := watching(t, s, schedule)
		for i := range 100 {
			x.Add(channelAt(fmt.Sprintf("https://one.example/%d", i), time.Now()))
		}
		time.Sleep(time.Minute)
		stop()
		if s.mostAt("all") != 5 || len(s.settled) != 100 {
			t.Errorf("%d checks a time, %d channels checked; want 5 and 100", s.mostAt("all"), len(s.settled))
		}
	})
}

func TestAPersonMayAskForAPollButNotTooSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(time.Second, time.Hour)
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		const url = "https://one.example/"
		x.Add(channelAt(url, time.Now().Add(time.Hour)))
		time.Sleep(time.Minute)
		r, err := x.Now(t.Context(), url, "you asked")
		if err != nil || r.Poll.Why != "you asked" || s.settledOf(url) != 1 {
			t.Fatalf("check %+v, error %v, settled %d times", r.Poll, err, s.settledOf(url))
		}
		if _, err := x.Now(t.Context(), url, "you asked"); !errors.Is(err, ErrTooSoon) {
			t.Errorf("a second check right away: error %v, want ErrTooSoon", err)
		}
		time.Sleep(time.Minute)
		if _, err := x.Now(t.Context(), url, "you asked"); err != nil {
			t.Errorf("a second check after a minute: %v", err)
		}
		if _, err := x.Now(t.Context(), "https://unknown.example/", ""); !errors.Is(err, tidings.ErrNotFollowed) {
			t.Errorf("a check of what is not watched: error %v", err)
		}
	})
}

func TestPeopleWhoAskDuringAPollShareIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(10*time.Second, time.Hour)
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		const url = "https://one.example/"
		x.Add(channelAt(url, time.Now()))
		time.Sleep(time.Second)
		var asked sync.WaitGroup
		for range 5 {
			asked.Go(func() {
				if _, err := x.Now(t.Context(), url, "you asked"); err != nil {
					t.Error(err)
				}
			})
		}
		asked.Wait()
		if n := len(s.polls(url)); n != 1 {
			t.Errorf("%d checks, want the one under way", n)
		}
	})
}

func TestACheckIsAPollThatBeginsAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(10*time.Second, time.Hour)
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		const url = "https://one.example/"
		start := time.Now()
		x.Add(channelAt(url, start))
		time.Sleep(time.Second)
		for range 3 {
			if !x.Check(url, "another saw a change") {
				t.Error("a channel under watch cannot be checked")
			}
		}
		time.Sleep(time.Minute)
		if polls := s.polls(url); len(polls) != 2 || polls[1].Sub(start) != 10*time.Second {
			t.Errorf("checks %s, want another one as soon as the one under way has ended", polls)
		}
		x.Check(url, "another saw a change")
		x.Remove(url)
		time.Sleep(time.Hour)
		if n := len(s.polls(url)); n != 2 {
			t.Errorf("%d checks, one of them at what is not watched any more", n)
		}
	})
}

func TestAPollThatIsWaitedForGoesBeforeThoseByPlan(t *testing.T) {
	for _, perHost := range []int{1, 0} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(10*time.Second, time.Hour)
			schedule := DefaultSchedule()
			schedule.Polls, schedule.PerHost = 1, perHost
			x, stop := watching(t, s, schedule)
			defer stop()
			start := time.Now()
			for i := range 20 {
				x.Add(channelAt(fmt.Sprintf("https://one.example/%d", i), start))
			}
			x.Add(channelAt("https://one.example/asked", start.Add(time.Hour)))
			x.Add(channelAt("https://one.example/asked-later", start.Add(time.Hour)))
			time.Sleep(time.Second)
			x.Check("https://one.example/asked", "another saw a change")
			x.Check("https://one.example/asked-later", "another saw a change")
			x.Check("https://one.example/15", "another saw a change") // it waits already
			time.Sleep(time.Minute)
			for i, url := range []string{"https://one.example/asked", "https://one.example/asked-later",
				"https://one.example/15"} {
				if polls := s.polls(url); len(polls) != 1 || polls[0].Sub(start) != time.Duration(i+1)*10*time.Second {
					t.Errorf("with %d checks a host: %s was checked %s", perHost, url, polls)
				}
			}
		})
	}
}

func TestARemovedChannelLeavesNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(10*time.Second, time.Minute)
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		const url = "https://one.example/"
		x.Add(channelAt(url, time.Now()))
		time.Sleep(time.Second)
		x.Remove(url)
		time.Sleep(time.Hour)
		if len(s.polls(url)) != 1 || s.settledOf(url) != 0 {
			t.Errorf("%d checks and %d results settled after removal during the first check", len(s.polls(url)),
				s.settledOf(url))
		}
		if c := x.Counts(); c.PollingNow != 0 || c.Overdue != 0 || !c.Next.IsZero() {
			t.Errorf("something is left: %+v", c)
		}
	})
}

func TestAPollThatCannotBeStoredIsRepeatedAsIfItHadNotBeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(time.Second, time.Hour)
		s.refuse = errors.New("disk full")
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		const url = "https://one.example/"
		x.Add(channelAt(url, time.Now()))
		time.Sleep(90 * time.Second)
		s.mu.Lock()
		s.refuse = nil
		s.mu.Unlock()
		time.Sleep(10 * time.Minute)
		if len(s.polls(url)) != 3 || s.settledOf(url) != 1 {
			t.Errorf("%d checks, %d settled; want 3 (two refused, a minute apart) and 1", len(s.polls(url)),
				s.settledOf(url))
		}
		stop()
		if got := x.byURL[url].Memory; len(got) != 1 {
			t.Errorf("memory %v holds what refused checks left", got)
		}
	})
}

// As long as nothing can be stored, the origin is not asked more often than by plan.
func TestPollsThatCannotBeStoredAreNoBurdenToTheOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(time.Second, 30*time.Minute)
		s.refuse = errors.New("disk full")
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		const url = "https://one.example/"
		x.Add(channelAt(url, time.Now()))
		time.Sleep(24 * time.Hour)
		if n := len(s.polls(url)); n < 45 || n > 55 {
			t.Errorf("%d checks in a day, want one in about half an hour", n)
		}
	})
}

func TestAChangeDuringAPollIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(10*time.Second, time.Minute)
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		const url = "https://one.example/"
		x.Add(channelAt(url, time.Now()))
		time.Sleep(time.Second)
		x.Change(url, func(w *Job) { w.Privacy = tidings.Unlisted })
		x.Change(url, func(w *Job) { w.Options.Select = []string{"#a"} })
		time.Sleep(time.Minute)
		x.mu.Lock()
		defer x.mu.Unlock()
		if w := x.byURL[url].Job; w.Privacy != tidings.Unlisted || len(w.Options.Select) != 1 || len(w.Memory) != 1 {
			t.Errorf("after the check: %+v", w)
		}
	})
}

// A request that comes while the result of a poll is being stored is answered by another poll: that result may have
// been shown already. If that is too soon, or the channel is left, it says so.
func TestARequestDoesNotJoinAPollThatIsBeingStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const url = "https://one.example/"
		s := newStage(time.Second, time.Hour)
		s.storing = time.Second
		schedule := DefaultSchedule()
		schedule.Again = 0
		x, stop := watching(t, s, schedule)
		defer stop()
		x.Add(channelAt(url, time.Now()))
		time.Sleep(500 * time.Millisecond)
		joined := make(chan Result, 1)
		go func() {
			r, _ := x.Now(t.Context(), url, "you asked for it")
			joined <- r
		}()
		time.Sleep(time.Second) // the result is being stored
		r, err := x.Now(t.Context(), url, "you asked late")
		polls := s.polls(url)
		if err != nil || len(polls) != 2 || !r.Poll.At.Equal(polls[1]) || r.Poll.Why != "you asked late" {
			t.Errorf("the answer is %+v, error %v, of polls at %v; want that of the second", r.Poll, err, polls)
		}
		if r := <-joined; !r.Poll.At.Equal(polls[0]) {
			t.Errorf("a request during the poll is answered by %+v, not by that poll", r.Poll)
		}
		time.Sleep(500 * time.Millisecond)
		left := make(chan error, 1)
		go func() {
			_, err := x.Now(t.Context(), url, "you asked for it")
			left <- err
		}()
		time.Sleep(1500 * time.Millisecond)
		go func() {
			_, err := x.Now(t.Context(), url, "you asked late")
			left <- err
		}()
		synctest.Wait()
		x.Remove(url)
		for range 2 {
			if err := <-left; !errors.Is(err, tidings.ErrNotFollowed) {
				t.Errorf("the channel is left: error %v", err)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		const url = "https://one.example/"
		s := newStage(time.Second, time.Hour)
		s.storing = time.Second
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		x.Add(channelAt(url, time.Now()))
		time.Sleep(1500 * time.Millisecond)
		if _, err := x.Now(t.Context(), url, "you asked late"); !errors.Is(err, ErrTooSoon) {
			t.Errorf("half a second after a poll: error %v", err)
		}
	})
}

// A poll that another has overtaken is repeated once from what is stored now. That answers those that wait.
func TestAPollThatWasOvertakenIsRepeatedForThoseThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const url = "https://one.example/"
		s := newStage(time.Second, time.Hour)
		s.refuse = tidings.ErrStale
		s.stored = Job{Channel: tidings.Channel{URL: url, Version: 7}, Memory: []byte{1, 2}}
		x, stop := watching(t, s, DefaultSchedule())
		defer stop()
		x.Add(channelAt(url, time.Time{}))
		x.Change(url, func(w *Job) { w.Shared = true })
		go func() {
			time.Sleep(1500 * time.Millisecond) // the repetition is under way
			s.mu.Lock()
			defer s.mu.Unlock()
			s.refuse = nil
		}()
		r, err := x.Now(t.Context(), url, "you asked for it")
		if err != nil || len(r.Memory) != 3 || r.Poll.Why != "you asked for it" {
			t.Errorf("the answer is %+v, error %v; want that of a poll that begins from what is stored", r, err)
		}
		if n := len(s.polls(url)); n != 2 || s.settledOf(url) != 1 {
			t.Errorf("%d polls, %d recorded; want 2 and 1", n, s.settledOf(url))
		}
		s.mu.Lock()
		s.refuse = tidings.ErrStale
		s.mu.Unlock()
		time.Sleep(time.Minute)
		if _, err := x.Now(t.Context(), url, "you asked for it"); err != nil || len(s.polls(url)) != 4 {
			t.Errorf("always overtaken: %d polls, error %v; want two more", len(s.polls(url)), err)
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		if w := x.byURL[url].Job; w.Version != 7 || !w.Shared || len(w.Memory) != 2 {
			t.Errorf("the next poll begins from %+v; want what is stored, shared as before", w)
		}
	})
}
