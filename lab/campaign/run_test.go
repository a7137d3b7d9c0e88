package campaign

import "testing"

// The same world has the same trace, also when read from its scene, and whether or not its messages pass through the
// codec: nothing is changed of a message that is under way.
func TestSameWorldSameTrace(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2, 500, 501, 505, 506, 507, 510} {
		w := Small(seed)
		again, err := Parse(w.Scene())
		if err != nil {
			t.Fatal(err)
		}
		again.Wire = !w.Wire
		one, err := Run(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		two, err := Run(t.Context(), again)
		if err != nil {
			t.Fatal(err)
		}
		if one.Hash != two.Hash || one.Events == 0 {
			t.Errorf("seed %d: traces %x and %x of %d events", seed, one.Hash, two.Hash, one.Events)
		}
	}
}
