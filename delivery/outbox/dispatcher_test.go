package outbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// fakeStore keeps deliveries in memory.
type fakeStore struct {
	mu      sync.Mutex
	listen  func(int64)
	targets map[int64]*fakeTarget
	err     error  // of what notes
	empty   func() // is called once, when Next has found nothing and not yet said so
}

type fakeTarget struct {
	waiting   []tidings.DeliveryJob
	failures  int
	due       time.Time
	problems  []string
	failed    []int64
	suspended bool
}

func newFakeStore() *fakeStore { return &fakeStore{targets: make(map[int64]*fakeTarget)} }

func (s *fakeStore) target(id int64) *fakeTarget {
	if s.targets[id] == nil {
		s.targets[id] = &fakeTarget{}
	}
	return s.targets[id]
}

// put puts messages with these numbers into the outbox.
func (s *fakeStore) put(target int64, deliveries ...int64) {
	s.mu.Lock()
	t := s.target(target)
	for _, d := range deliveries {
		t.waiting = append(t.waiting, tidings.DeliveryJob{
			Target: tidings.Target{ID: target}, Deliveries: []int64{d},
			Parts: []tidings.DeliveryPart{{Update: tidings.Update{ID: d}}}, Made: time.Now(), Ready: time.Now(),
		})
	}
	listen := s.listen
	s.mu.Unlock()
	if listen != nil {
		listen(target)
	}
}

func (s *fakeStore) Listen(f func(int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen = f
}

func (s *fakeStore) Waiting(context.Context) (all []int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, t := range s.targets {
		if len(t.waiting) > 0 && !t.suspended {
			all = append(all, id)
		}
	}
	return all, s.err
}

func (s *fakeStore) Next(_ context.Context, target int64) (tidings.DeliveryJob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.target(target)
	if len(t.waiting) == 0 || t.suspended {
		if empty := s.empty; empty != nil {
			s.empty = nil
			s.mu.Unlock()
			empty()
			s.mu.Lock()
		}
		return tidings.DeliveryJob{}, tidings.ErrNotFound
	}
	j := t.waiting[0]
	j.Failures, j.Due = t.failures, t.due
	return j, nil
}

// note does something to a target, unless noting fails or its time is over.
func (s *fakeStore) note(ctx context.Context, target int64, do func(t *fakeTarget)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(ctx.Err(), s.err)
	if err == nil {
		do(s.target(target))
	}
	return err
}

func (t *fakeTarget) remove(deliveries []int64) {
	t.waiting = slices.DeleteFunc(t.waiting, func(j tidings.DeliveryJob) bool {
		return slices.Equal(j.Deliveries, deliveries)
	})
}

func (t *fakeTarget) done(j tidings.DeliveryJob) {
	t.waiting = slices.DeleteFunc(t.waiting, func(w tidings.DeliveryJob) bool {
		return slices.Equal(w.Deliveries, j.Deliveries) && slices.Equal(w.Retracts, j.Retracts)
	})
}

func (s *fakeStore) Delivered(ctx context.Context, j tidings.DeliveryJob) error {
	return s.note(ctx, j.Target.ID, func(t *fakeTarget) { t.done(j); t.failures, t.due = 0, time.Time{} })
}

func (s *fakeStore) Forgotten(ctx context.Context, j tidings.DeliveryJob) error {
	return s.note(ctx, j.Target.ID, func(t *fakeTarget) { t.done(j) })
}

func (s *fakeStore) Postpone(
	ctx context.Context, target int64, deliveries []int64, problem string, until time.Time,
) error {
	return s.note(ctx, target, func(t *fakeTarget) {
		t.waiting[0].Tries++
		t.failures, t.due, t.problems = t.failures+1, until, append(t.problems, problem)
	})
}

func (s *fakeStore) GiveUp(
	ctx context.Context, target int64, deliveries []int64, problem string, until time.Time,
) error {
	return s.note(ctx, target, func(t *fakeTarget) {
		t.remove(deliveries)
		t.failures, t.due, t.failed = t.failures+1, until, append(t.failed, deliveries...)
	})
}

func (s *fakeStore) Suspend(ctx context.Context, target int64, problem string) error {
	return s.note(ctx, target, func(t *fakeTarget) { t.suspended = true })
}

// sent is an attempt.
type sent struct {
	target, delivery int64
	attempt          int
	at               time.Duration // since the beginning
}

// fakeSender notes attempts, and answers them as a test says.
type fakeSender struct {
	mu    sync.Mutex
	began time.Time
	all   []sent
	busy  map[int64]bool
	t     *testing.T
	do    func(ctx context.Context, target int64, m Message) error // nil: all is accepted
}

func (f *fakeSender) Send(ctx context.Context, t tidings.Target, m Message) error {
	f.mu.Lock()
	if f.busy[t.ID] {
		f.t.Errorf("two attempts at target %d at a time", t.ID)
	}
	f.busy[t.ID] = true
	f.all = append(f.all, sent{t.ID, m.Update.ID, m.Attempt, time.Since(f.began)})
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.busy[t.ID] = false
	}()
	if f.do == nil {
		return nil
	}
	return f.do(ctx, t.ID, m)
}

