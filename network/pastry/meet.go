package pastry

import (
	"time"

	"tidings/network/engine"
)

// sign is what a probe or an answer says of its sender.
type sign struct {
	active   bool
	knows    bool          // it knew this node already
	answered bool          // it has answered a probe of this node's
	rtt      time.Duration // 0: not measured
	near     bool          // it has named the nodes that it knows next to this one
	elder    bool          // it has answered at the address from which it seemed to have moved

	incarnation uint32 // 0: not known
}

// meet notes a peer that has spoken for itself: the only way into the leaf set and the routing table. A peer that
// speaks is believed in at once. So of two that join at the same place the second one learns of the first. But one that
// has been found dead must answer a probe: its messages may arrive although it cannot be reached.
func (n *Node) meet(p engine.Peer, s sign) {
	if p.ID == n.known.self {
		if s.incarnation == n.incarnation { // asked at an address of before, which is this node's again
			return
		}
		n.noteDuplicateKey(p.ID, n.env.Self().Address, p.Address)
		return
	}
	if !engine.Admissible(n.env, p.ID) {
		return
	}
	wasLost := n.lost.met(p.ID)
	if wasLost && s.active && !s.answered {
		n.prober.ask(p, n.known.nearby(p.ID))
		return
	}
	n.lost.forget(p.ID)
	if c := n.known.find(p.ID); c != nil {
		n.meetAgain(c, p, s)
		return
	}
	if claim, _ := n.known.claims(p.ID); claim != none || s.rtt > 0 {
		n.admit(contact{peer: p, rtt: s.rtt, spoke: n.env.Now(), near: s.near, incarnation: s.incarnation}, s)
	}
	if wasLost && s.active && !s.knows {
		n.mergeWith(p)
	}
}

// admit inserts a contact, if it has the better claim, and is not one too many of its network prefix.
func (n *Node) admit(c contact, s sign) {
	if n.known.nearby(c.peer.ID) && n.known.crowded(c.peer) {
		n.env.Trace(LeftOut{c.peer})
		return
	}
	leaf := n.known.add(c)
	if n.known.find(c.peer.ID) == nil {
		return
	}
	n.env.Trace(Met{c.peer, leaf})
	if leaf {
		n.damage.gain()
		if s.active && !s.knows {
			n.maybeSpread(c.peer)
		}
		n.neighboursChanged()
	}
}

// isSameRun reports whether a peer that says so is the contact, and has not been away since.
func (c *contact) isSameRun(s sign) bool { return c.incarnation == s.incarnation && s.incarnation != 0 }

func (n *Node) meetAgain(c *contact, p engine.Peer, s sign) {
	switch {
	case c.peer.Address == p.Address:
		c.spoke, c.incarnation = n.env.Now(), s.incarnation
		c.near = c.near || s.near
		if s.rtt > 0 {
			c.rtt = s.rtt
		}
	case s.elder && !c.isSameRun(s):
		n.noteDuplicateKey(p.ID, c.peer.Address, p.Address)
		n.replace(c, contact{peer: p, rtt: s.rtt, spoke: n.env.Now(), incarnation: s.incarnation})
	case !n.duplicates.has(p.ID) || c.isSameRun(s):
		n.moved(c, p, s)
	}
}

// met reports whether a peer has spoken to this node, from this address, as far as it remembers.
func (n *Node) met(p engine.Peer) bool {
	if c := n.known.find(p.ID); c != nil {
		return c.peer == p
	}
	m := n.lost.find(p.ID)
	return m != nil && m.met && m.peer == p
}
