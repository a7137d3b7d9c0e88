package pastry

import (
	"testing"
	"time"

	"tidings/network/sim"
)

// A node that crashes comes back, at once or after a while, at its old address or another one (hostile 33).
func TestReturn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		away  time.Duration
		moves bool
	}{
		{"at once", time.Second, false}, {"later", 5 * time.Minute, false},
		{"at once, elsewhere", time.Second, true}, {"later, elsewhere", 5 * time.Minute, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRing(t, 1)
			r.count()
			r.grow(short(24, 50), 200*time.Millisecond)
			r.world.Run(time.Minute)
			n := r.nodes[10]
			r.world.Crash(n)
			if c.moves {
				r.world.Move(n)
			}
			r.world.Run(c.away)
			r.world.Boot(n)
			r.world.Run(time.Minute)
			if wrong := r.wrongLeafSets(r.nodes); wrong > 0 {
				t.Errorf("%d leaf sets are wrong", wrong)
			}
			if wrong, _ := r.lookups(short(100, 300), r.nodes); wrong > 0 {
				t.Errorf("%d lookups went wrong", wrong)
			}
			if r.events["pastry.DuplicateKeyFound"] > 0 {
				t.Error("taken for a second node with its key")
			}
		})
	}
}

// Farewells move the keys at once: no keep-alive has to find out.
func TestLeaving(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(60, 200*time.Millisecond)
	r.world.Run(time.Minute)
	for i, n := range r.nodes {
		if i%3 == 0 {
			r.world.Shutdown(n)
		}
	}
	r.world.Run(20 * time.Second)
	if wrong := r.wrongLeafSets(r.alive()); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
	if wrong, _ := r.lookups(200, r.alive()); wrong > 0 {
		t.Errorf("%d lookups went wrong", wrong)
	}
}

// The seeds are dead, or dead at first, or themselves joining still.
func TestBadSeeds(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.count()
	r.grow(10, 200*time.Millisecond)
	dead := r.nodes[9]
	r.world.Crash(dead)
	mixed := r.add(dead, r.nodes[1])
	only := r.add(dead)
	chained := r.add(only) // its seed waits itself
	r.world.Run(30 * time.Second)
	if !r.pastry(mixed).Active() || r.pastry(only).Active() || r.pastry(chained).Active() {
		t.Fatal("one live seed must do, and a dead one cannot")
	}
	r.world.Boot(dead)
	r.world.Run(2 * time.Minute)
	if wrong := r.wrongLeafSets(r.nodes); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
}

// A node that joins by many seeds that are known to be dead loses no time by them.
func TestDeadSeedsCostNoWait(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1, func(c *sim.Config) { c.Detect = 100 * time.Millisecond })
	r.grow(10, 200*time.Millisecond)
	var dead []sim.Node
	for range 8 {
		dead = append(dead, r.place(r.key()))
	}
	n := r.add(append(dead, r.nodes[0])...)
	r.world.Run(time.Duration(len(dead))*300*time.Millisecond + time.Second)
	if !r.pastry(n).Active() {
		t.Error("it still waits")
	}
}

// A further seed has its turn before those that were asked in vain have another.
func TestFurtherSeedIsNext(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(10, 200*time.Millisecond)
	n := r.add(r.place(r.key())) // by a node that is not there
	r.world.Run(5 * time.Minute)
	r.pastry(n).Join(r.world.Peer(r.place(r.key())), r.world.Peer(r.nodes[0]))
	r.world.Run(10 * time.Second)
	if !r.pastry(n).Active() {
		t.Error("it still waits")
	}
}

// A seed that was down and is given again by a person is asked at once.
func TestSeedGivenAgain(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(10, 200*time.Millisecond)
	seed := r.nodes[3]
	r.world.Crash(seed)
	n := r.add(seed)
	r.world.Run(5 * time.Minute) // it asks every two minutes by now
	r.world.Boot(seed)
	r.world.Run(time.Second)
	r.pastry(n).Join(r.world.Peer(seed))
	r.world.Run(time.Second)
	if !r.pastry(n).Active() {
		t.Error("it still waits")
	}
}

// A node that waits for its seed in vain can be a ring of its own, and still joins later.
func TestAloneMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(10, 200*time.Millisecond)
	r.world.Crash(r.nodes[3])
	n := r.add(r.nodes[3])
	r.world.Run(10 * time.Second)
	r.pastry(n).Create()
	if !r.pastry(n).Active() || r.pastry(n).Nodes() != 1 {
		t.Fatal("not a ring of one")
	}
	r.world.Boot(r.nodes[3])
	r.world.Run(2 * time.Minute)
	if wrong := r.wrongLeafSets(r.nodes); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
}
