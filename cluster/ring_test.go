package cluster

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/view"
)

// A ring in which each node has the eight before and the eight after it is right; one in which
// a neighbour is missing, or is another node, is not.
func TestCheckRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "nodes")
		ids := make([]engine.ID, n)
		for i := range ids {
			ids[i] = engine.IDOf([]byte{byte(i), rapid.Byte().Draw(t, "id")})
		}
		slices.SortFunc(ids, engine.ID.Compare)
		views := make([]view.Network, n)
		for i := range views {
			views[i].ID = ids[i].String()
			for j := range ids {
				if after := (j - i + n) % n; j != i && (after <= 8 || n-after <= 8) {
					views[i].Neighbours = append(views[i].Neighbours, view.Peer{ID: ids[j].String()})
				}
			}
		}
		if err := CheckRing(views); err != nil {
			t.Fatal(err)
		}
		spoilt := &views[rapid.IntRange(0, n-1).Draw(t, "spoilt")]
		if len(spoilt.Neighbours) == 0 {
			return
		}
		if rapid.Bool().Draw(t, "lost") {
			spoilt.Neighbours = spoilt.Neighbours[1:]
		} else {
			spoilt.Neighbours = slices.Clone(spoilt.Neighbours)
			spoilt.Neighbours[0].ID = engine.IDOf([]byte("elsewhere")).String()
		}
		if CheckRing(views) == nil {
			t.Fatal("a wrong neighbour was not seen")
		}
	})
}
