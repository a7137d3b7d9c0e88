package pastry

import (
	"time"

	"tidings/network/engine"
)

// Acquaintance is a peer that a node has met, and the round trip that it has measured; 0: none.
type Acquaintance struct {
	Peer engine.Peer
	RTT  time.Duration
}

// Complete makes this node, which has not begun, an active member of a ring that is built complete instead of by joins.
// It is for worlds that are too large to be grown each time. The node knows at once those peers that belong in its leaf
// set or routing table, as if it had met them. It sends nothing. The caller vouches that they live, that this node's
// neighbours are among them, and that all nodes of the ring begin like this at one moment. A later Join brings the node
// into another ring as ever. It panics if the node has begun.
func (n *Node) Complete(peers []Acquaintance) {
	if n.membership.state != idle {
		panic("pastry: a node that has begun is made part of a complete ring")
	}
	now := n.env.Now()
	for _, a := range peers {
		if a.Peer.ID != n.known.self && engine.Admissible(n.env, a.Peer.ID) && n.known.find(a.Peer.ID) == nil {
			n.known.add(contact{peer: a.Peer, rtt: a.RTT, spoke: now})
		}
	}
	n.known.thin()
	for i := range n.known.sides() {
		n.known.above(i).near, n.known.below(i).near = true, true
	}
	n.membership.complete(now)
	n.start()
	n.becameActive(0)
	n.neighboursChanged()
}
