package live

import (
	"testing"

	"tidings/network/engine"
)

func TestIncarnationsAreBounded(t *testing.T) {
	n := newIncarnations(Limits{Incarnations: 3})
	id := func(i int) engine.ID { return engine.IDOf([]byte{byte(i)}) }
	for i := range 10 {
		for k := range uint64(10) {
			n.followed(id(i), k, k+1)
		}
	}
	if len(n.met) != 3 || len(n.order) != 3 || len(n.met[id(9)]) != metEach {
		t.Errorf("%d peers, %d incarnations", len(n.met), len(n.met[id(9)]))
	}
	if n.age(id(9), 10, 9) != elder || n.age(id(9), 9, 10) != younger || n.age(id(9), 10, 11) != newborn ||
		n.age(id(0), 10, 9) != newborn {
		t.Errorf("the wrong incarnations are remembered: %v", n.met)
	}
}

// However often a copy restarts, the node that it was made of is known as the elder.
func TestTheElderIsNotForgotten(t *testing.T) {
	n := newIncarnations(DefaultLimits())
	id := engine.IDOf([]byte("x"))
	for copied := uint64(2); copied < 100; copied++ {
		n.followed(id, 1, copied)
		if n.age(id, copied, 1) != elder {
			t.Fatalf("the first is forgotten at %d", copied)
		}
		n.returned(id, 1, copied)
		if n.age(id, 1, copied) != younger {
			t.Fatalf("%d is not known any more", copied)
		}
	}
}
