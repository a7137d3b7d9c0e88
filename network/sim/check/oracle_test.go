package check

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/sim"
)

func TestOracleFindsTheClosest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.Byte(), 1, 20, rapid.ID).Draw(t, "ids")
		var all []engine.ID
		for _, b := range ids {
			all = append(all, engine.ID{b})
		}
		w := quietWorld(all...)
		o := &oracle{world: w, member: func(n sim.Node) bool { return n%5 != 4 }}
		for n := range sim.Node(len(ids)) {
			if rapid.IntRange(0, 3).Draw(t, "crash") == 0 {
				w.Crash(n)
			}
		}
		key := engine.ID{rapid.Byte().Draw(t, "key"), rapid.Byte().Draw(t, "more")}
		want := sim.Node(-1)
		for n := range sim.Node(len(ids)) {
			if o.belongs(n) && (want < 0 || engine.Closer(key, all[n], all[want])) {
				want = n
			}
		}
		got, ok := o.closest(key)
		if ok != (want >= 0) || ok && got != want {
			t.Fatalf("closest to %v: %d, want %d", key, got, want)
		}
	})
}

// Nodes that come late stand in their places like those that came before.
func TestOracleAddsNewNodes(t *testing.T) {
	w := quietWorld()
	o := &oracle{world: w}
	for i := range 3 * few {
		w.Add(engine.IDOf([]byte{byte(i)}), nil)
		if i%7 == 0 || i > 2*few {
			o.refresh()
			if len(o.sorted) != w.Len() ||
				!slices.IsSortedFunc(o.sorted, func(a, b sim.Node) int { return o.id(a).Compare(o.id(b)) }) {
				t.Fatalf("after %d nodes the order is %v", w.Len(), o.sorted)
			}
		}
	}
	all := &oracle{world: w}
	if all.refresh(); !slices.Equal(all.sorted, o.sorted) {
		t.Error("added one by one and at once, the order differs")
	}
}
