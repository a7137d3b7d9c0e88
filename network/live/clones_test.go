package live

import (
	"testing"

	"tidings/network/engine"
)

func TestIncarnationsAreBounded(t *testing.T) {
	n := newIncarnations(Limits{Clones: 3})
	id := func(i int) engine.ID { return engine.IDOf([]byte{byte(i)}) }
	for i := range 10 {
		for k := range uint64(10) {
			n.superseded(id(i), k)
		}
	}
	if len(n.past) != 3 || len(n.order) != 3 || len(n.past[id(9)]) != pastEach {
		t.Errorf("%d peers, %d incarnations", len(n.past), len(n.past[id(9)]))
	}
	if !n.returns(id(9), 9) || n.returns(id(9), 10) || n.returns(id(0), 9) {
		t.Error("the wrong incarnations are remembered")
	}
}
