package table

import (
	"encoding/binary"
	"testing"

	"tidings/network/engine"
)

// The latest added channels have a value. One that was dropped and added again is the latest.
func TestTheNewestStay(t *testing.T) {
	var l Newest[int]
	id := func(i int) (id engine.ID) {
		binary.BigEndian.PutUint32(id[:], uint32(i))
		return id
	}
	for i := range maxNewest {
		l.Put(id(i), i)
	}
	l.Drop(id(5))
	l.Put(id(2*maxNewest), 0)
	if _, ok := l.Get(id(0)); !ok {
		t.Error("there is room, and the oldest makes more")
	}
	l.Drop(id(0))
	l.Drop(id(0))
	l.Put(id(0), -1)
	l.Put(id(2), -2) // keeps its place
	l.Put(id(maxNewest), maxNewest)
	l.Put(id(maxNewest+1), maxNewest)
	for i, want := range map[int]bool{0: true, 1: false, 2: false, 3: true, maxNewest: true, maxNewest + 1: true} {
		if _, ok := l.Get(id(i)); ok != want {
			t.Errorf("channel %d has a value: %v", i, ok)
		}
	}
	if len(l.of) != maxNewest || len(l.order) != maxNewest {
		t.Errorf("%d have one, %d are in order", len(l.of), len(l.order))
	}
}
