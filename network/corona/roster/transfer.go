package roster

import (
	"math/bits"
	"slices"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// transfer sends another owner the entries of some parts of a channel's table, one message after the other. There is at
// most one of a channel to an owner. Later requests join it, so that a slow owner is not sent the same entries again
// and again.
type transfer struct {
	o    *Owned
	to   engine.Peer
	left []uint32 // numbers of subscribers whose entries are still to go
	sum  uint64   // of the table when entries were last requested

	asked bool // requested since the last message: left may be empty, but the state in that message may be old
}

// Bounds of transfers.
const (
	maxTransfers     = 256       // at a time; more are begun when the channel is compared again
	transferEntries  = 1024      // in a message
	transferBytes    = 128 << 10 // of addresses in a message, about
	maxPartBits      = 10
	entriesOfOnePart = 32 // about
)

// partBits returns into how many parts two tables are divided to compare them, as its logarithm.
func partBits(mine, theirs int) uint8 {
	return uint8(min(bits.Len(uint(max(mine, theirs)/entriesOfOnePart)), maxPartBits))
}

// part returns the part that a subscriber belongs to.
func (v *subscriber) part(partBits uint8) uint16 { return uint16(v.hash >> 1 >> (63 - partBits)) }

// sums returns the sum of each part.
func (r *readers) sums(p *subscribers, partBits uint8) []uint64 {
	sums := make([]uint64, 1<<partBits)
	for _, e := range r.entries {
		sums[p.list[e.number].part(partBits)] += e.hash(p)
	}
	return sums
}

// parts makes a channel's Parts, without a state if there is no record.
func (c *comparer) parts(o *Owned, partBits uint8) *Parts {
	m := &Parts{Channel: o.channel.ID, Bits: partBits}
	if !o.gone {
		m.State = c.host.State(o)
	}
	if o.Entries() > 0 {
		m.Sums = o.readers.sums(&c.tables.subscribers, partBits)
	}
	return m
}

// receiveParts sends an owner with another table what it lacks, and requests what is not here.
func (c *comparer) receiveParts(from engine.Peer, m *Parts) {
	o := c.tables.Find(m.Channel)
	if o == nil || m.Bits > maxPartBits || len(m.Sums) != 0 && len(m.Sums) != 1<<m.Bits {
		return
	}
	c.host.Merge(o, from, m.State)
	c.hasReported(o, from)
	want := &Want{Channel: m.Channel, Bits: m.Bits}
	differ := make([]bool, 1<<m.Bits)
	for i, sum := range o.readers.sums(&c.tables.subscribers, m.Bits) {
		var theirs uint64
		if len(m.Sums) > 0 {
			theirs = m.Sums[i]
		}
		if differ[i] = sum != theirs; differ[i] && theirs != 0 {
			want.Parts = append(want.Parts, uint16(i))
		}
	}
	if len(want.Parts) > 0 {
		c.Env.Send(from, want)
	}
	c.transfer(o, from, m.Bits, differ)
}

// receiveWant sends the requested parts.
func (c *comparer) receiveWant(from engine.Peer, m *Want) {
	o := c.tables.Find(m.Channel)
	if o == nil || m.Bits > maxPartBits {
		return
	}
	differ := make([]bool, 1<<m.Bits)
	for _, i := range m.Parts {
		if int(i) < len(differ) {
			differ[i] = true
		}
	}
	c.transfer(o, from, m.Bits, differ)
}

// transfer sends another owner the entries of some parts, and the state.
func (c *comparer) transfer(o *Owned, to engine.Peer, partBits uint8, differ []bool) {
	if t := o.transferTo(to.ID); t != nil {
		t.add(&c.tables.subscribers, partBits, differ)
		return
	}
	if c.transfers >= maxTransfers {
		c.LimitHit("maxTransfers", maxTransfers)
		return
	}
	c.transfers++
	t := &transfer{o: o, to: to}
	o.transfers = append(o.transfers, t)
	t.add(&c.tables.subscribers, partBits, differ)
	c.goOn(t)
}

// transferTo returns the transfer to an owner that is under way, if there is one.
func (o *Owned) transferTo(to engine.ID) *transfer {
	for _, t := range o.transfers {
		if t.to.ID == to {
			return t
		}
	}
	return nil
}

// add adds the entries of some parts, each once.
func (t *transfer) add(p *subscribers, partBits uint8, differ []bool) {
	t.sum, t.asked = t.o.readers.sum, true
	waiting := make(map[uint32]bool, len(t.left))
	for _, number := range t.left {
		waiting[number] = true
	}
	for _, e := range t.o.readers.entries {
		if differ[p.list[e.number].part(partBits)] && !waiting[e.number] {
			t.left = append(t.left, e.number)
		}
	}
}

// goOn sends the next message of a transfer.
func (c *comparer) goOn(t *transfer) {
	t.asked = false
	m := &Entries{Channel: t.o.channel.ID, URL: t.o.channel.URL, State: c.host.State(t.o),
		Number: c.dispatcher.number()}
	for bytes := 0; len(t.left) > 0 && len(m.Subscriptions) < transferEntries && bytes < transferBytes; {
		number := t.left[len(t.left)-1]
		t.left = t.left[:len(t.left)-1]
		if i, ok := t.o.readers.find(number); ok {
			s := c.tables.Subscription(t.o, i)
			bytes += len(s.Node.Address) + len(s.Outside)
			m.Subscriptions = append(m.Subscriptions, s)
		}
	}
	c.dispatcher.dispatch(t.to, m.Number, m, func(stored bool) {
		if stored && !t.o.gone && (t.asked || len(t.left) > 0) {
			c.goOn(t)
			return
		}
		c.transfers--
		t.o.transfers = slices.DeleteFunc(t.o.transfers, func(other *transfer) bool { return other == t })
		if stored && !t.o.gone {
			c.transferred(t)
		}
	})
}

// transferred is called when another owner has received everything. A node that leaves relies on it only if nothing has
// come since, and if it has asked all owners. Otherwise it asks the primary again, which answers when the others have
// it too.
func (c *comparer) transferred(t *transfer) {
	c.Env.Trace(Transferred{t.o.channel.ID, t.to})
	switch {
	case t.o.Leaving() && t.o.far:
		// ever more seldom, as long as nothing new comes
		c.at(t.o, c.Env.Now()+min(compareWait<<t.o.tries, c.config.Maintenance))
	case !t.o.Leaving() || t.sum == t.o.readers.sum:
		c.hasAll(t.o, t.to)
	}
}

// receiveEntries merges another owner's present or former entries, except those that the named nodes have not signed.
func (c *comparer) receiveEntries(from engine.Peer, m *Entries) {
	channel := machine.Channel{ID: m.Channel, URL: m.URL}
	list := make([]named, len(m.Subscriptions))
	for i := range m.Subscriptions {
		list[i] = named{channel, &m.Subscriptions[i], false}
	}
	c.tables.check(list, func(valid []named) {
		o := c.tables.Find(m.Channel)
		if o == nil && c.owners.Owns(m.Channel) {
			o = c.tables.own(channel)
		}
		if o == nil {
			return
		}
		was := o.readers.sum
		for _, s := range valid {
			before, had := c.tables.entryOf(o, s.Node.ID, s.Outside)
			result := c.tables.merge(o, s.Subscription)
			if result == kept && (!had || before.stamp < s.Stamp) {
				// a newer one: the other owner may have acknowledged it as the primary
				c.host.Reported(o, s.Subscription)
			}
			if !had || result == refused {
				continue
			}
			if r := correction(s, before); r != nil {
				c.intake.acknowledge(r)
			}
		}
		c.intake.sendAcknowledgements()
		c.host.Merge(o, from, m.State)
		if c.tables.maybeForget(o); o.readers.sum != was {
			c.spread(o, from)
		}
		c.Env.Send(from, &Stored{m.Number})
	})
}

// correction asks a node to repeat its subscription; nil if there is no need. One owner holds it, and another holds its
// end with a higher stamp: the node's calendar may have been set back in between. A node that has ended it since does
// not answer.
func correction(s named, before entry) *receipt {
	ended := before
	if s.Stamp > before.stamp {
		ended = entry{stamp: s.Stamp, count: s.Count}
	}
	if ended.count != 0 || before.count == s.Count {
		return nil
	}
	return &receipt{to: s.Node, answer: Acknowledged{Channel: s.channel.ID, Outside: s.Outside, Stamp: ended.stamp}}
}

// spread schedules a comparison of one owner's news with the others.
func (c *comparer) spread(o *Owned, from engine.Peer) {
	var keep uint16
	if i := o.position(from.ID); i >= 0 {
		keep = 1 << i
	}
	if o.equal &= keep; o.gone {
		return
	}
	o.tries = 0
	c.at(o, c.Env.Now()+compareWait+c.Chance(compareWait))
}
