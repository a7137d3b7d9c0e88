package sim

import (
	"math/bits"
	"slices"
	"time"
)

// clock is the clock of a node's machine. It began with the world, and stays the same through
// crashes and restarts.
type clock struct {
	rate   uint64        // machine time over true time, in units of 2^-32
	base   time.Duration // machine time at since
	since  time.Duration // true time
	offset time.Duration // of the wall clock
}

const trueRate = 1 << 32

// at returns the machine's time.
func (c *clock) at(now time.Duration) time.Duration {
	passed := now - c.since
	if c.rate == trueRate {
		return c.base + passed
	}
	high, low := bits.Mul64(uint64(passed), c.rate)
	return c.base + time.Duration(high<<32|low>>32)
}

// until returns how much true time passes while the machine counts d: rounded up, so that d
// has passed by the machine too. At most forever.
func (c *clock) until(d time.Duration) time.Duration {
	if c.rate == trueRate {
		return d
	}
	high, low := uint64(d)>>32, uint64(d)<<32
	if high >= c.rate {
		return forever
	}
	quotient, rest := bits.Div64(high, low, c.rate)
	if rest > 0 {
		quotient++
	}
	return time.Duration(min(quotient, forever))
}

// dueAt returns when d of the node's time from now is.
func (w *World) dueAt(v *node, d time.Duration) time.Duration {
	if v.condition != nil {
		d = v.condition.clock.until(d)
	}
	return later(w.now, d)
}

// SetRate makes all clocks of a node's machine run at rate times true time from now on: 2 is twice too fast, 1 true
// again, 1.0001 the drift of a bad crystal. Env.Now, Env.Wall and the timers, those that run already too, follow it. It
// panics unless the rate lies between 1/1024 and 1024.
func (w *World) SetRate(n Node, rate float64) {
	if !(rate >= 1.0/1024 && rate <= 1024) {
		panic("sim: the rate of a clock lies between 1/1024 and 1024")
	}
	c := &w.conditionOf(n).clock
	c.base, c.since = c.at(w.now), w.now
	old := *c
	c.rate = uint64(rate * trueRate) // exact: a power of two
	w.note(noteRate, n, c.rate)
	w.putOffCalls(n, &old, c)
}

// putOffCalls has the running calls of a node follow its clock.
func (w *World) putOffCalls(n Node, old, now *clock) {
	var slots []uint32
	for next := w.node(n).calls; next != 0; {
		slots = append(slots, next-1)
		next = w.timers.slab.at(next - 1).next
	}
	slices.Reverse(slots) // those of one time keep their order
	for _, slot := range slots {
		c := w.timers.slab.at(slot)
		left := max(time.Duration(c.due)-w.now, 0)
		if left == 0 {
			continue
		}
		machine := old.at(w.now+left) - old.base
		if old.rate != trueRate {
			machine++ // was rounded down, and no call may come early
		}
		if due := int64(later(w.now, now.until(machine))); due != c.due {
			c.due = due
			w.queueCall(slot, c)
		}
	}
	w.maybeSweep()
}

// SetWall makes the wall clock of a node wrong by offset from now on: it jumps, forwards or
// back. Env.Now and timers do not.
func (w *World) SetWall(n Node, offset time.Duration) {
	w.conditionOf(n).clock.offset = offset
	w.note(noteWall, n, uint64(offset))
}

// Wall returns what the wall clock of a node shows, whether it is up or not. The world's own
// is Config.Epoch and the time since it began.
func (w *World) Wall(n Node) time.Time {
	v := w.node(n)
	t := w.config.Epoch.Add(w.machineTime(v))
	if v.condition != nil {
		t = t.Add(v.condition.clock.offset)
	}
	return t
}
