package archive

import (
	"slices"

	"tidings/network/engine"
)

// pendingAck is what this node owes the node that has offered it an item, once that is in the store. It does not matter
// which node it was fetched from.
type pendingAck struct {
	to       engine.Peer
	number   uint64      // of the Offer
	has      uint64      // as in the Offered
	inserter engine.Peer // as in the Offer
	print    uint64      // of what was offered
}

// maxOwed is how much is owed for an item; others learn it when they offer it again.
const maxOwed = 16

// acks are what this node owes for items that are wanted, or come into the store: at most maxOwed for each.
type acks struct {
	env  engine.Env
	owed map[Name][]pendingAck
}

// owe notes what is owed for an item.
func (a *acks) owe(name Name, o pendingAck) {
	owed := a.owed[name]
	switch {
	case slices.Contains(owed, o):
	case len(owed) == maxOwed:
		limitHit(a.env, "maxOwed", maxOwed)
	default:
		a.owed[name] = append(owed, o)
	}
}

// due returns the acknowledgements owed now that an item has come into the store, for it or for one that it replaces.
// It forgets all that is owed.
func (a *acks) due(e *entry) []pendingAck {
	owed := a.owed[e.Name]
	delete(a.owed, e.Name)
	return slices.DeleteFunc(owed, func(o pendingAck) bool { return e.Print > o.print })
}

// forget forgets what is owed for an item.
func (a *acks) forget(name Name) { delete(a.owed, name) }

// expected reports whether an item is wanted, or comes into the store.
func (n *Node) expected(name Name) bool {
	e := n.stock.held.find(name)
	return n.pull.wants(name) || e != nil && e.coming
}

// stored pays what is owed for an item that has come into the store.
func (n *Node) stored(e *entry) {
	for _, o := range n.acks.due(e) {
		n.confirmToInserter(o.inserter, e.Name)
		n.env.Send(o.to, &Offered{Number: o.number, Has: o.has})
	}
}

// failed forgets what is owed for an item, unless it comes in another way.
func (n *Node) failed(name Name) {
	if !n.expected(name) {
		n.acks.forget(name)
	}
}
