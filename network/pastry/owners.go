package pastry

import (
	"slices"

	"tidings/network/engine"
)

// Owners returns the k nodes closest to key, closest first, this one included. It also returns whether it can know: the
// leaf set must reach beyond all of them. A neighbour that is under suspicion counts until it is found dead.
func (n *Node) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	all := 1 + n.known.sides() + min(n.known.sides(), len(n.known.list)-n.known.sides())
	owners := make([]engine.Peer, 0, min(k, all)+1)
	consider := func(p *engine.Peer) {
		at := len(owners)
		for at > 0 && engine.Closer(key, p.ID, owners[at-1].ID) {
			at--
		}
		if at < k {
			owners = slices.Insert(owners, at, *p)[:min(k, len(owners)+1)]
		}
	}
	self := n.env.Self()
	consider(&self)
	for i := range n.known.sides() {
		consider(&n.known.below(i).peer)
	}
	for i := range all - 1 - n.known.sides() {
		consider(&n.known.above(i).peer)
	}
	if n.known.small() {
		return owners, true
	}
	if k > all || !n.known.covers(key) {
		return owners, false
	}
	reach := func(edge *contact) bool { return k == 0 || !engine.Closer(key, edge.peer.ID, owners[k-1].ID) }
	return owners, reach(n.known.below(n.known.half-1)) && reach(n.known.above(n.known.half-1))
}
