package pastry

import (
	"slices"

	"tidings/network/engine"
)

// readdress takes note that a peer is at another address, or is seen at another by the way that it is reached now: it is the same, as it says, and was not away.
func (n *Node) readdress(c *contact, p engine.Peer, s sign) {
	q := n.probing(c.peer)
	by := *c
	by.peer, by.heard, by.near = p, n.env.Now(), c.near || s.near
	if s.rtt > 0 {
		by.rtt = s.rtt
	}
	n.replace(c, by)
	if q == nil {
		return
	}
	n.endProbe(q)
	if q.leaf {
		n.ask(p, true)
	}
	n.maybeSettled()
}

// moved takes note that a peer has come back at a new address, and maybe as another node. Whether somebody answers at
// the old one still will show: it is asked as often as it takes to be sure, because a node with a copied key
// whose elder did not answer once or twice would have its place for good.
func (n *Node) moved(c *contact, p engine.Peer, s sign) {
	old := c.peer
	if q := n.probing(old); q != nil {
		n.endProbe(q)
	}
	n.ask(old, false).duplicate = true // there is room, as old is known
	n.replace(c, contact{peer: p, rtt: s.rtt, heard: n.env.Now(), incarnation: s.incarnation})
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
