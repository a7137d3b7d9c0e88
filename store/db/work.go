package db

import (
	"sync"
	"time"
)

// Work is something that the writer does by itself from time to time, at the end of a transaction: of one that comes
// about anyway, or of one of its own. All of its functions are called on the writer's goroutine; what one of them fails
// with undoes the whole transaction, and is tried again.
type Work struct {
	// Waits reports whether there is something to do. It is asked after each transaction, and after Wake.
	Waits func() bool

	// After returns how long there may be something to do until Do is called.
	After func() time.Duration

	// Do does a part of it, in about 20 ms at most. It reports whether the rest follows at once, in a transaction with
	// operations that came meanwhile.
	Do func(t *Tx) (more bool, err error)

	// Bound, if it is not nil, is called at the end of each transaction. It does as much as keeps the waiting work
	// bounded.
	Bound func(t *Tx) error

	// AtClose says that Close does what waits.
	AtClose bool
}

// works are what a writer does by itself.
type works struct {
	mu  sync.Mutex
	all []*task

	wake chan struct{} // gets a value when there may be something to do
}

// task is Work with when it is due.
type task struct {
	Work
	due  time.Time // zero: nothing waits
	more bool      // as Do has reported
}

func newWorks() *works { return &works{wake: make(chan struct{}, 1)} }

func (w *works) add(work Work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, &task{Work: work})
}

// tasks returns all of them. What they are is the writer's alone to change.
func (w *works) tasks() []*task {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

// plan finds out when each is due, and returns the earliest; zero: none is.
func (w *works) plan(now time.Time) (first time.Time) {
	for _, t := range w.tasks() {
		switch waits := t.Waits(); {
		case !waits:
			t.due = time.Time{}
		case t.due.IsZero():
			t.due = now.Add(t.After())
		}
		if !t.due.IsZero() && (first.IsZero() || t.due.Before(first)) {
			first = t.due
		}
	}
	return first
}

// due returns those whose time has come.
func (w *works) due(now time.Time) (due []*task) {
	for _, t := range w.tasks() {
		if !t.due.IsZero() && !t.due.After(now) {
			due = append(due, t)
		}
	}
	return due
}

// last returns what Close still has to do.
func (w *works) last() (all []*task) {
	for _, t := range w.tasks() {
		if t.AtClose && t.Waits() {
			all = append(all, t)
		}
	}
	return all
}

// Regularly has the writer do some work from time to time, from now on. It is called before anything is written that
// the work is about.
func (d *DB) Regularly(w Work) {
	d.writer.works.add(w)
	d.Wake()
}

// Wake has the writer ask what Work waits.
func (d *DB) Wake() {
	select {
	case d.writer.works.wake <- struct{}{}:
	default:
	}
}
