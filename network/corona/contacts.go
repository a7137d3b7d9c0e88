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
	sum      uint64            // of the Tally; 0: it has not said anything

	greeted  bool          // it was told all orders that concern it
	tell     time.Duration // when a Standing is due because orders have changed; 0: none
	tells    int           // that were sent since they have
	repeated time.Duration // when all orders were repeated to it last; 0: never
}

// lookForContacts brings the list of contacts up to date with the ring. A contact stays as long
// as the ring knows it, even where it now knows one that is nearer: whoever stands in the same
// place has to be told all orders anew.
func (n *Node) lookForContacts() {
	c := &n.census
	var list []*contact
	for _, p := range n.ring.WedgeContacts(n.env.Self().ID, 0) {
		bits := n.env.Self().ID.CommonBits(p.ID)
		row := bits / n.config.Digit
		old := n.inSlot(p.ID, (row+1)*n.config.Digit)
		switch {
		case old == nil:
			old = &contact{peer: p, bits: bits, row: row, nodes: 1}
			n.newContact(old)
		case old.peer.ID == p.ID:
			old.peer = p
		case !n.ring.Knows(old.peer.ID):
			n.replaceContact(old, p, bits)
		}
		list = append(list, old)
	}
	slices.SortFunc(list, func(a, b *contact) int { return a.peer.ID.Compare(b.peer.ID) })
	if !slices.Equal(list, c.contacts) {
		c.contacts = list
		c.self, _ = n.standsAt(n.env.Self().ID)
		c.counts.known = false
		c.order = slices.Clone(list)
		slices.SortStableFunc(c.order, func(a, b *contact) int { return b.row - a.row })
		c.turn = min(c.turn, len(list))
		n.censusChanged()
		n.wedges.relayout = true
	}
}

// inSlot returns a contact that shares the first bits of id; nil if there is none. Contacts stand
// by their IDs, so that one that does stands next to where id would.
func (n *Node) inSlot(id engine.ID, bits int) *contact {
	list := n.census.contacts
	at, _ := n.standsAt(id)
	for i := max(at-1, 0); i < min(at+1, len(list)); i++ {
		if list[i].peer.ID.CommonBits(id) >= bits {
			return list[i]
		}
	}
	return nil
}

// standsAt returns where an ID stands among the contacts, or would stand.
func (n *Node) standsAt(id engine.ID) (int, bool) {
	return slices.BinarySearchFunc(n.census.contacts, id, func(c *contact, id engine.ID) int { return c.peer.ID.Compare(id) })
}

// within returns the contacts that share so many first bits with this node. They stand on either side
// of where it would stand itself.
func (c *census) within(bits uint8) []*contact {
	from, to := c.self, c.self
	for from > 0 && c.contacts[from-1].bits >= int(bits) {
		from--
	}
	for to < len(c.contacts) && c.contacts[to].bits >= int(bits) {
		to++
	}
	return c.contacts[from:to]
}

// contactOf returns the contact with that ID; nil if it is none.
func (n *Node) contactOf(id engine.ID) *contact { return n.inSlot(id, engine.Bits) }

func (n *Node) newContact(c *contact) {
	n.census.news = true
	n.ask(c)
	n.greet(c)
}

func (n *Node) replaceContact(c *contact, p engine.Peer, bits int) {
	n.dismiss(c.peer)
	c.peer, c.bits, c.sum = p, bits, 0
	n.census.counts.known = false
	n.newContact(c)
	n.censusChanged()
}

// lostContact looks who stands in for a peer that cannot be reached.
func (n *Node) lostContact(p engine.Peer) {
	if n.contactOf(p.ID) != nil {
		n.lookForContacts()
	}
}
