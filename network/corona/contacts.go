package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// contact is who stands for a slot of the routing table.
type contact struct {
	peer engine.Peer
	bits int // that it shares with this node
	row  int // digits that it shares with this node
	// What it said of its subtree, those who share row+1 digits with it. A contact that
	// stands in for another starts with what that one said.
	nodes    uint32
	clusters honeycomb.Aggregate
	total    honeycomb.Cluster // of clusters
	sum      uint64            // of the Aggregate; 0: it has not said anything
	steer    int32             // as in the Aggregate
	asked    *AggregateRequest // that it was sent last; nil: none was

	greeted     bool          // it was told all assignments that concern it
	digestDue   time.Duration // when a MaintenanceDigest is due because assignments have changed; 0: none
	digestsSent int           // that were sent since they have
	repeated    time.Duration // when all assignments were repeated to it last; 0: never
}

// lookForContacts brings the list of contacts up to date with the ring. A contact stays as long
// as the ring knows it, even where it now knows one that is nearer: whoever stands in the same
// place has to be told all assignments anew.
func (n *planner) lookForContacts() {
	c := &n.aggregation
	list, replaced := make([]*contact, 0, len(c.contacts)+1), false
	for _, p := range n.Ring.WedgeContacts(n.Env.Self().ID, 0) {
		bits := n.Env.Self().ID.CommonBits(p.ID)
		row := bits / n.config.Digit
		old := n.inSlot(p.ID, (row+1)*n.config.Digit)
		switch {
		case old == nil:
			old = &contact{peer: p, bits: bits, row: row, nodes: 1}
			n.newContact(old)
		case old.peer.ID == p.ID:
			old.peer = p
		case !n.Ring.Knows(old.peer.ID):
			n.replaceContact(old, p, bits)
			replaced = true
		}
		list = append(list, old)
	}
	slices.SortFunc(list, func(a, b *contact) int { return a.peer.ID.Compare(b.peer.ID) })
	if replaced || !slices.Equal(list, c.contacts) {
		n.setContacts(list)
	}
}

// stretch is a part of a list. A routing table has some thousands of slots at most.
type stretch struct{ from, to uint16 }

// setContacts puts others in the place of the contacts there were.
func (n *planner) setContacts(list []*contact) {
	c := &n.aggregation
	c.contacts = list
	c.reach = reachOf(list, n.Env.Self().ID)
	c.order = slices.Clone(list)
	slices.SortStableFunc(c.order, func(a, b *contact) int { return b.row - a.row })
	c.slots, c.rows = nil, 0
	for i, of := range c.order {
		if i == 0 {
			c.slots = make([]*contact, (of.row+1)<<n.config.Digit)
		}
		c.slots[n.slotAt(of.row, of.peer.ID)] = of
		if i == 0 || of.row != c.order[i-1].row {
			c.rows++
		}
	}
	c.turn = min(c.turn, len(list))
	c.counts.known = false
	n.aggregationChanged()
	n.wedges.relayout = true
}

// slotAt returns where the slot of an ID stands that shares so many digits with this node.
func (n *planner) slotAt(row int, id engine.ID) int {
	return row<<n.config.Digit + id.Digit(row, n.config.Digit)
}

// inSlot returns the contact that shares the first bits of id; nil if there is none.
func (n *planner) inSlot(id engine.ID, bits int) *contact {
	row := n.Env.Self().ID.CommonBits(id) / n.config.Digit
	if (row+1)<<n.config.Digit > len(n.aggregation.slots) {
		return nil
	}
	c := n.aggregation.slots[n.slotAt(row, id)]
	if c == nil || c.peer.ID.CommonBits(id) < bits {
		return nil
	}
	return c
}

// reachOf returns where in a list those stand that share so many first bits with a node, for each number
// of bits: on either side of where the node would stand itself, one after the other.
func reachOf(list []*contact, self engine.ID) (reach [engine.Bits + 1]stretch) {
	at, _ := slices.BinarySearchFunc(list, self, func(c *contact, id engine.ID) int { return c.peer.ID.Compare(id) })
	s := stretch{uint16(at), uint16(at)}
	for bits := engine.Bits; bits >= 0; bits-- {
		for s.from > 0 && list[s.from-1].bits >= bits {
			s.from--
		}
		for int(s.to) < len(list) && list[s.to].bits >= bits {
			s.to++
		}
		reach[bits] = s
	}
	return reach
}

// within returns the contacts that share so many first bits with this node.
func (c *aggregation) within(bits uint8) []*contact {
	s := c.reach[bits]
	return c.contacts[s.from:s.to]
}

// contactOf returns the contact with that ID; nil if it is none.
func (n *planner) contactOf(id engine.ID) *contact { return n.inSlot(id, engine.Bits) }

func (n *planner) newContact(c *contact) {
	n.aggregation.news = true
	n.requestAggregate(c)
	n.greet(c)
}

func (n *planner) replaceContact(c *contact, p engine.Peer, bits int) {
	n.dismiss(c.peer)
	c.peer, c.bits, c.sum = p, bits, 0
	n.aggregation.counts.known = false
	n.newContact(c)
	n.aggregationChanged()
}

// lostContact finds who stands in for a peer that cannot be reached.
func (n *planner) lostContact(p engine.Peer) {
	if n.contactOf(p.ID) != nil {
		n.lookForContacts()
	}
}
