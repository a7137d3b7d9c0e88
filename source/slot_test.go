package source

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/fetch"
)

// Polls are made in the slot, whatever the channel's own phase, and not before the origin wants.
func TestPollsKeepToTheirSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		l := &Poller{
			Fetch: func(context.Context, fetch.Request) (*fetch.Response, error) {
				return nil, &fetch.StatusError{Status: 500}
			},
			Plan: fetch.DefaultPlan(),
		}
		slot := Slot{First: start.Add(7 * time.Minute), Interval: time.Hour, Regular: "its turn"}
		w := Job{Channel: tidings.Channel{URL: "https://example.org/feed"}}
		w.Follow(slot, start)
		if w.Next != slot.First || w.Last.NextWhy != "its turn" {
			t.Errorf("the first check is at %v (%s)", w.Next.Sub(start), w.Last.NextWhy)
		}
		time.Sleep(w.Next.Sub(start))
		r := l.Poll(t.Context(), w, "")
		if r.Hold != r.Poll.Next || r.Hold.Before(time.Now().Add(time.Hour)) {
			t.Errorf("after a failure it checks %v, held until %v", r.Poll.Next, r.Hold)
		}
		l.Fetch = func(context.Context, fetch.Request) (*fetch.Response, error) {
			return &fetch.Response{Status: 304}, nil
		}
		r = l.Poll(t.Context(), w, "")
		if got := r.Poll.Next.Sub(slot.First); got.Round(time.Millisecond) != time.Hour ||
			r.Poll.NextWhy != "its turn, every 60 min" {
			t.Errorf("the next check is %v later (%s)", got, r.Poll.NextWhy)
		}
		w.Slot.NotBefore = slot.First.Add(90 * time.Minute)
		if got := l.Poll(t.Context(), w, "").Poll.Next.Sub(slot.First).Round(time.Millisecond); got != 2*time.Hour {
			t.Errorf("where another node was asked for patience it checks after %v", got)
		}
		w.Slot = Slot{}
		if got := l.Poll(t.Context(), w, "").Poll.NextWhy; got != "its regular check, every 30 min" {
			t.Errorf("without a slot: %s", got)
		}
	})
}

// A turn that is left out for polls out of turn is not made, neither when it is left out nor after such a poll.
func TestATurnIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		l := &Poller{
			Fetch: func(context.Context, fetch.Request) (*fetch.Response, error) {
				return &fetch.Response{Status: 304}, nil
			},
			Plan: fetch.DefaultPlan(),
		}
		turn := start.Add(50 * time.Minute)
		slot := Slot{First: turn, Interval: time.Hour, Regular: "its turn"}
		w := Job{Channel: tidings.Channel{URL: "https://example.org/feed"},
			Last: tidings.Poll{At: start.Add(-time.Hour)}}
		w.Follow(slot, start)
		if got := l.Poll(t.Context(), w, "out of turn").Poll.Next; got.Sub(turn).Round(time.Millisecond) != 0 {
			t.Errorf("the turn is at %v, not %v", got, turn)
		}
		slot.First = turn.Add(time.Hour)
		slot.From = slot.First
		w.Follow(slot, start)
		if w.Next != slot.From {
			t.Errorf("the turn after the one that is left out is at %v, not %v", w.Next, slot.From)
		}
		if got := l.Poll(t.Context(), w, "out of turn").Poll.Next; got != slot.From {
			t.Errorf("after a poll out of turn it is at %v, not %v", got, slot.From)
		}
		time.Sleep(slot.From.Sub(start))
		next := l.Poll(t.Context(), w, "its turn").Poll.Next.Sub(slot.From).Round(time.Millisecond)
		if next != time.Hour {
			t.Errorf("the next turn is %v later", next)
		}
	})
}

