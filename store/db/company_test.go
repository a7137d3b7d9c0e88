package db

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
	in map[string]*Tx
	at map[string]time.Duration // since the beginning
}

// operations begin one after the other, each once the one before waits or is done; those with so many things go along.
func operations(t *testing.T, d *DB, names []string, things map[string]int) *went {
	t.Helper()
	w := &went{in: make(map[string]*Tx), at: make(map[string]time.Duration)}
	begin := time.Now()
	var running sync.WaitGroup
	for _, name := range names {
		run := func(t *Tx) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.in[name], w.at[name] = t, time.Since(begin)
			return nil
		}
		running.Go(func() {
			var err error
			if n := things[name]; n > 0 {
				err = d.WriteAlong(context.Background(), n, run)
			} else {
				err = d.Write(context.Background(), run)
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
		d := newDB(t)
		w := operations(t, d, []string{"along", "and this", "asked"}, map[string]int{"along": 1, "and this": crowd - 1})
		if w.in["along"] != w.in["asked"] || w.in["and this"] != w.in["asked"] {
			t.Error("not all went into one transaction")
		}
		for name, at := range w.at {
			if at != 0 {
				t.Errorf("operation %s waited for %v", name, at)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Where nobody comes by, it goes with others like it, and not later than it may; one that does much goes at once.
func TestOperationsWaitForCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDB(t)
		for range 2 { // the timer is good for more than one time
			w := operations(t, d, []string{"one", "two"}, map[string]int{"one": 1, "two": 1})
			if w.in["one"] != w.in["two"] || w.at["one"] != Company {
				t.Errorf("they waited for %v, in one transaction: %t", w.at["one"], w.in["one"] == w.in["two"])
			}
		}
		w := operations(t, d, []string{"one", "crowd"}, map[string]int{"one": 1, "crowd": crowd})
		if w.in["one"] != w.in["crowd"] || w.at["crowd"] != 0 {
			t.Errorf("what does much waited for %v", w.at["crowd"])
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// More operations come than one transaction includes: all are run, none later than allowed.
func TestManyOperationsGoAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDB(t)
		begin := time.Now()
		var running sync.WaitGroup
		for range maxQueue + 2*maxBatch {
			running.Go(func() {
				if err := d.WriteAlong(context.Background(), 1, func(*Tx) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		if took := time.Since(begin); took > 4*Company {
			t.Errorf("it took %v", took)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A database that closes writes what waits for company, or says that it has not.
func TestCloseWithOperationsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDB(t)
		done := make(chan error, 1)
		wrote := false
		go func() {
			done <- d.WriteAlong(context.Background(), 1, func(*Tx) error {
				wrote = true
				return nil
			})
		}()
		synctest.Wait()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil || !wrote {
			t.Errorf("closing ended what waited with %v", err)
		}
		if err := d.WriteAlong(context.Background(), 1, func(*Tx) error { return nil }); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed database answers %v", err)
		}
	})
}