// to returns the attempts at a target.
func (f *fakeSender) to(target int64) (all []sent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.all {
		if s.target == target {
			all = append(all, s)
		}
	}
	return all
}

// play runs a dispatcher on virtual time while a test does something.
func play(t *testing.T, do func(ctx context.Context, target int64, m Message) error,
	test func(s *fakeStore, f *fakeSender)) {
	synctest.Test(t, func(t *testing.T) {
		s, f := newFakeStore(), &fakeSender{began: time.Now(), busy: make(map[int64]bool), t: t, do: do}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- Run(ctx, Config{Store: s, Sender: f}) }()
		synctest.Wait()
		test(s, f)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Each target gets its messages in order, one at a time, whatever others get and however they answer.
func TestMessagesComeInOrder(t *testing.T) {
	const targets, messages = 100, 20
	answer := func(ctx context.Context, target int64, m Message) error {
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
		if rand.IntN(5) == 0 {
			return errors.New("no")
		}
		return nil
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		for m := range int64(messages) {
			for target := range int64(targets) {
				s.put(target, m+1)
			}
		}
		time.Sleep(24 * time.Hour)
		for target := range int64(targets) {
			last := int64(0)
			for _, a := range f.to(target) {
				if a.delivery != last && a.delivery != last+1 {
					t.Fatalf("target %d: message %d after %d", target, a.delivery, last)
				}
				last = a.delivery
			}
			if left := s.target(target).waiting; last != messages || len(left) != 0 {
				t.Errorf("target %d: the last message is %d, %d wait", target, last, len(left))
			}
		}
	})
}

// Targets that hang do not delay others by more than 2 s, however many they are.
func TestHangingTargetsDelayNobody(t *testing.T) {
	const hanging = 200
	answer := func(ctx context.Context, target int64, m Message) error {
		if target < hanging {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		for round := range 20 {
			for target := range int64(hanging) {
				s.put(target, int64(round+1))
			}
			put := time.Since(f.began)
			s.put(hanging, int64(round+1))
			time.Sleep(time.Minute)
			if all := f.to(hanging); len(all) != round+1 || all[round].at-put > 2*time.Second {
				t.Fatalf("round %d: %+v, put at %v", round, all, put)
			}
		}
	})
}

// Targets that are known to hang delay nobody at all, even when all are tried again at one moment.
func TestTargetsKnownToHang(t *testing.T) {
	const hanging = 400
	answer := func(ctx context.Context, target int64, m Message) error {
		if target < hanging {
			<-ctx.Done()
			return &Refusal{Err: ctx.Err(), After: time.Hour}
		}
		return nil
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		for target := range int64(hanging) {
			s.put(target, 1)
		}
		time.Sleep(time.Minute)
		again := f.to(0)[0].at + 30*time.Second + time.Hour
		time.Sleep(again + 10*time.Millisecond - time.Since(f.began))
		s.put(hanging, 1)
		synctest.Wait()
		if len(f.to(hanging)) != 1 || len(f.to(0)) != 2 {
			t.Errorf("%d attempts at the target, and %d at one that hangs", len(f.to(hanging)), len(f.to(0)))
		}
	})
}

