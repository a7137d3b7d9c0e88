package pastry

import (
	"testing"
	"time"

	"tidings/network/sim"
)

// A neighbour that the network reports as unreachable is soon out of the leaf set, however long others are waited for,
// and wherever it was tried. One that answers stays.
func TestWhoIsDownIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(20, 200*time.Millisecond)
	r.world.Run(time.Minute)
	n := r.pastry(3)
	for range 100 {
		n.lag.by = maxLag
		p := n.known.above(0).peer
		n.PeerDown(p)
		if r.world.Run(5 * time.Second); !n.Knows(p.ID) {
			t.Fatal("one that answers is given up")
		}
	}
	n.lag.by = maxLag
	p := n.known.above(0).peer
	dead, _ := r.world.NodeAt(p)
	r.world.Crash(dead)
	n.prober.ask(p, true) // it is being asked, patiently, when the network finds out
	p.Address += "of before"
	n.PeerDown(p)
	if r.world.Run(time.Duration(n.config.ProbeTries) * n.config.ProbeTimeout * 2 / 3); n.Knows(p.ID) {
		t.Error("one that is down is a neighbour still")
	}
}

// Two neighbours that lose each other for a while, and were not away, find each other again before either begins the
// general search for lost peers.
func TestALostNeighbourIsFoundSoon(t *testing.T) {
	t.Parallel()
	r := newRing(t, 1)
	r.grow(20, 200*time.Millisecond)
	r.world.Run(time.Minute)
	n := r.pastry(3)
	p := n.known.above(0).peer
	other, _ := r.world.NodeAt(p)
	cut := r.world.CutBetween([]sim.Node{3}, []sim.Node{other})
	n.PeerDown(p)
	r.pastry(other).PeerDown(r.world.Peer(3))
	if r.world.Run(4 * time.Second); n.Knows(p.ID) {
		t.Fatal("the cut is not noticed")
	}
	cut.Heal()
	if r.world.Run(6 * time.Second); !n.Knows(p.ID) || !r.pastry(other).Knows(r.world.Peer(3).ID) {
		t.Error("two neighbours do not know each other seconds after the way between them is whole again")
	}
}
