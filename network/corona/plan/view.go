package plan

import (
	"slices"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// view is a node's knowledge of all others. Each slot of its routing table that is not empty has a contact, which
// reports on the nodes below it. Contacts of one node share no node below them. Together with the node itself they
// cover all.
type view struct {
	base  *machine.Base
	digit int // bits that a row of the routing table covers

	contacts []*contact                // by ID
	reach    [engine.Bits + 1]stretch  // of contacts, by the bits that they share with this node
	slots    []*contact                // the same, by row and digit of the routing table; nil: that slot is empty
	order    []*contact                // the same, the deepest row first
	rows     int                       // with contacts
	sums     [engine.Bits/2 + 1]uint32 // nodes that share so many digits with this one, itself included
	summed   bool                      // sums is up to date

	scratch []share // for dividing slots
}

// stretch is a part of a list. A routing table has some thousands of slots at most.
type stretch struct{ from, to uint16 }

// refreshed is a change of contacts: the new ones, and those of slots that are now empty.
type refreshed struct {
	fresh []*contact
	lost  []*contact
}

// refresh updates the contacts from the ring, and reports whether anything has changed. A contact stays while the ring
// knows it, even if the ring now knows a nearer one. A successor has to be sent all assignments anew.
func (v *view) refresh() (r refreshed, changed bool) {
	list := make([]*contact, 0, len(v.contacts)+1)
	self := v.base.Env.Self().ID
	for _, p := range v.base.Ring.WedgeContacts(self, 0) {
		row := self.CommonBits(p.ID) / v.digit
		c := v.inSlot(p.ID)
		switch {
		case c == nil:
			c = &contact{peer: p, row: row, bits: (row + 1) * v.digit, nodes: 1}
			r.fresh = append(r.fresh, c)
		case c.peer.ID == p.ID:
			c.peer = p
		case !v.base.Ring.Knows(c.peer.ID):
			if c.former.IsZero() {
				c.former = c.peer
			}
			c.peer, c.sum = p, 0
			r.fresh = append(r.fresh, c)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *contact) int { return a.peer.ID.Compare(b.peer.ID) })
	if len(r.fresh) == 0 && slices.Equal(list, v.contacts) {
		return r, false
	}
	for _, c := range v.contacts {
		if !slices.Contains(list, c) {
			r.lost = append(r.lost, c)
		}
	}
	v.set(list)
	return r, true
}

// set replaces the contacts.
func (v *view) set(list []*contact) {
	v.contacts, v.summed = list, false
	v.reach = reachOf(list, v.base.Env.Self().ID)
	v.order = slices.Clone(list)
	slices.SortStableFunc(v.order, func(a, b *contact) int { return b.row - a.row })
	v.slots, v.rows = nil, 0
	for i, c := range v.order {
		if i == 0 {
			v.slots = make([]*contact, (c.row+1)<<v.digit)
		}
		v.slots[v.slot(c.row, c.peer.ID)] = c
		if i == 0 || c.row != v.order[i-1].row {
			v.rows++
		}
	}
}

// slot returns the index of the slot of an ID that shares so many digits with this node.
func (v *view) slot(row int, id engine.ID) int { return row<<v.digit + id.Digit(row, v.digit) }

// inSlot returns the contact that answers for an ID, or nil.
func (v *view) inSlot(id engine.ID) *contact {
	row := v.base.Env.Self().ID.CommonBits(id) / v.digit
	if row >= engine.Bits/v.digit || (row+1)<<v.digit > len(v.slots) {
		return nil
	}
	return v.slots[v.slot(row, id)]
}

// contact returns the contact with that ID, or nil.
func (v *view) contact(id engine.ID) *contact {
	if c := v.inSlot(id); c != nil && c.peer.ID == id {
		return c
	}
	return nil
}

// reachOf returns, for each number of bits, where in a list the contacts are that share so many first bits with a node.
// They are on either side of the node's own place, one after the other.
func reachOf(list []*contact, self engine.ID) (reach [engine.Bits + 1]stretch) {
	at, _ := slices.BinarySearchFunc(list, self, func(c *contact, id engine.ID) int { return c.peer.ID.Compare(id) })
	s := stretch{uint16(at), uint16(at)}
	for bits := engine.Bits; bits >= 0; bits-- {
		for s.from > 0 && list[s.from-1].peer.ID.CommonBits(self) >= bits {
			s.from--
		}
		for int(s.to) < len(list) && list[s.to].peer.ID.CommonBits(self) >= bits {
			s.to++
		}
		reach[bits] = s
	}
	return reach
}

// within returns the contacts that share so many first bits with this node.
func (v *view) within(bits uint8) []*contact {
	s := v.reach[bits]
	return v.contacts[s.from:s.to]
}

// nodes returns how many nodes are known to share the first digits with this one, itself included.
func (v *view) nodes(digits int) uint32 {
	if !v.summed {
		v.sum()
	}
	return v.sums[min(digits, len(v.sums)-1)]
}

func (v *view) sum() {
	clear(v.sums[:])
	for _, c := range v.contacts {
		v.sums[c.row] = add(v.sums[c.row], c.nodes)
	}
	all := uint32(1)
	for row := len(v.sums) - 1; row >= 0; row-- {
		all = add(all, v.sums[row])
		v.sums[row] = all
	}
	v.summed = true
}

// add returns a + b, or the greatest uint32.
func add(a, b uint32) uint32 {
	if a+b < a {
		return 1<<32 - 1
	}
	return a + b
}

// pollers returns how many nodes poll a channel by a set of that size. This node counts, as its primary or a member,
// and so do the others in the set.
func (v *view) pollers(channel engine.ID, size machine.Size) float64 {
	arc, count := machine.ArcOf(channel, size), 1.
	for _, c := range v.contacts {
		count += c.inside(arc, v.digit)
	}
	return count
}

// parts returns how many nodes that share row+1 digits with this one have each next digit.
func (v *view) parts(row int) []uint32 {
	list := make([]uint32, 1<<v.digit)
	for d := range list {
		if at := (row+1)<<v.digit + d; at < len(v.slots) && v.slots[at] != nil {
			list[d] = v.slots[at].nodes
		}
	}
	own := v.base.Env.Self().ID.Digit(row+1, v.digit)
	list[own] = add(list[own], v.nodes(row+2))
	return list
}

// contact answers for a slot of the routing table.
type contact struct {
	peer engine.Peer
	// former is the previous contact of this slot. It polls and passes on its assignments until peer has answered: the
	// ring may name a node that has crashed, or cannot be reached. Zero: there was none, or it was dismissed.
	former engine.Peer
	row    int // digits that it shares with this node
	bits   int // bits shared by the nodes that it answers for
	// Its report on these nodes. A contact that replaces another starts with that one's report.
	nodes   uint32
	parts   []uint32 // by the next digit; nil: unknown
	summary Summary
	sum     uint64            // of the Aggregate; 0: it has not reported
	asked   *AggregateRequest // its last request; nil: none

	// dividedNodes and dividedParts are nodes and parts when slots were last divided; 0: it had no share.
	dividedNodes uint32
	dividedParts []uint32
	sums         uint64 // of the assignmentSums of all assignments that it is to have

	greeted     bool   // it was sent all assignments that concern it
	digestsSent int    // since assignments have changed
	digestDue   moment // when the next is due; 0: none is
	repeated    moment // when all assignments were last repeated to it; 0: never
	bundle      int    // its index in the bundles that are being made
}

// inside returns how many of the contact's nodes are in an arc. They are counted, except for those next to an end of
// the arc, which are estimated from their surroundings. Of the contact itself this node knows where it is.
func (c *contact) inside(arc machine.Arc, digit int) float64 {
	return c.count(arc, digit, c.nodes, c.parts)
}

func (c *contact) count(arc machine.Arc, digit int, nodes uint32, parts []uint32) float64 {
	whole := arc.Overlap(c.peer.ID, c.bits)
	if whole == 0 || whole == 1 {
		return whole * float64(nodes)
	}
	itself := 0.
	if arc.Contains(c.peer.ID) {
		itself = 1
	}
	switch {
	case nodes == 1:
		return itself
	case len(parts) != 1<<digit:
		return max(itself, whole*float64(nodes))
	}
	sum, own := 0., c.peer.ID.Digit(c.bits/digit, digit)
	for d, nodes := range parts {
		switch {
		case nodes == 1 && d == own:
			sum += itself
		case nodes > 0:
			sum += arc.Overlap(withDigit(c.peer.ID, c.bits, digit, d), c.bits+digit) * float64(nodes)
		}
	}
	return max(itself, sum)
}

// withDigit returns id with one digit replaced, after the first bits.
func withDigit(id engine.ID, bits, digit, d int) engine.ID {
	at := bits / 8
	if at >= len(id) {
		return id
	}
	shift := 8 - digit - bits%8
	id[at] = id[at]&^(byte(1<<digit-1)<<shift) | byte(d)<<shift
	return id
}
