package sim

import "time"

// Run lets time pass until d from now.
func (w *World) Run(d time.Duration) {
	until := min(later(w.now, max(d, 0)), forever-1)
	w.begin()
	defer w.pause()
	for {
		e, ok := w.queue.pop(int64(until))
		if !ok {
			break
		}
		w.now = time.Duration(e.at)
		w.handle(e)
	}
	w.now = until
}

// RunUntil lets time pass until the condition holds, and reports whether it did within d. The
// condition is asked now and after every event; it must not touch the world.
func (w *World) RunUntil(condition func() bool, within time.Duration) bool {
	until := min(later(w.now, max(within, 0)), forever-1)
	for !condition() {
		if !w.step(until) {
			w.now = until
			return false
		}
	}
	return true
}

// Idle lets time pass until nothing is to come, no message, no timer and nothing of the
// experiment's, and reports whether that was within d.
func (w *World) Idle(within time.Duration) bool {
	until := min(later(w.now, max(within, 0)), forever-1)
	for w.queue.length > w.ticks {
		if !w.step(until) {
			w.now = until
			return false
		}
	}
	return true
}

// Step lets the next event happen, and time pass until then. It returns false if nothing is
// to come.
func (w *World) Step() bool { return w.step(forever - 1) }

func (w *World) step(until time.Duration) bool {
	w.begin()
	defer w.pause()
	e, ok := w.queue.pop(int64(until))
	if !ok {
		return false
	}
	w.now = time.Duration(e.at)
	w.handle(e)
	return true
}

// begin guards against running the world from inside an event.
func (w *World) begin() {
	if w.running {
		panic("sim: the world is run from within one of its events")
	}
	w.running = true
}

func (w *World) pause() { w.running = false }

// handle has an event happen.
func (w *World) handle(e entry) {
	switch e.what() {
	case arrive:
		w.counts.Events++
		w.arrive(e)
	case timer:
		w.fire(e)
	case callWorld:
		w.count(e)
		slot := e.slot()
		call := w.errands.at(slot).call
		*w.errands.at(slot) = errand{}
		w.errands.release(slot)
		call()
	case down:
		w.reportDown(e)
	case serve:
		w.served(e)
	case wake:
		w.wakeUp(e)
	case tick:
		w.ticks--
		w.errands.at(e.slot()).call()
	}
}

// fire calls what a timer is to call, unless it was cancelled.
func (w *World) fire(e entry) {
	v := w.node(e.node)
	if v.condition != nil && v.condition.sleep.on {
		w.hold(e, v.condition)
		return
	}
	if f := w.due(e); f != nil {
		w.count(e)
		w.counts.Timers++
		f()
	}
}

// count notes an event that is no message.
func (w *World) count(e entry) {
	w.counts.Events++
	w.hash.add(uint64(w.now), uint64(e.what())<<48|uint64(uint32(e.node)))
}
