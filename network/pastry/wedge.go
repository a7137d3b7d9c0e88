package pastry

import (
	"slices"

	"tidings/network/engine"
)

// Contacts returns the routing table's row: those that share exactly so many first digits with
// this node, at most one for each next digit.
func (n *Node) Contacts(row int) []engine.Peer { return n.known.row(row) }

// WedgeContacts returns who has to get a message so that it reaches every node of a wedge, the
// nodes that share the first bits of key.
//
// At a node of the wedge: its contacts within the wedge, one for each subtree that it is not
// in itself. Rows give digits; of the first row, where bits ends within a digit, only the
// columns whose leading bits are key's. A contact that shares r digits with this node answers
// for all that share r+1 digits with it: it goes on with its own ID for key and
// (r+1)*Digit for bits. By that each member is reached exactly once, where no slot of the
// routing tables is empty that could be filled, as in a ring that has been stable for some
// table periods.
//
// At any other node: one node that is in the wedge or nearer to it, to hand the message to; it
// goes on with the same key and bits. Nobody, if the wedge is empty as far as this node can tell.
func (n *Node) WedgeContacts(key engine.ID, bits int) []engine.Peer {
	if n.known.self.CommonBits(key) < bits {
		return n.towardsWedge(key, bits)
	}
	contacts := make([]engine.Peer, 0, 32)
	for r := bits / n.config.Digit; r < n.known.rows(); r++ {
		contacts = n.known.appendRow(contacts, r)
	}
	return slices.DeleteFunc(contacts, func(p engine.Peer) bool { return p.ID.CommonBits(key) < bits })
}

func (n *Node) towardsWedge(key engine.ID, bits int) []engine.Peer {
	var best *contact
	most := n.known.self.CommonBits(key)
	for i := range n.known.list {
		c := &n.known.list[i]
		shared := min(c.peer.ID.CommonBits(key), bits)
		if shared > most || shared == most && best != nil && faster(*c, *best) {
			best, most = c, shared
		}
	}
	if best == nil {
		return nil
	}
	return []engine.Peer{best.peer}
}
