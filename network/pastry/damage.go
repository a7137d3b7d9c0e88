package pastry

import "time"

// damage is that the leaf set has lost a node and may have gaps. It lasts until a repair finds no new node. At most one
// repair is due at a time.
type damage struct {
	due    bool          // a repair is
	all    bool          // it asks, and so notifies, all neighbours
	since  time.Duration // when it began; 0: the leaf set is whole
	gained bool          // a node entered the leaf set since the latest repair was due
}

// notify has the next repair ask all neighbours.
func (d *damage) notify() { d.all = true }

// gain notes that a node has entered the leaf set.
func (d *damage) gain() { d.gained = true }

// found notes damage. It reports whether a repair is to come that was not due before.
func (d *damage) found(now time.Duration) bool {
	if d.due {
		return false
	}
	d.due, d.gained = true, false
	if d.since == 0 {
		d.since = now
	}
	return true
}

// repair begins the repair that is due. It reports whether to ask all neighbours.
func (d *damage) repair() (all bool) {
	all = d.all
	d.due, d.all = false, false
	return all
}

// grew reports whether a repair has brought a node: the others may have gained as well since they answered.
func (d *damage) grew() bool { return d.since > 0 && d.gained }

// mended ends the damage. It returns how long that was, and whether there was any.
func (d *damage) mended(now time.Duration) (lasted time.Duration, was bool) {
	since := d.since
	d.since = 0
	return now - since, since > 0
}