// A target that hung stays known to hang while it waits, whatever more is put into its outbox meanwhile.
func TestTargetsKnownToHangGetMore(t *testing.T) {
	const hanging = 400
	answer := func(ctx context.Context, target int64, m Message) error {
		if target < hanging {
			<-ctx.Done()
			return &Refusal{Err: ctx.Err(), After: time.Hour}
		}
		return nil
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		for target := range int64(hanging) {
			s.put(target, 1)
		}
		time.Sleep(time.Minute)
		for target := range int64(hanging) {
			s.put(target, 2)
		}
		again := f.to(0)[0].at + 30*time.Second + time.Hour
		time.Sleep(again + 10*time.Millisecond - time.Since(f.began))
		s.put(hanging, 1)
		synctest.Wait()
		if n, hung := len(f.to(hanging)), len(f.to(0)); n != 1 || hung != 2 {
			t.Errorf("%d attempts at the target, and %d at one that hangs; want 1 at once, and 2", n, hung)
		}
	})
}

// A message that comes while the outbox is found empty is sent.
func TestAMessageComesAsNothingIsFound(t *testing.T) {
	play(t, nil, func(s *fakeStore, f *fakeSender) {
		s.empty = func() { s.put(1, 2) }
		s.put(1, 1)
		synctest.Wait()
		if n := len(f.to(1)); n != 2 {
			t.Errorf("%d messages were sent", n)
		}
	})
}

// More attempts than allowed are never under way, and all targets have their turn.
func TestAttemptsAreBounded(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	answer := func(ctx context.Context, target int64, m Message) error {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		<-ctx.Done()
		mu.Lock()
		now--
		mu.Unlock()
		return ctx.Err()
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		for target := range int64(2000) {
			s.put(target, 1)
		}
		time.Sleep(10 * time.Minute)
		for target := range int64(2000) {
			if len(f.to(target)) == 0 {
				t.Errorf("target %d had no turn", target)
			}
		}
	})
	if most > 64+512 {
		t.Errorf("%d attempts at a time", most)
	}
}

