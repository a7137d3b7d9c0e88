package pastry

import (
	"cmp"
	"slices"

	"tidings/network/engine"
)

// moved takes note that a peer is at a new address. If it is the same run of it, as it says, it has another address now, or is reached another way, and was
// not away. Else it has come back, or another node has: whether somebody answers at
// the old address still will show. It is asked as often as it takes to be sure, because a node with a copied key
// whose elder did not answer once or twice would have its place for good.
func (n *Node) moved(c *contact, p engine.Peer, s sign) {
	old, by := c.peer, contact{peer: p, rtt: s.rtt, heard: n.env.Now(), incarnation: s.incarnation}
	q := n.probing(old)
	if q != nil {
		n.endProbe(q)
	}
	same := c.isSameRun(s)
	if same {
		by.rtt, by.near = cmp.Or(s.rtt, c.rtt), c.near || s.near
	} else {
		n.ask(old, false).duplicate = true // there is room, as old is known
	}
	n.replace(c, by)
	if same && q != nil && q.leaf {
		n.ask(p, true)
	}
	n.maybeSettled()
}

// replace puts another contact with the same ID in the place of one.
func (n *Node) replace(c *contact, by contact) {
	*c = by
	if n.known.inLeafSet(by.peer.ID) {
		n.known.thin()
		n.neighboursChanged()
	}
}

// noteDuplicateKey takes note of two nodes with one ID. The one that was known first, and answers still,
// keeps its place; the other gets none before the first is dead. It is traced once for each ID, as
// far as the memory for a few of them reaches.
func (n *Node) noteDuplicateKey(id engine.ID, one, other engine.Address) {
	if n.isDuplicate(id) {
		return
	}
	if len(n.duplicates) == maxDuplicates {
		n.duplicates = n.duplicates[1:]
	}
	n.duplicates = append(n.duplicates, id)
	found := DuplicateKeyFound{ID: id, One: one, Other: other, Myself: id == n.known.self}
	n.env.Trace(found)
	for _, f := range n.onDuplicateKey {
		f(found)
	}
}

const maxDuplicates = 16

func (n *Node) isDuplicate(id engine.ID) bool { return slices.Contains(n.duplicates, id) }

// learnOfMyself looks whether somebody lives under this node's ID. Its own address of
// yesterday does not answer.
func (n *Node) learnOfMyself(p engine.Peer) {
	if p.Address != n.env.Self().Address && !n.isDuplicate(p.ID) {
		n.ask(p, false)
	}
}
