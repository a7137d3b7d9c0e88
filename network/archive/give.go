package archive

import "tidings/network/engine"

// Insert has an item kept by its owners. done is called, after Insert has returned, with the number of owners that
// confirmed the item. If it is Accepted, that is more than half; the others get it from these. Otherwise a part of them
// may have it, and Insert can be called again. Inserting what is there already only makes sure of it. The bytes must
// not be changed.
func (n *Node) Insert(name Name, bytes []byte, done func(copies int, why Refusal)) {
	n.inserts.insert(name, bytes, done)
}

// inquire begins an inquiry.
func (n *Node) inquire(name Name, owners bool, news func()) *inquiry {
	return n.inquiries.begin(name, owners, news)
}

// accept keeps an item here, if this node is one of its owners, and offers it to the others. done may be called at
// once.
func (n *Node) accept(from engine.Peer, name Name, bytes []byte, done func(Refusal)) {
	n.stock.admit(from, name, bytes, func(why Refusal) {
		if why == Accepted {
			n.offerToOthers(name, from)
		}
		done(why)
	})
}

// onGive receives an item as one of its owners.
func (n *Node) onGive(from engine.Peer, m *Give) {
	n.accept(from, m.Name, m.Bytes, func(why Refusal) {
		answer := &Taken{Name: m.Name, Refusal: why}
		if why == Unowned {
			answer.Owners, _ = n.owners(m.Name.Key())
		}
		n.env.Send(from, answer)
	})
}
