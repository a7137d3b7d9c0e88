package pastry

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/forward"
	"tidings/network/sim"
)

// homes makes connections last as long as both nodes. So do those of live nodes, if they are no more than a few
// hundred.
func homes(c *sim.Config) { c.Connections, c.Idle = true, 24*time.Hour }

// newHomes returns a ring in which 70 % of the nodes will be private. All forward.
func newHomes(t tester, seed uint64, change ...func(*sim.Config)) *ring {
	r := newRing(t, seed, append(change, homes)...)
	r.private = 0.7
	return r
}

// If most nodes are private, routing is as right as if none is. All join, all leaf sets are the oracle's, and all
// lookups end at the closest node.
func TestRoutesAreRightAmongPrivateNodes(t *testing.T) {
	t.Parallel()
	for _, seed := range sim.Seeds(1, short(2, 6)) {
		r := newHomes(t, seed)
		r.grow(100, time.Second)
		r.world.Run(2 * time.Minute)
		if wrong := r.wrongLeafSets(r.nodes); wrong > 0 || len(r.alive()) < len(r.nodes) {
			t.Errorf("seed %d: %d of %d nodes are active, %d leaf sets are wrong", seed, len(r.alive()), len(r.nodes),
				wrong)
		}
		if wrong, _ := r.lookups(500, r.nodes); wrong > 0 {
			t.Errorf("seed %d: %d lookups were wrong", seed, wrong)
		}
		if err := r.atRest(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// Neighbours that are not next to each other exchange nothing for so long that routes between them end. None is found
// dead for that: the node that forwarded last knows a way, or those next to it do.
func TestRoutesThatEndedAreFoundAgain(t *testing.T) {
	t.Parallel()
	for _, seed := range sim.Seeds(1, short(2, 10)) {
		r := newHomes(t, seed)
		r.grow(100, time.Second)
		r.world.Run(2 * time.Minute)
		var dead []string
		r.world.Observe(func(_ time.Duration, n sim.Node, e any) {
			if e, is := e.(Removed); is && e.Leaf && e.Why == Silent {
				dead = append(dead, fmt.Sprint(n, " ", e.Peer))
			}
		})
		r.world.Run(2 * time.Hour)
		if len(dead) > 0 {
			t.Errorf("seed %d: %d live neighbours were found dead: %v", seed, len(dead), dead)
		}
	}
}

// A private node that joins by a public one is welcomed by a private neighbour, along the way of its Join.
func TestPrivateNodesWelcomeEachOther(t *testing.T) {
	t.Parallel()
	r := newHomes(t, 1)
	r.private = 1
	public := r.add() // the first is never private
	r.world.Run(time.Second)
	for range 2 {
		began, n := r.world.Now(), r.add(public)
		r.world.RunUntil(func() bool { return r.pastry(n).Active() }, time.Minute)
		if took := r.world.Now() - began; took > 5*time.Second {
			t.Errorf("a private node was part of the ring after %v", took)
		}
		r.world.Run(30 * time.Second)
	}
	if wrong := r.wrongLeafSets(r.nodes); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
	r.world.Crash(public)
	r.world.Run(20 * time.Second)
	if r.pastry(1).Knows(r.world.Peer(2).ID) {
		t.Error("private nodes know each other, and nobody forwards")
	}
}

// Of two nodes connected with all others one dies. No other node is found dead, and after 15 seconds routing is right.
func TestOneForwarderDies(t *testing.T) {
	t.Parallel()
	for _, seed := range sim.Seeds(1, short(4, 12)) {
		r := newHomes(t, seed)
		r.add()
		r.world.Run(time.Second)
		r.private = 0.000001
		r.add(0)
		r.world.Run(time.Minute)
		r.private = 1
		for range 6 {
			r.add(0, 1)
			r.world.Run(10 * time.Second)
		}
		r.world.Run(time.Minute)
		if wrong := r.wrongLeafSets(r.nodes); wrong > 0 {
			t.Fatalf("seed %d: %d leaf sets are wrong", seed, wrong)
		}
		var removed []string
		r.world.Observe(func(_ time.Duration, n sim.Node, e any) {
			if e, is := e.(Removed); is && e.Peer != r.world.Peer(0) {
				removed = append(removed, fmt.Sprint(n, " ", e))
			}
		})
		r.world.Crash(0)
		r.world.Run(15 * time.Second)
		if wrong, _ := r.lookups(100, r.alive()); wrong > 0 {
			t.Errorf("seed %d: %d lookups were wrong 15 seconds after a forwarder died", seed, wrong)
		}
		if wrong := r.wrongLeafSets(r.alive()); wrong > 0 || len(removed) > 0 {
			t.Errorf("seed %d: %d leaf sets are wrong, and were taken for dead: %v", seed, wrong, removed)
		}
	}
}

// Nodes of all kinds come and go; once they have had peace, the ring is right.
func TestChurnAmongPrivateNodes(t *testing.T) {
	t.Parallel()
	for _, seed := range sim.Seeds(1, short(1, 4)) {
		r := newHomes(t, seed)
		r.grow(60, time.Second)
		r.world.Run(time.Minute)
		for range 60 {
			n := r.someone()
			switch r.chance.IntN(3) {
			case 0:
				r.world.Crash(n)
			case 1:
				r.world.Shutdown(n)
			case 2:
				r.world.CrashFor(n, time.Duration(r.chance.IntN(60))*time.Second)
			}
			r.add()
			r.world.Run(time.Duration(r.chance.IntN(10)) * time.Second)
		}
		r.world.Run(5 * time.Minute)
		alive := r.alive()
		if wrong := r.wrongLeafSets(alive); wrong > 0 {
			t.Errorf("seed %d: %d of %d leaf sets are wrong", seed, wrong, len(alive))
		}
		if wrong, _ := r.lookups(300, alive); wrong > 0 {
			t.Errorf("seed %d: %d lookups were wrong", seed, wrong)
		}
	}
}

// A node that gets a routed message learns which node is connected with its origin, for the answer.
func TestEntryIsConnectedWithTheOrigin(t *testing.T) {
	t.Parallel()
	r := newHomes(t, 3)
	r.grow(60, time.Second)
	r.world.Run(time.Minute)
	checked := 0
	r.world.Tap(func(d sim.Delivery) {
		m, is := d.Message.(*Routed)
		if carried, by := d.Message.(*forward.Message); by {
			p, _ := codec.Decode(carried.Payload)
			m, is = p.(*Routed)
		}
		if !is || d.Fate != sim.Received || m.Hops < 2 {
			return
		}
		checked++
		entry, known := r.world.NodeAt(m.Entry)
		if !known {
			t.Errorf("nobody is said to be connected with %v", m.Origin)
			return
		}
		if _, linked := r.world.Protocol(entry).(stacked).Protocol.(*forward.Node).Link(m.Origin.ID); !linked {
			t.Errorf("node %d is said to be connected with %v", entry, m.Origin)
		}
	})
	r.lookups(300, r.nodes)
	if checked < 50 {
		t.Errorf("only %d messages took more than one hop", checked)
	}
}