// A channel that was polled for others is polled at once, and whole, when somebody here follows it. No plan that comes
// meanwhile delays that.
func TestAnAdoptedChannelIsPolledAtOnceAndWhole(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	polled := tidings.Poll{At: now.Add(-3 * time.Hour)}
	backup := Slot{First: now.Add(40 * time.Hour), Interval: 48 * time.Hour, Regular: "a backup"}
	for _, c := range []struct {
		name string
		job  Job
		next time.Time
	}{
		{"at rest", Job{Last: polled}, now},
		{"in a plan", Job{Last: polled, Slot: backup, Next: backup.First}, now},
		{"held", Job{Last: polled, Hold: now.Add(time.Hour)}, now.Add(time.Hour)},
	} {
		c.job.URL = "https://example.org/feed"
		c.job.Adopt(now)
		c.job.Follow(backup, now)
		if c.job.Leave(now, time.Hour); !c.job.Next.Equal(c.next) || !c.job.Whole {
			t.Errorf("%s: the next check is %v from now, whole %v; want %v", c.name, c.job.Next.Sub(now), c.job.Whole,
				c.next.Sub(now))
		}
	}
	ended := Job{Last: polled, Ended: true}
	if ended.Adopt(now); !ended.Next.IsZero() || ended.Whole {
		t.Errorf("one that has ended is checked at %v", ended.Next)
	}
}

// A new follower's channel is polled soon, though other nodes poll it too, in their turns.
func TestAFirstPollDoesNotWaitForItsTurn(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	turn := Slot{First: now.Add(2 * time.Hour), Interval: 3 * time.Hour, Regular: "its turn"}
	soon := now.Add(time.Second)
	for _, c := range []struct {
		name string
		job  Job
		then func(w *Job)
		next time.Time
	}{
		{"followed, then in a plan", Job{Next: soon}, func(w *Job) { w.Follow(turn, now) }, soon},
		{"followed, then in none any more", Job{Next: soon, Slot: turn}, func(w *Job) { w.Leave(now, time.Hour) },
			soon},
		{"in a plan", Job{}, func(w *Job) { w.Follow(turn, now) }, turn.First},
		{"in a plan, then followed", Job{}, func(w *Job) { w.Follow(turn, now); w.FirstBy(soon) }, soon},
		{"in a plan, then followed, and sooner in its turn", Job{}, func(w *Job) {
			w.Follow(turn, now)
			w.FirstBy(turn.First.Add(time.Second))
		}, turn.First},
		{"held", Job{Hold: now.Add(time.Hour)}, func(w *Job) { w.FirstBy(soon) }, now.Add(time.Hour)},
		{"ended", Job{Ended: true}, func(w *Job) { w.FirstBy(soon) }, time.Time{}},
		{"polled, in a plan, then followed", Job{Last: tidings.Poll{At: now.Add(-3 * time.Hour)}},
			func(w *Job) { w.Follow(turn, now); w.FirstBy(soon) }, turn.First},
		{"polled, then in a plan", Job{Next: soon, Last: tidings.Poll{At: now.Add(-3 * time.Hour)}},
			func(w *Job) { w.Follow(turn, now) }, turn.First},
	} {
		c.job.URL = "https://example.org/feed"
		if c.then(&c.job); !c.job.Next.Equal(c.next) {
			t.Errorf("%s: the next check is %v from now, not %v", c.name, c.job.Next.Sub(now), c.next.Sub(now))
		}
	}
}

func TestASlotComesOncePerInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zero := time.Unix(1_800_000_000, 0)
		s := Slot{
			First:    zero.Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "first"))),
			Interval: time.Duration(rapid.Int64Range(1, 1e14).Draw(t, "interval")),
		}
		at := zero.Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "at")))
		next := s.After(at)
		if next.Before(at) || next.Sub(at) >= s.Interval || next.Sub(s.First)%s.Interval != 0 {
			t.Fatalf("after %v comes %v", at, next)
		}
	})
}

// A poll just made is not made again because the slot has moved, nor one that the origin forbids.
func TestFollowingAnotherSlot(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s := Slot{First: now.Add(time.Second), Interval: time.Hour}
	w := Job{Last: tidings.Poll{At: now.Add(-time.Minute)}}
	if w.Follow(s, now); w.Next != s.First.Add(time.Hour) {
		t.Errorf("checked again after %v", w.Next.Sub(w.Last.At))
	}
	w = Job{Hold: now.Add(3 * time.Hour)}
	if w.Follow(s, now); w.Next != s.First.Add(3*time.Hour) {
		t.Errorf("checked %v before it may be", w.Hold.Sub(w.Next))
	}
	if w.Leave(now, time.Hour); w.Next.Before(w.Hold) || !w.Slot.IsZero() {
		t.Errorf("left: %+v", w)
	}
	w = Job{Ended: true}
	if w.Follow(s, now); !w.Next.IsZero() {
		t.Error("a channel that has ended is checked")
	}
}
