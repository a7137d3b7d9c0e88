package pastry

import (
	"encoding/binary"
	"math"

	"tidings/network/engine"
)

// The leaf set as a view of the list: the nodes next to self, half of it on either side. In a ring of at most LeafSet
// nodes the sides overlap, and all is known.

// isLeaf reports whether the i-th of the list is in the leaf set.
func (k *known) isLeaf(i int) bool {
	up := i - k.at
	if up < 0 {
		up += len(k.list)
	}
	return up < k.half || len(k.list)-1-up < k.half
}

// inLeafSet reports whether the node with the given ID is in the leaf set.
func (k *known) inLeafSet(id engine.ID) bool {
	i, ok := k.search(id)
	return ok && k.isLeaf(i)
}

// wouldBeLeaf reports whether a newcomer that would stand at place i would be in the leaf set.
func (k *known) wouldBeLeaf(i int, id engine.ID) bool {
	up := i - k.at
	if id.Compare(k.self) < 0 {
		up += len(k.list)
	}
	return up < k.half || len(k.list)-up < k.half
}

// nearby reports whether a node with this ID is in the leaf set, or would be if it were met.
func (k *known) nearby(id engine.ID) bool {
	c, _ := k.claims(id)
	return c == ofLeafSet
}

// sides returns how many there are on either side.
func (k *known) sides() int { return min(k.half, len(k.list)) }

// above returns the i-th neighbour clockwise, from 0; below the other way round.
func (k *known) above(i int) *contact { return &k.list[(k.at+i)%len(k.list)] }
func (k *known) below(i int) *contact {
	n := len(k.list)
	return &k.list[((k.at-1-i)%n+n)%n]
}

// beside returns those next to a member of the leaf set, on its side of this node: the farther one first.
func (k *known) beside(id engine.ID) (peers []engine.Peer) {
	for _, side := range []func(int) *contact{k.below, k.above} {
		for i := range k.sides() {
			if side(i).peer.ID != id {
				continue
			}
			if i+1 < k.sides() {
				peers = append(peers, side(i+1).peer)
			}
			if i > 0 {
				peers = append(peers, side(i-1).peer)
			}
		}
	}
	return peers
}

// beyond returns the two that would be next in the leaf set.
func (k *known) beyond() (ids []engine.ID) {
	if len(k.list) > 2*k.half {
		ids = append(ids, k.above(k.half).peer.ID, k.below(k.half).peer.ID)
	}
	return ids
}

// small reports whether the leaf set is all there is: its sides overlap. Where they just do not, there may be others
// between their ends.
func (k *known) small() bool { return len(k.list) < 2*k.half }

// covers reports whether key lies within the leaf set's range.
func (k *known) covers(key engine.ID) bool {
	if k.small() {
		return true
	}
	lowest := k.below(k.half - 1).peer.ID
	highest := k.above(k.half - 1).peer.ID
	return lowest.Clockwise(key).Compare(lowest.Clockwise(highest)) <= 0
}

// size estimates how many nodes the ring has, this one included: as many as would fill it at the density of the leaf
// set.
func (k *known) size() int {
	if k.ring == 0 {
		k.ring = k.estimate()
	}
	return k.ring
}

func (k *known) estimate() int {
	if len(k.list) <= 2*k.half {
		return len(k.list) + 1
	}
	arc := k.below(k.half - 1).peer.ID.Clockwise(k.above(k.half - 1).peer.ID)
	share := float64(binary.BigEndian.Uint64(arc[:])) / (1 << 64)
	return max(int(math.Round(float64(2*k.half)/share)), len(k.list)+1)
}