// A target that refuses is tried ever more seldom, up to an hour, for three days. Then the message is given up, and the
// next has one attempt.
func TestBackOff(t *testing.T) {
	answer := func(ctx context.Context, target int64, m Message) error {
		return errors.New(strings.Repeat("no ", 1000))
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		s.put(1, 1, 2)
		time.Sleep(80 * time.Hour)
		all := f.to(1)
		for i := range all[:len(all)-1] {
			wait, want := all[i+1].at-all[i].at, min(firstWait<<min(i, 20), mostWait)
			if wait < want*3/4-time.Second || wait > want*5/4+time.Second {
				t.Errorf("between attempts %d and %d lie %v, want %v", i+1, i+2, wait, want)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if got := s.target(1); fmt.Sprint(got.failed) != "[1 2]" || len(got.problems[0]) > maxProblem+3 {
			t.Errorf("given up: %v, problem of %d bytes", got.failed, len(got.problems[0]))
		}
	})
}

// A refusal says more than that an attempt failed.
func TestRefusals(t *testing.T) {
	var mu sync.Mutex
	var refusal error
	answer := func(ctx context.Context, target int64, m Message) error {
		mu.Lock()
		defer mu.Unlock()
		if m.Update.ID != 1 || m.Attempt > 1 {
			return nil
		}
		return fmt.Errorf("sending: %w", refusal)
	}
	for name, c := range map[string]struct {
		refusal   Refusal
		want      string        // which messages are delivered in a day
		from      time.Duration // when the second attempt is
		failed    string
		suspended bool
	}{
		"gone":  {Refusal{Err: errors.New("410"), Gone: true}, "[1]", 0, "[]", true},
		"final": {Refusal{Err: errors.New("413"), Final: true}, "[1 2]", 0, "[1]", false},
		"later": {Refusal{Err: errors.New("429"), After: 5 * time.Hour}, "[1 1 2]", 5 * time.Hour, "[]",
			false},
		"far too late": {Refusal{Err: errors.New("429"), After: 500 * time.Hour}, "[1 1 2]", 24 * time.Hour, "[]",
			false},
		"sooner than else": {Refusal{Err: errors.New("429"), After: time.Second}, "[1 1 2]", 7 * time.Second, "[]",
			false},
	} {
		t.Run(name, func(t *testing.T) {
			refusal = &c.refusal
			play(t, answer, func(s *fakeStore, f *fakeSender) {
				s.put(1, 1, 2)
				time.Sleep(25 * time.Hour)
				var got []int64
				for _, a := range f.to(1) {
					got = append(got, a.delivery)
				}
				if fmt.Sprint(got) != c.want {
					t.Fatalf("attempts: %v, want %s", got, c.want)
				}
				if len(got) > 1 && f.to(1)[1].at < c.from {
					t.Errorf("the second attempt is at %v, want not before %v", f.to(1)[1].at, c.from)
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if got := s.target(1); fmt.Sprint(got.failed) != c.failed || got.suspended != c.suspended {
					t.Errorf("given up %v, suspended %v", got.failed, got.suspended)
				}
			})
		})
	}
}

// A target that will accept none of many messages is not asked for each of them at once.
func TestManyFinalRefusals(t *testing.T) {
	answer := func(ctx context.Context, target int64, m Message) error {
		return &Refusal{Err: errors.New("wrong token"), Final: true}
	}
	play(t, answer, func(s *fakeStore, f *fakeSender) {
		for m := range int64(100) {
			s.put(1, m+1)
		}
		time.Sleep(firstWait / 2) // the wait after the first that is not given up at once is longer
		if n := len(f.to(1)); n != finalsAtOnce+1 {
			t.Errorf("%d attempts at once; want %d, of which the last is followed by a wait", n, finalsAtOnce+1)
		}
		time.Sleep(10 * time.Minute)
		if n := len(f.to(1)); n < finalsAtOnce+1 || n > finalsAtOnce+8 {
			t.Errorf("%d attempts in ten minutes", n)
		}
	})
}

// What the target has accepted is not sent again because the store cannot note it.
func TestTheStoreFails(t *testing.T) {
	play(t, nil, func(s *fakeStore, f *fakeSender) {
		s.mu.Lock()
		s.err = errors.New("disk full")
		s.mu.Unlock()
		s.put(1, 1)
		time.Sleep(10*time.Minute + time.Second)
		if n := len(f.to(1)); n != 1 {
			t.Errorf("sent %d times in ten minutes", n)
		}
		s.mu.Lock()
		s.err = nil
		s.mu.Unlock()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if left, n := s.target(1).waiting, len(f.to(1)); len(left) != 0 || n != 1 {
			t.Errorf("%d wait once there is room, and %d were sent", len(left), n)
		}
	})
}

// What became of a message is noted, however long its target has needed for that, and also where all ends meanwhile. A
// message that was accepted is not sent again.
func TestTheOutcomeIsNotedAfterTheTimeOfTheAttempt(t *testing.T) {
	late := errors.New("after all")
	accept := func(ctx context.Context, _ int64, _ Message) error { <-ctx.Done(); return nil }
	play(t, accept, func(s *fakeStore, f *fakeSender) {
		s.put(1, 1, 2)
		time.Sleep(2*30*time.Second + time.Second)
		s.mu.Lock()
		defer s.mu.Unlock()
		if got := f.to(1); len(got) != 2 || got[0].delivery != 1 || got[1].delivery != 2 ||
			len(s.target(1).waiting) != 0 {
			t.Errorf("sent %v, and %d wait", got, len(s.target(1).waiting))
		}
	})
	for what, answer := range map[string]error{
		"postponed": late,
		"given up":  &Refusal{Err: late, Final: true},
		"suspended": &Refusal{Err: late, Gone: true},
	} {
		refuse := func(ctx context.Context, _ int64, _ Message) error { <-ctx.Done(); return answer }
		play(t, refuse, func(s *fakeStore, f *fakeSender) {
			s.put(1, 1)
			time.Sleep(30*time.Second + firstWait/2)
			s.mu.Lock()
			defer s.mu.Unlock()
			got := s.target(1)
			if is := map[string]bool{"postponed": got.failures == 1 && len(got.failed) == 0 &&
				time.Until(got.due) <= firstWait,
				"given up": len(got.failed) == 1, "suspended": got.suspended}; !is[what] {
				t.Errorf("what is to be %s: %+v", what, got)
			}
		})
	}

	synctest.Test(t, func(t *testing.T) {
		s, f := newFakeStore(), &fakeSender{began: time.Now(), busy: make(map[int64]bool), t: t, do: accept}
		s.put(1, 1)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- Run(ctx, Config{Store: s, Sender: f}) }()
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil || len(f.to(1)) != 1 || len(s.target(1).waiting) != 0 {
			t.Errorf("at the end, error %v: sent %v, and %d wait", err, f.to(1), len(s.target(1).waiting))
		}
	})
}

// A message without its update is dropped, and the next one sent.
func TestAnUpdateThatIsGone(t *testing.T) {
	play(t, nil, func(s *fakeStore, f *fakeSender) {
		s.mu.Lock()
		s.target(1).waiting = []tidings.DeliveryJob{{Deliveries: []int64{1}, Target: tidings.Target{ID: 1}}}
		s.mu.Unlock()
		s.put(1, 2)
		synctest.Wait()
		if all := f.to(1); len(all) != 1 || all[0].delivery != 2 {
			t.Errorf("sent: %+v", all)
		}
	})
}

// Waiting messages are delivered when the dispatcher starts. When it ends, an attempt under way has its grace. It is
// noted if it succeeds, and counts as no failure if it does not.
func TestStartAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		s.put(1, 1)
		s.put(2, 1)
		f := &fakeSender{began: time.Now(), busy: make(map[int64]bool), t: t,
			do: func(ctx context.Context, target int64, m Message) error {
				if target == 1 {
					time.Sleep(3 * time.Second)
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- Run(ctx, Config{Store: s, Sender: f}) }()
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(f.began); took != Grace {
			t.Errorf("it took %v to end", took)
		}
		if one, two := s.target(1), s.target(2); len(one.waiting) != 0 || len(two.waiting) != 1 || two.failures != 0 {
			t.Errorf("in the end %d wait for one target and %d for the other, with %d failures", len(one.waiting),
				len(two.waiting), two.failures)
		}
		s.put(3, 1) // nobody listens
	})
}

