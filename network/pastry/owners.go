package pastry

import (
	"slices"

	"tidings/network/engine"
)

// Owners returns the k nodes closest to key, closest first, this one included, and whether it
// can tell: the leaf set must reach beyond all of them. A neighbour that is under suspicion
// counts until it is found dead.
func (n *Node) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	owners := append(n.known.leafSet(), n.env.Self())
	slices.SortFunc(owners, func(a, b engine.Peer) int {
		if engine.Closer(key, a.ID, b.ID) {
			return -1
		}
		return 1
	})
	if n.known.small() {
		return owners[:min(k, len(owners))], true
	}
	if k > len(owners) || !n.known.covers(key) {
		return owners[:min(k, len(owners))], false
	}
	owners = owners[:k]
	reach := func(edge *contact) bool { return k == 0 || !engine.Closer(key, edge.peer.ID, owners[k-1].ID) }
	return owners, reach(n.known.below(n.known.half-1)) && reach(n.known.above(n.known.half-1))
}
