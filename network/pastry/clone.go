package pastry

import (
	"slices"

	"tidings/network/engine"
)

// moved takes note that a peer has come back at a new address. Whether somebody answers at
// the old one still will show: it is asked as often as it takes to be sure, because a clone
// whose elder did not answer once or twice would have its place for good.
func (n *Node) moved(c *contact, p engine.Peer) {
	old := c.peer
	if q := n.probing(old); q != nil {
		n.endProbe(q)
	}
	n.ask(old, false).twin = true // there is room, as old is known
	n.replace(c, contact{peer: p, heard: n.env.Now()})
	n.maybeSettled()
}

// replace puts another contact with the same ID in the place of one.
func (n *Node) replace(c *contact, by contact) {
	*c = by
	if n.known.inLeafSet(by.peer.ID) {
		n.neighboursChanged()
	}
}

// cloned takes note of two nodes with one ID. The one that was known first, and answers still,
// keeps its place; the other gets none before the first is dead. It is traced once for each ID, as
// far as the memory for a few of them reaches.
func (n *Node) cloned(id engine.ID, one, other engine.Address) {
	if n.isCloned(id) {
		return
	}
	if len(n.clones) == maxClones {
		n.clones = n.clones[1:]
	}
	n.clones = append(n.clones, id)
	n.env.Trace(Cloned{ID: id, One: one, Other: other, Myself: id == n.known.self})
}

const maxClones = 16

func (n *Node) isCloned(id engine.ID) bool { return slices.Contains(n.clones, id) }

// learnOfMyself looks whether somebody lives under this node's ID. Its own address of
// yesterday does not answer.
func (n *Node) learnOfMyself(p engine.Peer) {
	if p.Address != n.env.Self().Address && !n.isCloned(p.ID) {
		n.ask(p, false)
	}
}
