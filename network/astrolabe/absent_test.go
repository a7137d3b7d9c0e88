package astrolabe

import (
	"testing"
	"time"

	"tidings/network/engine"
)

// A node that is lost again is remembered once, as of the last time; a sign of life ends that. Of more than are
// remembered the one is forgotten that was lost first.
func TestWhichNodesAreAbsent(t *testing.T) {
	var a absent
	node := func(i int) engine.ID { return engine.ID{byte(i), byte(i >> 8)} }
	for i := range maxAbsent {
		a.lost(absentee{node(i), time.Duration(i), true})
	}
	for range 3 {
		a.lost(absentee{node(0), time.Hour, false})
	}
	if last := a.nodes[len(a.nodes)-1]; len(a.nodes) != maxAbsent || a.find(node(1)) != 0 ||
		last != (absentee{node(0), time.Hour, false}) {
		t.Fatalf("%d are remembered, the last is %+v, the second is at %d", len(a.nodes), last, a.find(node(1)))
	}
	a.lost(absentee{id: node(maxAbsent)})
	if len(a.nodes) != maxAbsent || a.find(node(1)) >= 0 || a.find(node(2)) != 0 || a.find(node(0)) < 0 {
		t.Errorf("%d are remembered, the one lost first at %d", len(a.nodes), a.find(node(1)))
	}
	a.received(node(0))
	a.received(node(0))
	if len(a.nodes) != maxAbsent-1 || a.find(node(0)) >= 0 {
		t.Errorf("after a sign of life %d are remembered", len(a.nodes))
	}
}
