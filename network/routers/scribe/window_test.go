package scribe

import (
	"testing"

	"pgregory.net/rapid"
)

// A window is what a set of all numbers would be, as far back as it reaches.
func TestWindowIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w window
		come := make(map[uint64]bool)
		last := uint64(0)
		for range rapid.IntRange(1, 200).Draw(t, "numbers") {
			n := uint64(max(1, int(last)+rapid.IntRange(-70, 70).Draw(t, "step")))
			if rapid.Bool().Draw(t, "only reaches") {
				w.reach(n)
			} else {
				fresh := !come[n] && (n > last || last-n < reaches)
				if got := w.add(n); got != fresh {
					t.Fatalf("add(%d) after %d: %v, want %v", n, last, got, fresh)
				}
				come[n] = true
			}
			last = max(last, n)
			for back := uint64(0); back < min(last, reaches+3); back++ {
				want := back >= reaches || come[last-back]
				if got := w.has(last - back); got != want {
					t.Fatalf("has(%d) of up to %d: %v, want %v", last-back, last, got, want)
				}
			}
			if w.has(last + 1) {
				t.Fatalf("a number beyond the last has come")
			}
		}
	})
}

// has reports whether n has come.
func (w window) has(n uint64) bool {
	return n <= w.last && (w.last-n >= reaches || w.missing>>(w.last-n)&1 == 0)
}
