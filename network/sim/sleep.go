package sim

import "time"

// sleep is a process that does not run.
type sleep struct {
	on         bool
	machine    bool // the machine sleeps, not the process alone
	until      time.Duration
	generation uint32  // of the wake event to come; others are void
	held       []entry // what fell due, in order
	messages   int     // of them
	peak       int
	senders    senders
}

// over returns what remains of a sleep that has ended: what was the most.
func (s *sleep) over() sleep {
	return sleep{generation: s.generation, peak: s.peak, senders: senders{peak: s.senders.peak}}
}

// Pause stops a node's process for d, as a long collection of garbage, a debugger or SIGSTOP do. The clock goes on.
// When the process wakes, everything that fell due meanwhile happens at that moment, in its order: timers, and up to
// Config.Queue messages (beyond, the oldest of the least urgent class is dropped). A node that sends to it gets
// PeerDown if it is still paused Detect later; the messages arrive all the same.
func (w *World) Pause(n Node, d time.Duration) { w.sleepFor(n, d, false) }

// Suspend puts a node's machine to sleep for d, as when a laptop is closed. It differs from
// Pause in that messages that come meanwhile are lost and their senders learn it: none is there.
func (w *World) Suspend(n Node, d time.Duration) { w.sleepFor(n, d, true) }

func (w *World) sleepFor(n Node, d time.Duration, machine bool) {
	if !w.node(n).up() {
		return
	}
	w.note(noteSleep, n, uint64(d))
	s := &w.conditionOf(n).sleep
	s.on, s.machine = true, s.machine || machine
	s.until = max(s.until, later(w.now, d))
	s.generation = (s.generation + 1) % (1 << slotBits)
	w.queue.push(entry{at: int64(s.until), ref: refOf(wake, s.generation), node: n})
}

// hold keeps an event until the node wakes.
func (w *World) hold(e entry, c *condition) {
	s := &c.sleep
	s.held = append(s.held, e)
	switch e.what() {
	case timer:
		w.timers.queued--
	case arrive:
		s.senders.add(w.passages.at(e.slot()).from)
		if s.messages++; s.messages > w.config.Queue {
			w.shedHeld(s)
		}
		s.peak = max(s.peak, s.messages)
	}
}

// shedHeld drops the oldest held message of the least urgent class.
func (w *World) shedHeld(s *sleep) {
	victim := -1
	for i, e := range s.held {
		if e.what() != arrive {
			continue
		}
		if victim < 0 || w.passages.at(e.slot()).class > w.passages.at(s.held[victim].slot()).class {
			victim = i
		}
	}
	slot := s.held[victim].slot()
	s.held = append(s.held[:victim], s.held[victim+1:]...)
	s.messages--
	s.senders.remove(w.passages.at(slot).from)
	w.drop(slot, InboxFull)
}

// Wake ends a node's pause or sleep now, if it is in one.
func (w *World) Wake(n Node) {
	if c := w.node(n).condition; c != nil && c.sleep.on {
		w.wakeUp(entry{ref: refOf(wake, c.sleep.generation), node: n})
	}
}

// wakeUp ends a node's sleep and has happen what was held.
func (w *World) wakeUp(e entry) {
	v := w.node(e.node)
	s := &v.condition.sleep
	if !s.on || s.generation != e.slot() {
		return
	}
	w.note(noteWake, e.node, 0)
	held := s.held
	*s = s.over()
	for _, h := range held {
		switch h.what() {
		case timer:
			w.timers.queued++
			w.fire(h)
		case down:
			w.reportDown(h)
		case serve:
			w.served(h)
		case arrive:
			if !v.up() {
				w.losing(h.slot(), Crashed)
			} else {
				w.reach(h)
			}
		}
	}
}

// endSleep drops what is held at a node that crashed.
func (w *World) endSleep(n Node, c *condition) {
	held := c.sleep.held
	c.sleep = c.sleep.over()
	for _, h := range held {
		switch h.what() {
		case timer:
			w.timers.queued++
			w.dropEntry(h.slot(), w.timers.slab.at(h.slot()))
		case down:
			*w.errands.at(h.slot()) = errand{}
			w.errands.release(h.slot())
		case arrive:
			w.losing(h.slot(), Crashed)
		}
	}
}
