package check

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/sim"
)

func TestRingCountsWrongLeafSets(t *testing.T) {
	var ids []engine.ID
	for i := range 8 {
		ids = append(ids, engine.ID{byte(i * 32)})
	}
	w := quietWorld(ids...)
	all := make(map[sim.Node][]engine.Peer)
	for n := range sim.Node(8) {
		all[n] = []engine.Peer{w.Peer((n + 7) % 8), w.Peer((n + 1) % 8)}
	}
	r := &Ring{Half: 1, Leaves: func(n sim.Node) []engine.Peer { return all[n] }}
	if got := r.Wrong(w); got != 0 {
		t.Errorf("%d leaf sets are wrong, want none", got)
	}
	w.Crash(3)
	if got := r.Wrong(w); got != 2 {
		t.Errorf("after a crash %d leaf sets are wrong, want those of its 2 neighbours", got)
	}
	w.Move(3)
	w.Boot(3)
	if got := r.Wrong(w); got != 2 {
		t.Errorf("after it came back elsewhere %d leaf sets are wrong, want 2", got)
	}
	r.Member = func(n sim.Node) bool { return n != 3 }
	if got := r.Wrong(w); got != 2 {
		t.Errorf("as it is no member %d leaf sets are wrong, want 2", got)
	}
}

func TestRingOfFew(t *testing.T) {
	for size := range 5 {
		var ids []engine.ID
		for i := range size {
			ids = append(ids, engine.ID{byte(i)})
		}
		w := quietWorld(ids...)
		r := &Ring{Half: 8, Leaves: func(n sim.Node) []engine.Peer {
			var others []engine.Peer
			for other := range sim.Node(size) {
				if other != n {
					others = append(others, w.Peer(other))
				}
			}
			return others
		}}
		if got := r.Wrong(w); got != 0 {
			t.Errorf("of %d nodes %d have a wrong leaf set", size, got)
		}
	}
}
