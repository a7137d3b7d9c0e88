package plan

import (
	"math"
	"time"

	"tidings/network/corona/machine"
)

// slot is a stretch of time that comes again with each period in which a channel is polled, by Env.Now modulo the period. Both fields are no longer than the period.
type slot struct{ start, width slotTime }

// slotTime is a time in milliseconds.
type slotTime uint32

func (t slotTime) time() time.Duration { return milliseconds(uint32(t)) }

func milliseconds(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }

// newSlot returns the slot that begins at some time; later ones begin each period after it.
func newSlot(start, width, period time.Duration) slot {
	return slot{slotTime(nextTime(start, period, 0) / time.Millisecond), slotTime(min(width, period) / time.Millisecond)}
}

// still is by how much of the mean gap between two polls of a set a slot may be out of place. Moving it would cost a message and gain nothing: an error of a tenth
// of the gap at every poll adds a hundredth to the mean detection time.
const still = 0.1

// share is a contact's part of a slot: from and to are fractions of its width.
type share struct {
	contact  *contact
	from, to float64
}

// shares divides a channel's slot among this node and the contacts below it, in the order of their IDs: the node has its share first, if it polls, each contact
// as much as it has nodes of the set. It returns how many nodes share it, and appends the shares to list.
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

// delay returns by how much later a channel's first slot is to begin when its set becomes another, so that the node that is due
// keeps its turn. Else the turns of all move by the part of the interval by which those before them have become more or fewer, and
// come again to nodes that have just polled. The origin would be asked by none of them until the turns have passed them.
func (s *duties) delay(old, d *duty, period time.Duration) time.Duration {
	was, _ := s.shares(old, nil)
	now, _ := s.shares(d, nil)
	over := float64(nextTime(s.Env.Now()-old.start.time(), period, 0)) / float64(period) // the part of the slot that has passed
	left, passed := over*was, 0.                                                         // nodes before the turn: of the old set, of the new one
	pass := func(before, after float64) {
		if left > 0 {
			passed += after * min(1, left/max(before, math.SmallestNonzeroFloat64))
			left -= before
		}
	}
	if old.member && d.member { // this node is first; where it was the last to poll, the next one is due as late as nodes are apart now
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

// aboutSame reports whether the slot of d is about where that of old is, which has the same period.
func (s *duties) aboutSame(old, d *duty, period time.Duration) bool {
	nodes, _ := s.shares(d, s.view.scratch[:0])
	allowed := still * float64(d.width.time()) / max(1, nodes)
	near := func(a, b slotTime) bool {
		return math.Abs(float64(circular(a.time()-b.time(), period))) <= allowed
	}
	return near(old.start, d.start) && near(old.start+old.width, d.start+d.width)
}

// divideAgain has the slots of all channels divided anew whose nodes below have become more or fewer.
func (s *duties) divideAgain() {
	for _, c := range s.view.contacts {
		if c.told == c.nodes && (len(c.parts) == 0 || &c.parts[0] == first(c.toldParts)) {
			continue
		}
		s.each(c, func(d *duty, arc machine.Arc) {
			was := 0.
			if c.told > 0 {
				was = c.count(arc, s.view.digit, c.told, c.toldParts)
			}
			if math.Abs(was-c.inside(arc, s.view.digit)) > still {
				s.pass(d, moved)
			}
		})
		c.told, c.toldParts = c.nodes, c.parts
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
