package pastry

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
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

// Of two nodes with one ID the first keeps its place at all nodes that knew it, even if messages are lost. The other
// gets it when the first is dead (hostile 33).
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
		r.world.Run(8 * time.Minute) // it does not join anew: keep-alives spread it, neighbour by neighbour
		ring[5] = duplicate
		if wrong := r.wrongLeafSets(ring); wrong > 0 {
			t.Errorf("behind the first one %d leaf sets are wrong", wrong)
		}
	}
}

// A node that is seen now at one address, now at another, as by a forwarder and by a connection of its own, is one
// node. It keeps its place, and no warning comes.
func TestSeenAtTwoAddresses(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.count()
	r.grow(20, 200*time.Millisecond)
	r.world.Run(time.Minute)
	n, seen := r.pastry(3), r.pastry(7)
	here := r.world.Peer(7)
	there := here
	there.Address += "by another way"
	r.world.Observe(func(_ time.Duration, n sim.Node, e any) {
		if e, is := e.(Removed); is {
			t.Errorf("%v has removed %v", n, e.Peer)
		}
	})
	for range 10 {
		for _, at := range []engine.Peer{there, here} {
			n.Receive(at, &Probe{Active: true, Knows: true, Leaf: true, Incarnation: seen.incarnation})
			if c := n.known.find(here.ID); c == nil || c.peer != at {
				t.Fatalf("it is not known where it was seen last: %v", c)
			}
			r.world.Run(2 * time.Second)
		}
	}
	r.world.Run(time.Minute)
	if found := r.events["pastry.DuplicateKeyFound"]; found > 0 {
		t.Errorf("taken for two nodes with one key, %d times", found)
	}
}

// A node asks an earlier address of its own for duplicates, and has that address again meanwhile. The answer is its
// own.
func TestOwnAddressAgain(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.count()
	r.grow(5, 200*time.Millisecond)
	n := r.pastry(3)
	n.Receive(r.world.Peer(3), &Probe{Incarnation: n.incarnation})
	if r.events["pastry.DuplicateKeyFound"] > 0 {
		t.Error("a node takes itself for another with its key")
	}
	n.Receive(r.world.Peer(3), &Probe{Incarnation: n.incarnation + 1})
	if r.events["pastry.DuplicateKeyFound"] != 1 {
		t.Error("another node with its key is not noticed")
	}
}

// A node has started again at another address, and an answer from the address before arrives late. It shows that the
// node was there, not that it still is: only an answer to the question after the move is a sign of a duplicate.
func TestALateAnswerIsNoDuplicate(t *testing.T) {
	t.Parallel()
	before := enginetest.NewPeer("70")
	after := engine.Peer{ID: before.ID, Address: before.Address + "of another run"}
	for _, late := range []bool{true, false} {
		env := enginetest.NewEnv(enginetest.NewPeer("80"))
		n := New(env, Default())
		n.Create()
		asked := func() (nonce uint32) {
			t.Helper()
			for _, s := range env.Sent() {
				if m, ok := s.Message.(*Probe); ok && s.To == before {
					return m.Nonce
				}
			}
			t.Fatalf("late %v: %v is not asked", late, before)
			return 0
		}
		n.Receive(before, &Probe{Active: true, Knows: true, Incarnation: 1})
		env.Sent()
		n.PeerDown(before)
		answer := &Answer{Nonce: asked(), Active: true, Knows: true, Incarnation: 1}
		n.Receive(before, answer)
		env.Traced()
		n.Receive(after, &Probe{Active: true, Knows: true, Incarnation: 2})
		nonce := asked()
		if !late {
			answer = &Answer{Nonce: nonce, Active: true, Knows: true, Incarnation: 1}
		}
		n.Receive(before, answer)
		found := 0
		for _, e := range env.Traced() {
			if _, is := e.(DuplicateKeyFound); is {
				found++
			}
		}
		if want := map[bool]int{true: 0, false: 1}[late]; found != want {
			t.Errorf("late %v: %d duplicates are found by an answer from the address before; want %d", late, found,
				want)
		}
	}
}
