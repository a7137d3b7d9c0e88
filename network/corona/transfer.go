package corona

import (
	"math/bits"

	"tidings/network/engine"
)

// transfer gives another owner the entries of some parts of a channel's table, one message after
// the other.
type transfer struct {
	o   *owned
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

// parts makes a channel's Parts.
func (o *owned) parts(partBits uint8, n *roster) *Parts {
	m := &Parts{Channel: o.channel.ID, Bits: partBits, State: n.node.version.StateOf(o)}
	if len(o.readers.entries) > 0 {
		m.Sums = o.readers.sums(&n.owned.subscribers, partBits)
	}
	return m
}

// takeParts gives who holds something else what it has not, and asks for what is not here.
func (n *roster) takeParts(from engine.Peer, m *Parts) {
	o := n.Find(m.Channel)
	if o == nil || m.Bits > maxPartBits || len(m.Sums) != 0 && len(m.Sums) != 1<<m.Bits {
		return
	}
	n.node.version.MergeState(o, from, m.State)
	n.hasTold(o, from)
	want := &Want{Channel: m.Channel, Bits: m.Bits}
	give := make([]bool, 1<<m.Bits)
	for i, sum := range o.readers.sums(&n.owned.subscribers, m.Bits) {
		var theirs uint64
		if len(m.Sums) > 0 {
			theirs = m.Sums[i]
		}
		if give[i] = sum != theirs; give[i] && theirs != 0 {
			want.Parts = append(want.Parts, uint16(i))
		}
	}
	if len(want.Parts) > 0 {
		n.Env.Send(from, want)
	}
	n.transfer(o, from, m.Bits, give)
}

// takeWant gives what was asked for.
func (n *roster) takeWant(from engine.Peer, m *Want) {
	o := n.Find(m.Channel)
	if o == nil || m.Bits > maxPartBits {
		return
	}
	give := make([]bool, 1<<m.Bits)
	for _, i := range m.Parts {
		if int(i) < len(give) {
			give[i] = true
		}
	}
	n.transfer(o, from, m.Bits, give)
}

// transfer begins to give another owner the entries of some parts, and the state.
func (n *roster) transfer(o *owned, to engine.Peer, partBits uint8, give []bool) {
	if n.owned.transfers >= maxTransfers {
		n.LimitHit("maxTransfers", maxTransfers)
		return
	}
	n.owned.transfers++
	t := &transfer{o: o, to: to, sum: o.readers.sum}
	for _, e := range o.readers.entries {
		if give[n.owned.subscribers.list[e.who].part(partBits)] {
			t.who = append(t.who, e.who)
		}
	}
	n.goOn(t)
}

// goOn sends the next message of a transfer.
func (n *roster) goOn(t *transfer) {
	m := &Entries{Channel: t.o.channel.ID, URL: t.o.channel.URL, State: n.node.version.StateOf(t.o), Number: n.number()}
	for bytes := 0; len(t.who) > 0 && len(m.Subscriptions) < transferEntries && bytes < transferBytes; {
		who := t.who[len(t.who)-1]
		t.who = t.who[:len(t.who)-1]
		if i, ok := t.o.readers.find(who); ok {
			s := n.Subscription(t.o, i)
			bytes += len(s.Node.Address) + len(s.Outside)
			m.Subscriptions = append(m.Subscriptions, s)
		}
	}
	n.dispatch(t.to, m.Number, m, func(stored bool) {
		switch {
		case t.o.gone || !stored:
			n.owned.transfers--
		case len(t.who) > 0:
			n.goOn(t)
		default:
			n.owned.transfers--
			n.transferred(t)
		}
	})
}

// transferred is called when another owner has all that it was to get. A node that leaves goes
// by it only if nothing has come since, and if it has asked all owners: else it asks the primary
// again, which answers when the others have it too.
func (n *roster) transferred(t *transfer) {
	n.Env.Trace(Transferred{t.o.channel.ID, t.to})
	switch {
	case t.o.leaving() && t.o.far:
		n.SyncAt(t.o, n.Env.Now()+compareWait)
	case !t.o.leaving() || t.sum == t.o.readers.sum:
		n.hasAll(t.o, t.to)
	}
}

// takeEntries takes what another owner has, or had, but for what is not signed by whom it names.
func (n *roster) takeEntries(from engine.Peer, m *Entries) {
	list := make([]named, len(m.Subscriptions))
	for i := range m.Subscriptions {
		list[i] = named{m.Channel, &m.Subscriptions[i]}
	}
	n.checkSubscriptions(list, func(valid func(int) bool) { n.mergeEntries(from, m, valid) })
}

func (n *roster) mergeEntries(from engine.Peer, m *Entries, valid func(i int) bool) {
	o := n.Find(m.Channel)
	if o == nil && n.Owns(m.Channel) {
		o = n.own(Channel{ID: m.Channel, URL: m.URL})
	}
	if o == nil {
		return
	}
	was := o.readers.sum
	for i := range m.Subscriptions {
		if !valid(i) {
			continue
		}
		s := &m.Subscriptions[i]
		_, had := n.entryOf(o, s.Node.ID, s.Outside)
		if n.merge(o, s) == kept && !had {
			n.node.version.dissemination.untold(o, s)
		}
	}
	n.node.version.MergeState(o, from, m.State)
	if n.maybeForget(o); o.readers.sum != was {
		n.spread(o, from)
	}
	n.Env.Send(from, &Stored{m.Number})
}

// spread has what came from one owner compared with the others.
func (n *roster) spread(o *owned, from engine.Peer) {
	var keep uint16
	if i := o.position(from.ID); i >= 0 {
		keep = 1 << i
	}
	if o.equal &= keep; o.gone {
		return
	}
	o.tries = 0
	n.SyncAt(o, n.Env.Now()+compareWait+n.Chance(compareWait))
}
