package pastry

import (
	"slices"

	"tidings/network/engine"
)

// Owners returns the k nodes closest to key, closest first, this one included, and whether it
// can tell: the leaf set must reach beyond all of them. A neighbour that is under suspicion
// counts until it is found dead.
func (n *Node) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	members := append(n.known.leafSet(), n.env.Self())
	all := len(members)
	owners := make([]engine.Peer, 0, min(k, all)+1)
	for _, p := range members {
		at := len(owners)
		for at > 0 && engine.Closer(key, p.ID, owners[at-1].ID) {
			at--
		}
		if at < k {
			owners = slices.Insert(owners, at, p)[:min(k, len(owners)+1)]
		}
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
