package outbox

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A message that is held counts as no attempt and is never given up. It is tried again when its Sender wants it, or
// after the time that it names.
func TestHeldMessages(t *testing.T) {
	var again func()
	free := false
	answer := func(_ context.Context, target int64, m Message) error {
		switch {
		case free:
			return nil
		case target == 1:
			return &Held{By: "another node sends it", Watch: func(f func()) { again = f }}
		}
		return &Held{By: "another node sends it", After: 5 * time.Second}
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		s.put(1, 1)
		s.put(2, 2)
		const days = 4 * 24 * time.Hour
		time.Sleep(days + 2*time.Second)
		synctest.Wait()
		for target, most := range map[int64]time.Duration{1: mostHeld, 2: 5 * time.Second} {
			to := s.target(target)
			if len(to.waiting) != 1 || to.failures != 0 || to.waiting[0].Tries != 0 || len(to.problems) != 0 {
				t.Errorf("target %d: %+v", target, to)
			}
			if got, want := len(f.to(target)), int(days/most)+1; got != want {
				t.Errorf("target %d: %d attempts, want %d", target, got, want)
			}
		}
		free = true
		before := len(f.to(1))
		again()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if got := len(f.to(1)); got != before+1 || len(s.target(1).waiting) != 0 {
			t.Errorf("%d attempts after it is wanted, %d before", got, before)
		}
	})
}

// A message that is wanted again while its attempt ends is tried at once.
func TestHeldMessageWantedAtOnce(t *testing.T) {
	first := true
	answer := func(context.Context, int64, Message) error {
		if !first {
			return nil
		}
		first = false
		return &Held{By: "another node sends it", Watch: func(f func()) { f() }}
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		s.put(1, 1)
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if len(f.to(1)) != 2 || len(s.target(1).waiting) != 0 {
			t.Errorf("%+v", f.to(1))
		}
	})
}
