package live

import (
	"crypto/rand"
	"encoding/binary"

	"tidings/network/engine"
)

// incarnations remembers which incarnations of peers were followed by another. A node that
// restarts never comes back as what it was before, so an incarnation that returns is alive
// beside its successor: two nodes hold one key. The loop alone uses it.
type incarnations struct {
	most  int
	past  map[engine.ID][]uint64 // at most pastEach, oldest first
	order []engine.ID
}

const pastEach = 4

func newIncarnations(l Limits) *incarnations {
	return &incarnations{most: l.Clones, past: make(map[engine.ID][]uint64)}
}

// superseded takes note that an incarnation was followed by another.
func (n *incarnations) superseded(id engine.ID, incarnation uint64) {
	if n.past[id] == nil {
		n.order = append(n.order, id)
		if len(n.order) > n.most {
			delete(n.past, n.order[0])
			n.order = n.order[1:]
		}
	}
	all := append(n.past[id], incarnation)
	if len(all) > pastEach {
		all = all[1:]
	}
	n.past[id] = all
}

// returns tells whether an incarnation had been followed by another.
func (n *incarnations) returns(id engine.ID, incarnation uint64) bool {
	for _, i := range n.past[id] {
		if i == incarnation {
			return true
		}
	}
	return false
}

// drawIncarnation draws the number that tells this run of the node from all others.
func drawIncarnation() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])
}