// A digest is one message. Its ID is another when there is more in it. A digest that the store could not note as sent
// is not sent again, though there is more by then.
func TestADigestIsOneMessage(t *testing.T) {
	var got []Message
	play(t, func(_ context.Context, _ int64, m Message) error { got = append(got, m); return nil },
		func(s *fakeStore, f *fakeSender) {
			digest := func(deliveries ...int64) tidings.DeliveryJob {
				j := tidings.DeliveryJob{Target: tidings.Target{ID: 1}, Deliveries: deliveries, Digest: true,
					Made: time.Now(), Ready: time.Now()}
				for _, d := range deliveries {
					j.Parts = append(j.Parts, tidings.DeliveryPart{Update: tidings.Update{ID: d}})
				}
				return j
			}
			s.mu.Lock()
			s.err = errors.New("no room")
			s.target(1).waiting = []tidings.DeliveryJob{digest(1, 2)}
			s.mu.Unlock()
			s.listen(1)
			synctest.Wait()
			s.mu.Lock()
			s.err = nil
			s.target(1).waiting = append(s.target(1).waiting, digest(1, 2, 3))
			s.mu.Unlock()
			time.Sleep(2 * diskWait)
			synctest.Wait()
			if len(got) != 2 || len(got[0].Digest) != 2 || len(got[1].Digest) != 3 || got[0].ID == got[1].ID ||
				got[0].Update.ID != 0 {
				t.Errorf("sent: %+v", got)
			}
		})
}

// If a target's schedule does not allow sending yet, the target is left alone until it does. It does not count as a
// troubled one.
func TestAScheduleIsKept(t *testing.T) {
	play(t, nil, func(s *fakeStore, f *fakeSender) {
		s.mu.Lock()
		s.target(1).due = time.Now().Add(8 * time.Hour)
		s.mu.Unlock()
		s.put(1, 1)
		time.Sleep(8*time.Hour - time.Second)
		synctest.Wait()
		if all := f.to(1); len(all) != 0 {
			t.Errorf("sent before: %+v", all)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if all := f.to(1); len(all) != 1 || all[0].at != 8*time.Hour {
			t.Errorf("sent: %+v", all)
		}
	})
}
