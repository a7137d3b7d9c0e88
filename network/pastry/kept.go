package pastry

import (
	"encoding/binary"
	"hash/fnv"

	"tidings/network/engine"
)

// kept is what a contact has sent last of the nodes next to this one. A node and the next one on the ring ask each
// other regularly, and mostly send the same list. So each sends a digest of the other's list that it keeps, and the
// other does not send that list again. What is kept counts as if it had been sent.
type kept struct {
	digest uint64 // as the contact has named it
	near   []engine.Peer
}

// digestFor names the list that a contact is sent; 0 if it would not keep that.
func (k *known) digestFor(c *contact, near []engine.Peer) uint64 {
	if c == nil || !k.isNext(c.peer.ID) {
		return 0
	}
	h := fnv.New64a()
	var length [4]byte
	for _, p := range near {
		_, _ = h.Write(p.ID[:])
		binary.LittleEndian.PutUint32(length[:], uint32(len(p.Address)))
		_, _ = h.Write(length[:])
		_, _ = h.Write([]byte(p.Address))
	}
	return max(1, h.Sum64())
}

// keeps returns the digest of what is kept of a contact; 0: nothing is.
func (c *contact) keeps() uint64 {
	if c == nil || c.kept == nil {
		return 0
	}
	return c.kept.digest
}

// receiveNear returns the list that a peer sends, or has left out. It keeps the list if the peer is one of the two next
// to this node.
func (k *known) receiveNear(from engine.Peer, digest uint64, near []engine.Peer) []engine.Peer {
	c := k.find(from.ID)
	switch {
	case c == nil || c.peer != from || digest == 0:
	case len(near) == 0 && c.keeps() == digest:
		return c.kept.near
	case len(near) > 0 && k.isNext(from.ID):
		c.kept = &kept{digest, near}
	default:
		c.kept = nil
	}
	return near
}

// isNext reports whether a contact is the next one on the ring, on either side.
func (k *known) isNext(id engine.ID) bool {
	return k.sides() > 0 && (k.above(0).peer.ID == id || k.below(0).peer.ID == id)
}
