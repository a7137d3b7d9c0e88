package archive

import (
	"slices"

	"tidings/network/engine"
)

// pendingAck is what this node owes who has offered it an item, once that is in the store: whoever it fetches it from.
type pendingAck struct {
	to       engine.Peer
	number   uint64      // of the Offer
	has      uint64      // as in the Offered
	inserter engine.Peer // as in the Offer
	print    uint64      // of what was offered
}

// maxOwed is how much is owed for an item; more are told when they offer it again.
const maxOwed = 16

// owe notes what is owed for an item, if it is wanted or comes into the store.
func (n *Node) owe(name Name, o pendingAck) {
	all := n.pull.pendingAcks[name]
	switch {
	case !n.expected(name) || slices.Contains(all, o):
	case len(all) == maxOwed:
		n.limitHit("maxOwed", maxOwed)
	default:
		n.pull.pendingAcks[name] = append(all, o)
	}
}

// expected reports whether an item is wanted, or comes into the store.
func (n *Node) expected(name Name) bool {
	e := n.held.find(name)
	return n.pull.wanted[name] != nil || e != nil && e.coming
}

// tellOf pays what is owed for an item that has come into the store.
func (n *Node) tellOf(e *entry) {
	all := n.pull.pendingAcks[e.Name]
	delete(n.pull.pendingAcks, e.Name)
	for _, o := range all {
		if e.Print <= o.print {
			n.tellInserter(o.inserter, e.Name)
			n.env.Send(o.to, &Offered{Number: o.number, Has: o.has})
		}
	}
}

// failed forgets what is owed for an item, unless it comes in another way.
func (n *Node) failed(name Name) {
	if !n.expected(name) {
		delete(n.pull.pendingAcks, name)
	}
}
