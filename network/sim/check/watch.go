package check

import (
	"errors"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Checker watches a run for one thing that must never happen. The zero value of those that
// need no field set is ready.
type Checker interface {
	// Observe is called with every event in the order of time. n is the node that it
	// happened at, below zero if it happened at none: at an origin.
	Observe(at time.Duration, n sim.Node, event Event)

	// Finish looks at the world when the run is over and all is healed. It is called
	// once, after the last event.
	Finish(w *sim.World)

	// Err returns the first violation, a *Violation, or nil.
	Err() error
}

// Hear translates an event that a protocol traced for checkers, and reports it; or reports nothing.
type Hear func(event any, report func(Event))

// Watch is the checkers of one run.
type Watch struct {
	// Command repeats the run: it is part of every violation. Empty: nothing is said.
	Command string

	world    *sim.World
	checkers []Checker
	complete []bool // by checker: its violation has its story
	journal  journal
}

// All puts checkers to a world. Events of this package that a protocol traces are received as they are, others through
// hear, which may be nil.
func All(w *sim.World, hear Hear, checkers ...Checker) *Watch {
	watch := &Watch{world: w, checkers: checkers, complete: make([]bool, len(checkers))}
	w.Observe(func(at time.Duration, n sim.Node, event any) {
		report := func(e Event) { watch.observe(at, n, e) }
		if e, ok := event.(Event); ok {
			report(e)
		} else if hear != nil {
			hear(event, report)
		}
	})
	return watch
}

// Report reports to the checkers an event that no protocol traces: what an origin serves, that a
// node's disk was removed. n is below zero if it happened at no node.
func (w *Watch) Report(n sim.Node, event Event) { w.observe(w.world.Now(), n, event) }

// Err returns what was violated so far; nil if nothing was.
func (w *Watch) Err() error {
	var all []error
	for _, c := range w.checkers {
		if err := c.Err(); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// Finish has all checkers look at the world at the end of a run, and returns what Err does.
func (w *Watch) Finish() error {
	for i, c := range w.checkers {
		c.Finish(w.world)
		w.completeStory(i)
	}
	return w.Err()
}

func (w *Watch) observe(at time.Duration, n sim.Node, event Event) {
	w.journal.add(at, n, event)
	for i, c := range w.checkers {
		c.Observe(at, n, event)
		w.completeStory(i)
	}
}

// completeStory completes the checker's first violation as soon as there is one: later the journal has forgotten.
func (w *Watch) completeStory(i int) {
	if w.complete[i] {
		return
	}
	err := w.checkers[i].Err()
	var v *Violation
	if err == nil || !errors.As(err, &v) {
		return
	}
	w.complete[i] = true
	v.Seed, v.Command = w.world.Seed(), w.Command
	if v.Node >= 0 {
		v.ID = w.world.Peer(v.Node).ID
	}
	v.Story = w.journal.about(v.Topic)
}

// verdict is the part of a checker that keeps what it found.
type verdict struct{ violation *Violation }

// Err returns the first violation, or nil.
func (v *verdict) Err() error {
	if v.violation == nil {
		return nil
	}
	return v.violation
}

// Finish does nothing; for checkers that see all as it happens.
func (v *verdict) Finish(*sim.World) {}

// fail notes a violation.
func (v *verdict) fail(at time.Duration, n sim.Node, topic engine.ID, what string) {
	if v.violation == nil {
		v.violation = &Violation{At: at, Node: n, Topic: topic, What: what}
		return
	}
	v.violation.More++
}
