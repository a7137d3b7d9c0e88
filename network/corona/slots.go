package corona

import (
	"math"
	"time"
)

// slot is a stretch of time that comes again with each period in which a channel is polled, by
// Env.Now modulo the period. Both fields are in milliseconds, and no longer than the period.
type slot struct{ start, width slotTime }

// slotTime is a time in milliseconds.
type slotTime uint32

func (t slotTime) time() time.Duration { return milliseconds(uint32(t)) }

func milliseconds(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }

// newSlot returns the slot that begins at some time; later ones begin each period after it.
func newSlot(start, width, period time.Duration) slot {
	return slot{slotTime(nextTime(start, period, 0) / time.Millisecond), slotTime(min(width, period) / time.Millisecond)}
}

// still is by how much of the mean gap between two polls of a wedge a slot may be out of place.
// Moving it would cost a message and gain nothing: an error of a tenth of the gap at every
// poll adds a hundredth to the mean detection time.
const still = 0.1

// aboutSame reports whether the slot of p is about where that of old is, which has the same period.
func (n *planner) aboutSame(old, p *polled, period time.Duration) bool {
	allowed := still * float64(p.width.time()) / n.layout(p.scope).size
	near := func(a, b slotTime) bool {
		return math.Abs(float64(circular(a.time()-b.time(), period))) <= allowed
	}
	return near(old.start, p.start) && near(old.start+old.width, p.start+p.width)
}

// circular returns d modulo period, from -period/2 to period/2.
func circular(d, period time.Duration) time.Duration {
	d %= period
	switch {
	case d > period/2:
		return d - period
	case d < -period/2:
		return d + period
	}
	return d
}

// nextTime returns the first moment from now on that is a whole number of periods from start.
func nextTime(start, period, now time.Duration) time.Duration {
	wait := (start - now) % period
	if wait < 0 {
		wait += period
	}
	return now + wait
}
