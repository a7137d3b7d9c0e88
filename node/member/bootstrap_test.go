package member

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/view"
)

// joinsWorld is what joins see of a network, in a bubble of testing/synctest.
type joinsWorld struct {
	t *testing.T
	*bootstrap
	start time.Time
	log   bytes.Buffer // read when nothing runs

	mu       sync.Mutex
	dial     func(ctx context.Context, address string) error
	lonely   bool
	attempts map[string][]time.Duration // since start
}

var errDown = errors.New("nobody listens there")

// inJoinsWorld runs joins that fail, on a node that is alone, until test returns.
func inJoinsWorld(t *testing.T, test func(w *joinsWorld)) {
	synctest.Test(t, func(t *testing.T) {
		w := &joinsWorld{t: t, start: time.Now(), lonely: true, attempts: make(map[string][]time.Duration)}
		w.fail()
		w.fail()
		log := slog.New(slog.NewTextHandler(&w.log, nil))
		w.bootstrap = newBootstrap(w.connect, func(context.Context) bool { return w.isLonely() }, func() {}, log)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.run(ctx)
		}()
		test(w)
		cancel()
		<-ended
	})
}

func (w *joinsWorld) connect(ctx context.Context, address string) error {
	w.mu.Lock()
	w.attempts[address] = append(w.attempts[address], time.Since(w.start))
	dial := w.dial
	w.mu.Unlock()
	return dial(ctx, address)
}

func (w *joinsWorld) isLonely() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lonely
}

func (w *joinsWorld) setLonely(lonely bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lonely = lonely
}

// tries returns when an address was tried.
func (w *joinsWorld) tries(address string) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.attempts[address])
}

// answer says what becomes of attempts from now on.
func (w *joinsWorld) answer(dial func(ctx context.Context, address string) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dial = dial
}

// fail makes attempts fail at once.
func (w *joinsWorld) fail() { w.answer(func(context.Context, string) error { return errDown }) }

// failAfter makes them fail after a while.
func (w *joinsWorld) failAfter(d time.Duration) {
	w.answer(func(context.Context, string) error { time.Sleep(d); return errDown })
}

// succeed makes them succeed, and the node no longer alone.
func (w *joinsWorld) succeed() {
	w.answer(func(context.Context, string) error { w.setLonely(false); return nil })
}

// learned adds an address as a person does.
func (w *joinsWorld) learned(address string) {
	w.t.Helper()
	if err := w.add(address, true, false); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

func (w *joinsWorld) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *joinsWorld) only() view.Join {
	w.t.Helper()
	shown := w.shown()
	if len(shown) != 1 {
		w.t.Fatalf("shown: %+v", shown)
	}
	return shown[0]
}

func (w *joinsWorld) is(state view.JoinState) {
	w.t.Helper()
	if got := w.only(); got.State != state {
		w.t.Fatalf("after %v: %+v, want %s", time.Since(w.start), got, state)
	}
}

func TestAJoinIsTriedUntilItWorks(t *testing.T) {
	inJoinsWorld(t, func(w *joinsWorld) {
		w.failAfter(time.Second)
		w.learned("a")
		w.is(view.Joining)
		if w.inVain() {
			t.Error("in vain before an attempt has ended")
		}
		w.pass(time.Second)
		w.is(view.Waiting)
		if !w.inVain() {
			t.Error("not in vain after the only attempt")
		}
		first := w.only()
		if first.Failure != errDown.Error() || first.Next.Before(time.Now().Add(joinFirst)) || !first.Saved {
			t.Errorf("shown: %+v", first)
		}
		w.succeed()
		w.pass(2 * joinFirst)
		w.is(view.Joined)
		if j := w.only(); j.Failure != "" || !j.Next.IsZero() {
			t.Errorf("joined, shown as %+v", j)
		}
		w.pass(time.Hour)
		if n := len(w.tries("a")); n != 2 {
			t.Errorf("%d attempts, want no more after it worked", n)
		}
	})
}

// Each pause is twice the one before, and a quarter more at most, up to the longest.
func TestPausesGrowToABound(t *testing.T) {
	inJoinsWorld(t, func(w *joinsWorld) {
		w.learned("a")
		w.pass(3 * time.Hour)
		want := joinFirst
		at := w.tries("a")
		for i := 1; i < len(at); i++ {
			if pause := at[i] - at[i-1]; pause < want || pause > want+want/4 {
				t.Fatalf("pause %d is %v, want %v and a quarter at most", i, pause, want)
			}
			want = min(2*want, joinLongest)
		}
		if len(at) < 3*60/8 {
			t.Errorf("%d attempts in 3 hours", len(at))
		}
		if n := strings.Count(w.log.String(), "level=WARN"); n != 1 {
			t.Errorf("the same failure was told %d times:\n%s", n, w.log.String())
		}
	})
}

