package pastry

import (
	"slices"

	"tidings/network/engine"
)

// next chooses the node that gets a message next; false: none, this one is the closest. A node that has not
// acknowledged, or is under suspicion, comes last. It is not passed over if it would be the closest, though: to deliver
// here is right only when it is known to be dead.
//
// Why a message reaches the right node while the closest one changes under way:
//
//  1. Let R be closest to the key. P has the message and R in its leaf set.
//  2. X joins, closer than R. Before X is active each of its neighbours has answered its probe, and so has X in its
//     leaf set. R is among them.
//  3. The message reaches R. R finds X closer and sends it on. X holds what comes before it
//     is active, and then delivers it.
//  4. Or R dies before it acknowledges. P tries others that are closer than itself. They send to R too, and wait, until
//     R has missed its probes and is removed. Then each finds the next closest by the same rule, itself perhaps.
//  5. Or a node dies after it has acknowledged, with the message still in its hands. Then no receipt reaches the
//     origin, and the origin routes the message again. Nodes that saw it before let it pass because of its higher Try.
//     The node that delivered it does not deliver it again.
func (n *Node) next(m *Routed, tried []engine.ID) (engine.Peer, bool) {
	_, join := m.Payload.(*Join)
	stranger := func(c *contact) bool { return !join || c.peer.ID != m.Key } // a node does not join through itself
	trusted := func(c *contact) bool {
		return stranger(c) && !slices.Contains(tried, c.peer.ID) && !n.prober.suspected(c.peer)
	}
	if c := n.known.choose(m.Key, trusted); c != nil {
		return c.peer, true
	}
	if c := n.known.choose(m.Key, stranger); c != nil {
		return c.peer, true
	}
	return engine.Peer{}, false
}

// choose is the routing rule of the paper (section 2.3, table 1) among those allowed; nil:
// this node itself.
func (k *known) choose(key engine.ID, allow func(*contact) bool) *contact {
	if k.covers(key) {
		return k.closest(key, 0, allow)
	}
	shared := k.self.CommonDigits(key, k.digit)
	if c := k.best(key, allow); c != nil {
		return c
	}
	return k.closest(key, shared, allow) // the rare case
}
