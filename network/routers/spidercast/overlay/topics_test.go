package overlay

import (
	"slices"
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/spidercast/interest"
)

// Topics are known to others by a part of their IDs. Of two with one name the first holds until it is left: the other
// is not mistaken for it. A freed slot says nothing of the topic that had it.
func TestTopicsOfOneName(t *testing.T) {
	one, other, third := engine.PrefixID("aa"), engine.PrefixID("aa"), engine.PrefixID("bb")
	other[len(other)-1] = 1
	if interest.NameOf(one) != interest.NameOf(other) {
		t.Fatal("they have two names")
	}
	s := topics{byName: make(map[interest.Name]int32)}
	slot, isNew := s.add(one)
	if again, isNewAgain := s.add(one); !isNew || isNewAgain || again != slot || s.find(one) != slot {
		t.Errorf("added twice its slots are %d and %d", slot, again)
	}
	if got, isNew := s.add(other); got != -1 || isNew || s.find(other) != -1 || s.count != 1 {
		t.Errorf("one of the same name has slot %d", got)
	}
	s.slots[slot].follows = true
	s.slots[slot].cover[0] = 3
	s.remove(slot)
	both := interest.Of([]engine.ID{one, third}, 64)
	if got := s.in(both); s.find(one) != -1 || s.count != 0 || len(got) > 0 || s.anyFollowed(both) {
		t.Errorf("after its removal it is found in %d, and followed are %v", s.find(one), got)
	}
	slot, isNew = s.add(other)
	if !isNew || s.find(other) != slot || s.find(one) != -1 || s.slots[slot].on() || s.slots[slot].cover[0] != 0 {
		t.Errorf("the other in its place: %+v", s.slots[slot])
	}
	more, _ := s.add(third)
	s.slots[slot].follows, s.slots[more].publishes = true, true
	if got := s.in(both); len(s.slots) != 2 || !slices.Equal(got, []int32{min(slot, more), max(slot, more)}) {
		t.Errorf("slots %v of %d are on", got, len(s.slots))
	}
}

// Of the neighbours that were lost the latest are asked to come back, each by the tasks that have lost it.
func TestLostNeighboursAreBounded(t *testing.T) {
	c := Default()
	c.MaxLost = 3
	peers := []engine.Peer{enginetest.NewPeer("a1"), enginetest.NewPeer("a2"), enginetest.NewPeer("a3"),
		enginetest.NewPeer("a4"), enginetest.NewPeer("a5")}
	w := newAlone(c)
	w.do(func(o *Overlay) {
		for i, p := range peers {
			o.lost.add(p, Greedy, 0)
			if i%2 == 0 {
				o.lost.add(p, Random, 0)
			}
		}
		o.lost.drop(peers[3].ID)
		asked := make(map[engine.Peer]int)
		o.lost.run(o.env.Now()+c.ReturnFirst, func(task Task, p engine.Peer) { asked[p] |= 1 << task })
		both := 1<<Greedy | 1<<Random
		if len(asked) != 2 || asked[peers[2]] != both || asked[peers[4]] != both {
			t.Errorf("asked are %v", asked)
		}
		if len(o.lost.list) != 2 {
			t.Errorf("%d are remembered", len(o.lost.list))
		}
	})
}
