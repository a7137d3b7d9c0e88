package campaign

import "testing"

// The same world has the same trace, read from its scene too.
func TestSameWorldSameTrace(t *testing.T) {
	for seed := range uint64(3) {
		w := Small(seed)
		again, err := Parse(w.Scene())
		if err != nil {
			t.Fatal(err)
		}
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
