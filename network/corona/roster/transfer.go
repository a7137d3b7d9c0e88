package roster

import (
	"math/bits"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// transfer gives another owner the entries of some parts of a channel's table, one message after the other.
type transfer struct {
	o   *Owned
	to  engine.Peer
	who []uint32 // subscribers whose entries are still to go
	sum uint64   // of the table at the beginning
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
		sums[p.list[e.who].part(partBits)] += e.hash(p)
	}
	return sums
}

// parts makes a channel's Parts. Where nothing is held of it there is no state either.
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

// takeParts gives who holds something else what it has not, and asks for what is not here.
func (c *comparer) takeParts(from engine.Peer, m *Parts) {
	o := c.tables.Find(m.Channel)
	if o == nil || m.Bits > maxPartBits || len(m.Sums) != 0 && len(m.Sums) != 1<<m.Bits {
		return
	}
	c.host.Merge(o, from, m.State)
	c.hasTold(o, from)
	want := &Want{Channel: m.Channel, Bits: m.Bits}
	give := make([]bool, 1<<m.Bits)
	for i, sum := range o.readers.sums(&c.tables.subscribers, m.Bits) {
		var theirs uint64
		if len(m.Sums) > 0 {
			theirs = m.Sums[i]
		}
		if give[i] = sum != theirs; give[i] && theirs != 0 {
			want.Parts = append(want.Parts, uint16(i))
		}
	}
	if len(want.Parts) > 0 {
		c.Env.Send(from, want)
	}
	c.transfer(o, from, m.Bits, give)
}

// takeWant gives what was asked for.
func (c *comparer) takeWant(from engine.Peer, m *Want) {
	o := c.tables.Find(m.Channel)
	if o == nil || m.Bits > maxPartBits {
		return
	}
	give := make([]bool, 1<<m.Bits)
	for _, i := range m.Parts {
		if int(i) < len(give) {
			give[i] = true
		}
	}
	c.transfer(o, from, m.Bits, give)
}

// transfer begins to give another owner the entries of some parts, and the state.
func (c *comparer) transfer(o *Owned, to engine.Peer, partBits uint8, give []bool) {
	if c.transfers >= maxTransfers {
		c.LimitHit("maxTransfers", maxTransfers)
		return
	}
	c.transfers++
	t := &transfer{o: o, to: to, sum: o.readers.sum}
	for _, e := range o.readers.entries {
		if give[c.tables.subscribers.list[e.who].part(partBits)] {
			t.who = append(t.who, e.who)
		}
	}
	c.goOn(t)
}

// goOn sends the next message of a transfer.
func (c *comparer) goOn(t *transfer) {
	m := &Entries{Channel: t.o.channel.ID, URL: t.o.channel.URL, State: c.host.State(t.o), Number: c.dispatcher.number()}
	for bytes := 0; len(t.who) > 0 && len(m.Subscriptions) < transferEntries && bytes < transferBytes; {
		who := t.who[len(t.who)-1]
		t.who = t.who[:len(t.who)-1]
		if i, ok := t.o.readers.find(who); ok {
			s := c.tables.Subscription(t.o, i)
			bytes += len(s.Node.Address) + len(s.Outside)
			m.Subscriptions = append(m.Subscriptions, s)
		}
	}
	c.dispatcher.dispatch(t.to, m.Number, m, func(stored bool) {
		if stored && !t.o.gone && len(t.who) > 0 {
			c.goOn(t)
			return
		}
		if c.transfers--; stored && !t.o.gone {
			c.transferred(t)
		}
	})
}

// transferred is called when another owner has all that it was to get. A node that leaves goes by it only if nothing has come since, and if it has asked all
// owners: else it asks the primary again, which answers when the others have it too.
func (c *comparer) transferred(t *transfer) {
	c.Env.Trace(Transferred{t.o.channel.ID, t.to})
	switch {
	case t.o.Leaving() && t.o.far:
		c.at(t.o, c.Env.Now()+min(compareWait<<t.o.tries, c.config.Maintenance)) // ever more seldom, as long as nothing new comes
	case !t.o.Leaving() || t.sum == t.o.readers.sum:
		c.hasAll(t.o, t.to)
	}
}

// takeEntries takes what another owner has, or had, but for what is not signed by whom it names.
func (c *comparer) takeEntries(from engine.Peer, m *Entries) {
	channel := machine.Channel{ID: m.Channel, URL: m.URL}
	list := make([]named, len(m.Subscriptions))
	for i := range m.Subscriptions {
		list[i] = named{channel, &m.Subscriptions[i]}
	}
	c.tables.check(list, func(valid []named) {
		o := c.tables.Find(m.Channel)
		if o == nil && c.Owns(m.Channel) {
			o = c.tables.own(channel)
		}
		if o == nil {
			return
		}
		was := o.readers.sum
		for _, s := range valid {
			before, had := c.tables.entryOf(o, s.Node.ID, s.Outside)
			result := c.tables.merge(o, s.Subscription)
			switch {
			case result == kept && !had:
				c.host.Told(o, s.Subscription)
			case result != refused:
				c.ask(s, before)
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

// ask has a node say once more what it wants where one owner holds its subscription, and another holds with a higher stamp that it has ended:
// the node's calendar may have been put back in between. A node that has ended it since does not answer.
func (c *comparer) ask(s named, before entry) {
	ended := before
	if s.Stamp > before.stamp {
		ended = entry{stamp: s.Stamp, count: s.Count}
	}
	if ended.count == 0 && before.count != s.Count {
		c.intake.acknowledge(&receipt{to: s.Node, answer: Acknowledged{Channel: s.channel.ID, Outside: s.Outside, Stamp: ended.stamp}})
	}
}

// spread has what came from one owner compared with the others.
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
