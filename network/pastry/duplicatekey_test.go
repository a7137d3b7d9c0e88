package pastry

import (
	"slices"
	"testing"
	"time"

	"tidings/network/sim"
)

// Two machines run one key: the others and the two themselves notice (hostile 33).
func TestDuplicateKeysAreNoticed(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(20, 200*time.Millisecond)
	var by []sim.Node
	myself := 0
	r.world.Observe(func(_ time.Duration, n sim.Node, e any) {
		if c, ok := e.(DuplicateKeyFound); ok {
			by = append(by, n)
			if c.Myself {
				myself++
			}
		}
	})
	original := r.nodes[5]
	duplicate := r.addID(r.world.Peer(original).ID, r.nodes[0])
	r.world.Run(5 * time.Minute)
	t.Logf("noticed by %v", by)
	if len(by) < 5 || myself == 0 || !slices.Contains(by, duplicate) {
		t.Errorf("a duplicate key was noticed by %v", by)
	}
	if len(by) > len(r.nodes) {
		t.Errorf("%d times traced", len(by))
	}
}

// Of two nodes with one ID the one that was there first keeps its place at all who knew it, also
// where messages are lost, and the other gets it when the first is dead (hostile 33).
func TestTheFirstOfTwoKeepsItsPlace(t *testing.T) {
	t.Parallel()
	for seed := range uint64(short(4, 20)) {
		r := newRing(t, seed)
		r.grow(20, 200*time.Millisecond)
		r.world.Run(time.Minute)
		ring := slices.Clone(r.nodes)
		original := r.nodes[5]
		r.world.SetFaults(sim.Faults{Loss: 0.1})
		duplicate := r.addID(r.world.Peer(original).ID, r.nodes[0])
		r.world.Run(2 * time.Minute)
		r.world.SetFaults(sim.Faults{})
		r.world.Run(3 * time.Minute)
		if wrong := r.wrongLeafSets(ring); wrong > 0 {
			t.Errorf("beside a duplicate %d leaf sets are wrong", wrong)
		}
		if wrong, _ := r.lookups(50, ring); wrong > 0 {
			t.Errorf("beside a duplicate %d lookups went wrong", wrong)
		}
		r.world.Crash(original)
		r.world.Run(8 * time.Minute) // it does not join anew: keep-alives tell of it, neighbour by neighbour
		ring[5] = duplicate
		if wrong := r.wrongLeafSets(ring); wrong > 0 {
			t.Errorf("behind the first one %d leaf sets are wrong", wrong)
		}
	}
}
