package rappel

import (
	"testing"

	"tidings/network/engine"
)

// pingOf returns the latest ping of those that were sent, and where it went.
func pingOf(sent []sending) (to engine.Peer, number uint32, ok bool) {
	for _, s := range sent {
		if m, is := s.m.(*Ping); is {
			to, number, ok = s.to, m.Number, true
		}
	}
	return to, number, ok
}

// A parent that answers from another address is pinged there from then on. An answer to an earlier ping, which may come
// late, changes nothing.
func TestAParentIsPingedWhereItAnswers(t *testing.T) {
	p := newChild(t)
	next := func() (to engine.Peer, number uint32) {
		t.Helper()
		for range 1000 {
			p.sent = nil
			p.advance(Default().Ping / 100)
			if to, number, ok := pingOf(p.sent); ok && to.ID == c1.ID {
				return to, number
			}
		}
		t.Fatal("the parent is not pinged")
		return to, number
	}
	moved := engine.Peer{ID: c1.ID, Address: "elsewhere"}
	to, first := next()
	if to != c1 {
		t.Fatalf("the parent is pinged at %q; want %q, where it was found", to.Address, c1.Address)
	}
	p.receives(moved, &Ack{Number: first})
	to, second := next()
	if to != moved {
		t.Errorf("after an answer from %q the parent is pinged at %q", moved.Address, to.Address)
	}
	p.receives(c1, &Ack{Number: first})
	p.receives(moved, &Ack{Number: second})
	p.receives(c1, &Ack{Number: first})
	if to, _ := next(); to != moved {
		t.Errorf("after a late answer from %q the parent is pinged there; want at %q", to.Address, moved.Address)
	}
}
