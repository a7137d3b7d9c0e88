package plan

import (
	"math"
	"time"

	"tidings/network/corona/machine"
)

// slot is a stretch of time that recurs with each polling period, by Env.Now modulo the period. Both fields are at most
// the period.
type slot struct{ start, width slotTime }

// slotTime is a time in milliseconds.
type slotTime uint32

func (t slotTime) time() time.Duration { return machine.Milliseconds(uint32(t)) }

// newSlot returns the slot that begins at start; later ones begin each period after it.
func newSlot(start, width, period time.Duration) slot {
	return slot{slotTime(nextTime(start, period, 0) / time.Millisecond),
		slotTime(min(width, period) / time.Millisecond)}
}

// still is the tolerated displacement of a slot, as a fraction of the mean gap between two polls of a set. Moving it
// would cost a message and gain nothing. An error of a tenth of the gap at every poll adds a hundredth to the mean
// detection time.
const still = 0.1

// share is a contact's part of a slot: from and to are fractions of its width.
type share struct {
	contact  *contact
	from, to float64
}

// shares divides a channel's slot among this node and the contacts below it, in the order of their IDs. The node has
// its share first, if it polls; each contact has as much as it has nodes of the set. It returns how many nodes share
// it, and appends the shares to list.
func (s *duties) shares(d *duty, list []share) (all float64, shares []share) {
	if d.member {
		all = 1
	}
	s.below(d, func(c *contact, arc machine.Arc) {
		from := all
		all += c.inside(arc, s.view.digit)
		list = append(list, share{c, from, all})
	})
	for i := range list {
		list[i].from /= max(all, 1)
		list[i].to /= max(all, 1)
	}
	return all, list
}

// delay returns how much later a channel's first slot must begin when its set changes. So the node that is due keeps
// its turn. Otherwise all turns would move with the number of nodes before them, and come again to nodes that have just
// polled. No node would poll the origin until the turns have passed them.
func (s *duties) delay(old, d *duty, period time.Duration) time.Duration {
	was, _ := s.shares(old, nil)
	now, _ := s.shares(d, nil)
	// the part of the slot that has passed
	over := float64(nextTime(s.Env.Now()-old.start.time(), period, 0)) / float64(period)
	left, passed := over*was, 0. // nodes before the turn: of the old set, of the new one
	pass := func(before, after float64) {
		if left > 0 {
			passed += after * min(1, left/max(before, math.SmallestNonzeroFloat64))
			left -= before
		}
	}
	// this node is first; if it was the last to poll, the next one is due after the present gap
	if old.member && d.member {
		if passed = 1; left < 1 {
			passed = min(1, left*now/was)
		}
		left--
	}
	before, after := machine.ArcOf(d.channel.ID, old.size), machine.ArcOf(d.channel.ID, d.size)
	for _, c := range s.view.within(d.scope) {
		pass(c.inside(before, s.view.digit), c.inside(after, s.view.digit))
	}
	return time.Duration((over - passed/max(1, now)) * float64(period))
}

// aboutSame reports whether the slots of d and old, of the same period, are about the same.
func (s *duties) aboutSame(old, d *duty, period time.Duration) bool {
	nodes, _ := s.shares(d, s.view.scratch[:0])
	allowed := still * float64(d.width.time()) / max(1, nodes)
	near := func(a, b slotTime) bool {
		return math.Abs(float64(circular(a.time()-b.time(), period))) <= allowed
	}
	return near(old.start, d.start) && near(old.start+old.width, d.start+d.width)
}

// divideAgain divides the slots anew of all channels with another number of nodes below.
func (s *duties) divideAgain() {
	for _, c := range s.view.contacts {
		if c.dividedNodes == c.nodes && (len(c.parts) == 0 || &c.parts[0] == first(c.dividedParts)) {
			continue
		}
		s.each(c, func(d *duty, arc machine.Arc) {
			was := 0.
			if c.dividedNodes > 0 {
				was = c.count(arc, s.view.digit, c.dividedNodes, c.dividedParts)
			}
			if math.Abs(was-c.inside(arc, s.view.digit)) > still {
				s.pass(d, moved)
			}
		})
		c.dividedNodes, c.dividedParts = c.nodes, c.parts
	}
}

func first(list []uint32) *uint32 {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
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
