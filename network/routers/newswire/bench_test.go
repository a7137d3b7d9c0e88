package newswire_test

import (
	"testing"
	"time"

	"tidings/network/routers/newswire"
)

// BenchmarkTableChanged measures the cost of a table change at a node with 10,000 open parcels. The parcels are of
// three kinds: under way, held for a zone of another table, or held for a zone of this table. The representatives of
// the last zone are all suspected or gone.
func BenchmarkTableChanged(b *testing.B) {
	for _, c := range []struct {
		name   string
		held   bool
		itself bool // the table that changes is theirs
	}{{"under way", false, true}, {"held elsewhere", true, false}, {"held here", true, true}} {
		b.Run(c.name, func(b *testing.B) {
			p := newPlan(24, 12)
			w := newTown(p)
			w.Run(time.Minute)
			n, z := w.testNode(0), w.paths[23]
			for _, rep := range w.speakers(0, z) {
				newswire.Suspect(n.wire, w.Peer(rep).ID)
			}
			newswire.Hold(n.wire, z.Parent(), z.Label(), 10_000, c.held)
			changed := z.Parent()
			if !c.itself {
				changed = w.paths[0]
			}
			b.ResetTimer()
			for range b.N {
				n.wire.TableChanged(changed)
			}
		})
	}
}
