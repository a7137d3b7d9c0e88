package roster

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/table"
)

// comparer compares the tables here with those of the other owners, and sends them what they lack.
type comparer struct {
	machine.Base
	owners     *machine.Ownership
	host       Host
	config     *Config
	tables     *tables
	intake     *intake
	dispatcher *dispatcher

	round     round                // the regular one over all channels
	syncs     table.Agenda[*Owned] // when channels are compared next
	alarm     engine.Alarm
	transfers int // under way
}

// How channels are compared: a page at a time, and again, ever more seldom, with owners that do not answer.
const (
	pageChannels  = 256
	pagePause     = 100 * time.Millisecond
	compareWait   = 2 * time.Second // doubled each time
	informWait    = 500 * time.Millisecond
	compareTries  = 8   // then the next round does it
	compareWaits  = 8   // how often a channel with a changing table is put off
	informedAfter = 3   // tries after which a silent owner counts as having nothing to send
	maxDigests    = 256 // in a message
)

// at schedules the comparison of a channel with the other owners that may lack something.
func (c *comparer) at(o *Owned, at time.Duration) {
	o.due = at
	c.syncs.Put(o)
	c.alarm.Soon(c.Env, at, c.compareDue)
}

// compareDue compares the due channels, one page of them.
func (c *comparer) compareDue() {
	var out batches[Digest]
	now := c.Env.Now()
	for range pageChannels {
		o, ok := c.syncs.Next()
		if !ok || o.due > now {
			break
		}
		c.syncs.Remove(o)
		c.compare(o, &out)
	}
	c.sendDigests(out)
	if o, ok := c.syncs.Next(); ok {
		c.alarm.Soon(c.Env, max(o.due, now+pagePause), c.compareDue)
	}
}

// compare asks the other owners what they have, unless they are known to have the same, and schedules the next try.
func (c *comparer) compare(o *Owned, out *batches[Digest]) {
	c.tables.Reassess(o)
	c.syncs.Remove(o)
	wait := compareWait
	if o.Primary() && !o.informed { // no node polls until it is
		wait = informWait
	}
	if now := c.Env.Now(); !o.Leaving() && o.tries == 0 && o.waits < compareWaits && now < o.touched+wait {
		o.waits++ // Copies are on their way
		c.at(o, now+wait)
		return
	}
	o.waits = 0
	if o.Shared() {
		c.allEqual(o)
		return
	}
	if o.tries++; o.tries >= informedAfter {
		c.inform(o)
	}
	c.sendDigest(o, out)
	wait = min(compareWait<<o.tries, c.config.Maintenance)
	if o.tries >= compareTries {
		if !o.Leaving() {
			return
		}
		o.tries = compareTries
	}
	c.at(o, c.Env.Now()+wait+c.Chance(wait/8))
}

func (c *comparer) sendDigest(o *Owned, out *batches[Digest]) {
	d := o.digest()
	_, sure := c.Ring.Owners(o.channel.ID, c.config.Owners)
	if o.far = o.Leaving() && !sure; o.far {
		c.Ring.Route(o.channel.ID, &Digests{[]Digest{d}})
		return
	}
	for i, p := range o.others {
		if o.equal>>i&1 == 0 {
			out.add(p, d, maxDigests)
		}
	}
}

func (c *comparer) sendDigests(out batches[Digest]) {
	for _, b := range out {
		c.Env.Send(b.to, &Digests{b.list})
	}
}

// digest sums up the table of a channel.
func (o *Owned) digest() Digest {
	return Digest{Channel: o.channel.ID, Sum: o.readers.sum, Version: o.version, Stamp: o.stamp,
		Entries: uint32(o.Entries())}
}

func (o *Owned) equals(d *Digest) bool {
	return o.readers.sum == d.Sum && o.version == d.Version && o.stamp == d.Stamp
}

// compareDigests answers digests, and notes answers.
func (c *comparer) compareDigests(from engine.Peer, m *Digests) {
	var out batches[Digest]
	for i := range m.Digests {
		d := &m.Digests[i]
		o := c.tables.Find(d.Channel)
		switch {
		case o == nil && (d.Answer || !c.owners.Owns(d.Channel)):
			continue
		case o == nil:
			o = &Owned{channel: machine.Channel{ID: d.Channel}, gone: true} // nothing
		default:
			if !d.Answer && o.rank > 0 && from.ID == o.others[0].ID {
				o.compared = c.Env.Now()
			}
			c.host.Compared(o, d.Version)
		}
		switch {
		case !c.agree(o, d, from):
			if !d.Answer {
				c.Env.Send(from, c.parts(o, partBits(o.Entries(), int(d.Entries))))
			}
			continue
		case !d.Answer && o.position(from.ID) < 0 && !o.Shared():
			continue // it leaves, and is to wait until all owners have what this one has
		case !d.Answer:
			answer := o.digest()
			answer.Answer = true
			out.add(from, answer, maxDigests)
		}
		c.hasAll(o, from)
	}
	c.sendDigests(out)
}

// agree reports whether this node and the sender of a digest have nothing to send each other. A node that leaves a
// channel far from it merges no state of an owner, as it does not know it as one. It has nothing to send if the owner's
// state is not older.
func (c *comparer) agree(o *Owned, d *Digest, from engine.Peer) bool {
	older := d.Version < o.version || d.Version == o.version && d.Stamp < o.stamp // than the state here
	switch {
	case o.equals(d):
		return true
	case d.Answer:
		return o.far && o.Leaving() && d.Sum == o.readers.sum && !older
	}
	return d.Sum == o.readers.sum && older && !c.tables.Near(d.Channel, from)
}

// hasAll notes that another owner has all that this node has of a channel.
func (c *comparer) hasAll(o *Owned, p engine.Peer) {
	if o.far && o.Leaving() {
		c.allEqual(o) // the primary sees to the others
		return
	}
	i := o.position(p.ID)
	if i < 0 {
		return
	}
	if o.equal |= 1 << i; o.Shared() {
		c.allEqual(o)
	}
}

// hasReported notes that another owner has sent all it knows except the subscriptions.
func (c *comparer) hasReported(o *Owned, p engine.Peer) {
	i := o.position(p.ID)
	if i < 0 || o.informed {
		return
	}
	if o.reported |= 1 << i; o.reported|o.equal == o.all() {
		c.inform(o)
	}
}

// allEqual is called when all other owners have all that this node has.
func (c *comparer) allEqual(o *Owned) {
	o.tries = 0
	c.syncs.Remove(o)
	if o.Leaving() {
		c.tables.forget(o)
		return
	}
	c.inform(o)
}

func (c *comparer) inform(o *Owned) {
	if !o.informed && !o.Leaving() {
		o.informed = true
		c.host.Changed(o)
		c.host.Informed(o)
	}
}
