package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// went is in which transaction operations went, and when.
type went struct {
	mu sync.Mutex
	in map[string]*tx
	at map[string]time.Duration // since the beginning
}

// operations begin one after the other, each once the one before waits or is done; those with so many things go along.
func operations(t *testing.T, s *Store, names []string, things map[string]int) *went {
	t.Helper()
	w := &went{in: make(map[string]*tx), at: make(map[string]time.Duration)}
	begin := time.Now()
	var running sync.WaitGroup
	for _, name := range names {
		run := func(t *tx) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.in[name], w.at[name] = t, time.Since(begin)
			return nil
		}
		running.Go(func() {
			var err error
			if n := things[name]; n > 0 {
				err = s.writeAlong(context.Background(), n, run)
			} else {
				err = s.write(context.Background(), run)
			}
			if err != nil {
				t.Errorf("operation %s: %v", name, err)
			}
		})
		synctest.Wait()
	}
	running.Wait()
	return w
}

// What nobody waits for goes into the next transaction that somebody waits for.
func TestOperationsGoAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		w := operations(t, s, []string{"along", "and this", "asked"}, map[string]int{"along": 1, "and this": crowd - 1})
		if w.in["along"] != w.in["asked"] || w.in["and this"] != w.in["asked"] {
			t.Error("not all went into one transaction")
		}
		for name, at := range w.at {
			if at != 0 {
				t.Errorf("operation %s waited for %v", name, at)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Where nobody comes by, it goes with others like it, and not later than it may; one that does much goes at once.
func TestOperationsWaitForCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		for range 2 { // the timer is good for more than one time
			w := operations(t, s, []string{"one", "two"}, map[string]int{"one": 1, "two": 1})
			if w.in["one"] != w.in["two"] || w.at["one"] != company {
				t.Errorf("they waited for %v, in one transaction: %t", w.at["one"], w.in["one"] == w.in["two"])
			}
		}
		w := operations(t, s, []string{"one", "crowd"}, map[string]int{"one": 1, "crowd": crowd})
		if w.in["one"] != w.in["crowd"] || w.at["crowd"] != 0 {
			t.Errorf("what does much waited for %v", w.at["crowd"])
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// More come than one transaction takes: all are taken, none later than it may be.
func TestManyOperationsGoAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		begin := time.Now()
		var running sync.WaitGroup
		for range maxQueue + 2*maxBatch {
			running.Go(func() {
				if err := s.writeAlong(context.Background(), 1, func(*tx) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		if took := time.Since(begin); took > 4*company {
			t.Errorf("it took %v", took)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A store that closes writes what waits for company, or says that it has not.
func TestCloseWithOperationsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		done := make(chan error, 1)
		wrote := false
		go func() {
			done <- s.writeAlong(context.Background(), 1, func(*tx) error {
				wrote = true
				return nil
			})
		}()
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil || !wrote {
			t.Errorf("closing ended what waited with %v", err)
		}
		if err := s.writeAlong(context.Background(), 1, func(*tx) error { return nil }); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed store answers %v", err)
		}
	})
}
