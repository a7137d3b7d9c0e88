package pastry

import (
	"slices"

	"tidings/network/engine"
)

// Contacts returns the routing table's row: nodes that share exactly row first digits with this node, at most one for
// each next digit.
func (n *Node) Contacts(row int) []engine.Peer { return n.known.row(row) }

// WedgeContacts returns the nodes that must get a message so that it reaches every node of a wedge. A wedge is the
// nodes that share the first bits of key.
//
// At a node of the wedge, these are its contacts within the wedge, one for each subtree without the node itself. Rows
// give digits. If bits ends within a digit, a column of the first row counts only if its leading bits are key's. A
// contact that shares r digits with this node is responsible for all that share r+1 digits with it. It continues with
// its own ID for key and (r+1)*Digit for bits. So each member is reached exactly once, if no slot of the routing tables
// is empty that could be filled. That holds in a ring that has been stable for several table periods.
//
// At any other node, it is one node that is in the wedge or nearer to it. The message is sent there, and continues with
// the same key and bits. None, if the wedge is empty as far as this node knows.
func (n *Node) WedgeContacts(key engine.ID, bits int) []engine.Peer {
	if n.known.self.CommonBits(key) < bits {
		return n.known.towards(key, bits)
	}
	contacts := make([]engine.Peer, 0, 32)
	for r := bits / n.config.Digit; r < n.known.rows(); r++ {
		contacts = n.known.appendRow(contacts, r)
	}
	return slices.DeleteFunc(contacts, func(p engine.Peer) bool { return p.ID.CommonBits(key) < bits })
}

// towards returns the fastest of the contacts that share the most of the first bits of key with it, and more than self
// does.
func (k *known) towards(key engine.ID, bits int) []engine.Peer {
	var best *contact
	most := k.self.CommonBits(key)
	for i := range k.list {
		c := &k.list[i]
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
