package pastry

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// A node that knows its neighbours and perhaps others is sure only of the right owners. That holds for a ring of any
// size, also one a little larger than a leaf set.
func TestSureOwnersAreRight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		half := rapid.IntRange(1, 4).Draw(t, "half")
		ring := rapid.SliceOfNDistinct(tiny, 1, 4*half+4, rapid.ID[engine.ID]).Draw(t, "ring")
		slices.SortFunc(ring, engine.ID.Compare)
		at := rapid.IntRange(0, len(ring)-1).Draw(t, "self")
		n := &Node{
			env:   silent{self: engine.Peer{ID: ring[at]}},
			known: known{self: ring[at], digit: 4, half: half, perSlot: 1000},
		}
		for i, id := range ring {
			away := min((i-at+len(ring))%len(ring), (at-i+len(ring))%len(ring))
			if away > 0 && (away <= half || rapid.Bool().Draw(t, "known")) {
				n.known.add(contact{peer: engine.Peer{ID: id}})
			}
		}
		key, k := tiny.Draw(t, "key"), rapid.IntRange(1, 4).Draw(t, "k")
		owners, sure := n.Owners(key, k)
		if !sure {
			if len(ring) <= 2*half {
				t.Fatalf("not sure of a ring of %d", len(ring))
			}
			return
		}
		byDistance := slices.Clone(ring)
		slices.SortFunc(byDistance, func(a, b engine.ID) int {
			if engine.Closer(key, a, b) {
				return -1
			}
			return 1
		})
		for i, id := range byDistance[:min(k, len(ring))] {
			if i >= len(owners) || owners[i].ID != id {
				t.Fatalf("sure of %v, want %v", owners, byDistance[:min(k, len(ring))])
			}
		}
	})
}

// silent is the Env of a node that is only asked what it knows.
type silent struct {
	engine.Env
	self engine.Peer
}

func (s silent) Self() engine.Peer { return s.self }
