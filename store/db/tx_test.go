package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// What an operation registers is called when it is on the disk, or undone: by itself, without harm to those that share
// its transaction. Numbers of what is undone are not given again.
func TestHooksFollowTheOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDB(t)
		var called []string
		fault := errors.New("fault")
		operation := func(name string, err error) func(t *Tx) error {
			return func(t *Tx) error {
				for i := range 2 {
					t.OnCommit(func() { called = append(called, fmt.Sprint(name, i, " is there")) })
					t.OnRollback(func() { called = append(called, fmt.Sprint(name, i, " is undone")) })
				}
				return errors.Join(note(t, name), err)
			}
		}
		for _, c := range []struct {
			things int
			name   string
			err    error
		}{{1, "a", nil}, {1, "b", fault}, {crowd, "c", nil}} {
			if c.things < crowd {
				go func() { _ = d.WriteAlong(context.Background(), c.things, operation(c.name, c.err)) }()
				synctest.Wait()
				continue
			}
			if err := d.Write(t.Context(), operation(c.name, c.err)); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		want := []string{"b1 is undone", "b0 is undone", "c0 is there", "c1 is there", "a0 is there", "a1 is there"}
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(called)); !slices.Equal(got, want) {
			t.Errorf("called %v, want %v", called, want)
		}
		if at := slices.Index(called, "b1 is undone"); at < 0 || slices.Index(called, "b0 is undone") != at+1 {
			t.Errorf("undone in the order %v", called)
		}
		called = nil
		if err := d.Write(t.Context(), operation("alone", fault)); !errors.Is(err, fault) || len(called) != 2 {
			t.Errorf("one that has a transaction to itself: %v, called %v", err, called)
		}
		if got := notes(t, d); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"a", "c"}) {
			t.Errorf("there are %v", got)
		}
		last := int64(0)
		if err := d.Write(t.Context(), func(t *Tx) error {
			last = t.Last("note")
			return nil
		}); err != nil || last != 4 {
			t.Errorf("%d numbers are given, want 4 (%v)", last, err)
		}
	})
}

// Work is done when it is due and as often as it says, bounded in each transaction, and at the end if it says so.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDB(t)
		began := time.Now()
		waits, atClose := 0, 0
		var at []time.Duration
		bounded := 0
		if err := d.Write(t.Context(), func(*Tx) error { waits = 3; return nil }); err != nil {
			t.Fatal(err)
		}
		d.Regularly(Work{
			Waits: func() bool { return waits > 0 },
			After: func() time.Duration { return time.Minute },
			Do: func(t *Tx) (more bool, err error) {
				at = append(at, time.Since(began))
				if len(at) == 1 {
					return true, errors.New("the first time fails")
				}
				t.OnCommit(func() { waits-- })
				return waits == 3, note(t, "worked")
			},
			Bound: func(*Tx) error { bounded++; return nil },
		})
		d.Regularly(Work{
			Waits:   func() bool { return atClose < 2 },
			After:   func() time.Duration { return time.Hour },
			Do:      func(t *Tx) (bool, error) { atClose++; return true, nil },
			AtClose: true,
		})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if want := []time.Duration{time.Minute, 2 * time.Minute, 2 * time.Minute, 3 * time.Minute}; !slices.Equal(at,
			want) {
			t.Errorf("done at %v, want %v", at, want)
		}
		if len(notes(t, d)) != 3 || bounded < 3 || atClose != 0 {
			t.Errorf("%d were noted, bounded %d times, at close %d", len(notes(t, d)), bounded, atClose)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if atClose != 2 {
			t.Errorf("at close %d are done, want 2", atClose)
		}
	})
}

// A number is not given again after a restart, whether what it was given to is there or not.
func TestNumbersAfterRestart(t *testing.T) {
	dir := dataDir(t)
	d := mustOpen(t, Config{Dir: dir})
	write(t, d, "a", "b")
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d = mustOpen(t, Config{Dir: dir})
	}
	next := int64(0)
	if err := d.Write(t.Context(), func(t *Tx) error { next = t.Next("note"); return nil }); err != nil || next != 3 {
		t.Errorf("the next is %d, want 3 (%v)", next, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