func TestANodeThatIsAloneAgainJoinsAgain(t *testing.T) {
	inJoinsWorld(t, func(w *joinsWorld) {
		w.succeed()
		w.learned("a")
		w.pass(time.Hour)
		w.setLonely(true)
		w.pass(2 * joinCheck)
		w.is(view.Joined)
		if n := len(w.tries("a")); n != 2 {
			t.Errorf("%d attempts, want one more when alone", n)
		}
		// An attempt that finds no node is repeated after a pause.
		w.setLonely(true)
		w.answer(func(context.Context, string) error { return nil })
		w.pass(time.Minute)
		if n := len(w.tries("a")); n < 4 || n > 2+7 {
			t.Errorf("%d attempts after a minute alone", n)
		}
	})
}

func TestAddingAgainTriesAtOnce(t *testing.T) {
	for name, busy := range map[string]bool{"waiting": false, "during an attempt": true} {
		t.Run(name, func(t *testing.T) {
			inJoinsWorld(t, func(w *joinsWorld) {
				w.learned("a")
				w.pass(time.Hour)
				if busy {
					w.failAfter(10 * time.Second)
					for w.only().State != view.Joining {
						w.pass(time.Second)
					}
				}
				before := len(w.tries("a"))
				w.learned("a")
				w.fail()
				w.pass(15 * time.Second)
				if n := len(w.tries("a")); n < before+2 {
					t.Errorf("%d attempts within 15 s, want the first pauses again", n-before)
				}
				if n := len(w.shown()); n != 1 {
					t.Errorf("shown %d times", n)
				}
			})
		})
	}
}

func TestRemovalDuringAnAttempt(t *testing.T) {
	inJoinsWorld(t, func(w *joinsWorld) {
		w.failAfter(time.Second)
		w.learned("a")
		if err := w.remove("a"); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Hour)
		if n := len(w.tries("a")); n != 1 || len(w.shown()) != 0 || len(w.saved()) != 0 || !w.inVain() {
			t.Errorf("%d attempts, shown %v", n, w.shown())
		}
		if w.log.Len() != 0 {
			t.Errorf("logged: %s", w.log.String())
		}
		if err := w.remove("a"); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("removed twice: %v", err)
		}
	})
}

// Only so many are held. Those that are remembered from an earlier run make room for those
// that a person gives.
func TestMaxJoins(t *testing.T) {
	inJoinsWorld(t, func(w *joinsWorld) {
		for i := range view.MaxJoins {
			if err := w.add(fmt.Sprint("quiet", i), false, true); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.add("one more", false, true); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("one more quiet: %v", err)
		}
		for i := range view.MaxJoins {
			w.learned(fmt.Sprint("a", i))
		}
		if err := w.add("one more", true, false); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("one more: %v", err)
		}
		w.learned("a0")
		if n := len(w.shown()); n != view.MaxJoins {
			t.Errorf("%d are shown", n)
		}
	})
}

// A remembered address from an earlier run is tried, and tried again while the node is alone. It is neither shown, nor
// saved, nor reported as a problem.
func TestQuietJoins(t *testing.T) {
	inJoinsWorld(t, func(w *joinsWorld) {
		quiet := func(address string) {
			if err := w.add(address, false, true); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		quiet("dead")
		w.pass(time.Minute)
		tried := len(w.tries("dead"))
		if tried < 4 || len(w.shown()) != 0 || len(w.saved()) != 0 || w.log.Len() != 0 || !w.inVain() {
			t.Errorf("%d attempts, shown %v, logged %q", tried, w.shown(), w.log.String())
		}
		if err := w.remove("dead"); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("removing one that nobody gave: %v", err)
		}
		w.setLonely(false)
		w.pass(time.Hour)
		if n := len(w.tries("dead")); n != tried {
			t.Errorf("%d more attempts by a node that is not alone", n-tried)
		}
		w.setLonely(true)
		w.pass(2 * joinCheck)
		if n := len(w.tries("dead")); n == tried {
			t.Error("not tried again by a node that is alone again")
		}
		w.answer(func(context.Context, string) error { return errMyself })
		quiet("myself")
		w.pass(5 * time.Minute)
		if w.log.Len() != 0 {
			t.Errorf("logged: %s", w.log.String())
		}
		w.learned("dead") // a person asks for it
		if w.only().Address != "dead" || !slices.Equal(w.saved(), []string{"dead"}) {
			t.Errorf("shown %v, saved %v", w.shown(), w.saved())
		}
	})
}

// An attempt has a bound, and all end with the node.
func TestAttemptsEnd(t *testing.T) {
	inJoinsWorld(t, func(w *joinsWorld) {
		w.answer(func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() })
		w.learned("a")
		w.pass(joinWithin - time.Second)
		w.is(view.Joining)
		w.pass(time.Second)
		w.is(view.Waiting)
		w.pass(2 * joinFirst)
		w.is(view.Joining) // the end of the test ends it
	})
}
