package pastry

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// spread hands a message down a wedge by WedgeContacts alone and returns how often each node
// has got it.
func (r *ring) spread(from sim.Node, key engine.ID, bits int) map[engine.ID]int {
	got := make(map[engine.ID]int)
	digit := r.config.Digit
	var hand func(n sim.Node, key engine.ID, bits int)
	hand = func(n sim.Node, key engine.ID, bits int) {
		self := r.world.Peer(n).ID
		if self.CommonBits(key) >= bits {
			got[self]++
		}
		for _, p := range r.pastry(n).WedgeContacts(key, bits) {
			next, _ := r.world.NodeAt(p)
			if self.CommonBits(key) < bits {
				hand(next, key, bits)
			} else {
				hand(next, p.ID, digit*(self.CommonDigits(p.ID, digit)+1))
			}
		}
	}
	hand(from, key, bits)
	return got
}

// In a stable ring WedgeContacts reaches each member of each wedge exactly once, wherever it
// begins.
func TestWedgeReachesEachOnce(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(short(80, 400), 100*time.Millisecond)
	r.world.Run(15 * time.Minute)
	for range 200 {
		key, bits := r.key(), r.chance.IntN(12)
		from := r.someone()
		members := 0
		got := r.spread(from, key, bits)
		for _, n := range r.nodes {
			if id := r.world.Peer(n).ID; id.CommonBits(key) >= bits {
				members++
				if got[id] != 1 {
					t.Errorf("%d bits of %s from %v: %s got it %d times", bits, key.Short(), r.world.Peer(from),
						id.Short(), got[id])
				}
			}
		}
		if len(got) != members {
			t.Errorf("%d bits of %s: %d got it, %d are members", bits, key.Short(), len(got), members)
		}
	}
}
