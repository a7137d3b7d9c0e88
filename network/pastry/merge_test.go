package pastry

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/sim"
)

// those returns the nodes for which is holds.
func (r *ring) those(is func(sim.Node) bool) (nodes []sim.Node) {
	for _, n := range r.nodes {
		if is(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// A partition into halves, or of one node from all others, lasts for minutes or for a day. Both sides become rings of
// their own, and one ring again when it heals (hostile 31).
func TestPartitionHeals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		one   func(sim.Node) bool
		lasts time.Duration
	}{
		{"halves", func(n sim.Node) bool { return n%2 == 0 }, 2 * time.Minute},
		{"one", func(n sim.Node) bool { return n == 7 }, 10 * time.Minute},
		{"tenth", func(n sim.Node) bool { return n%10 == 0 }, 6 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRing(t, 1)
			r.count()
			if testing.Short() {
				c.lasts = min(c.lasts, 20*time.Minute)
			}
			r.grow(short(24, 100), 200*time.Millisecond)
			r.world.Run(time.Minute)
			ones := r.those(c.one)
			others := r.those(func(n sim.Node) bool { return !c.one(n) })
			r.world.Partition(ones, others)
			r.world.Run(c.lasts)
			t.Logf("apart: %d + %d of %d leaf sets are wrong; %v", r.wrongLeafSets(ones), r.wrongLeafSets(others),
				len(r.nodes), r.events)
			for _, side := range [][]sim.Node{ones, others} {
				if wrong := r.wrongLeafSets(side); wrong > 0 {
					t.Errorf("%d leaf sets of a side are wrong", wrong)
				}
				if wrong, _ := r.lookups(short(100, 200), side); wrong > 0 {
					t.Errorf("%d lookups on a side went wrong", wrong)
				}
			}
			r.world.Heal()
			r.settles(t, 10*time.Minute)
		})
	}
}

// settles runs the world until all nodes that are up are active and have the right leaf sets. Then it tries lookups.
func (r *ring) settles(t *testing.T, within time.Duration) {
	t.Helper()
	began := r.world.Now()
	up := r.those(r.world.Up)
	right := func() bool { return len(r.alive()) == len(up) && r.wrongLeafSets(up) == 0 }
	for !right() && r.world.Now() < began+within {
		r.world.Run(time.Second)
	}
	if !right() {
		t.Fatalf("after %v %d of %d are active, %d leaf sets are wrong:\n%s", within, len(r.alive()), len(up),
			r.wrongLeafSets(up), r.picture())
	}
	t.Logf("all is right after %v", r.world.Now()-began)
	if wrong, _ := r.lookups(short(150, 500), up); wrong > 0 {
		t.Errorf("%d lookups went wrong", wrong)
	}
}

// Two rings that never knew each other become one when a node of one joins by a node of the other. The time grows with
// the logarithm of their size.
func TestRingsMergeByOneJoin(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 16, short(24, 256)} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			r := newRing(t, 1)
			r.count()
			r.grow(short(40, 256), 100*time.Millisecond)
			first := r.nodes
			r.nodes = nil
			r.grow(size, 100*time.Millisecond)
			second := r.nodes
			r.nodes = append(append([]sim.Node(nil), first...), second...)
			r.world.Run(2 * time.Minute)
			m0, _ := r.traffic()
			r.pastry(second[size/2]).Join(r.peers(first[:1])...)
			r.settles(t, 10*time.Minute)
			m1, _ := r.traffic()
			t.Log(m1-m0, r.events)
		})
	}
}

// Links that work in one direction alone, and links that come and go every ten seconds
// (hostile 31).
func TestBadLinksHeal(t *testing.T) {
	t.Parallel()
	odd := func(n sim.Node) bool { return n%2 == 1 }
	even := func(n sim.Node) bool { return n%2 == 0 }
	for _, c := range []struct {
		name string
		cut  func(r *ring)
	}{
		{"one way", func(r *ring) { r.world.CutOneWay(r.those(odd), r.those(even)) }},
		{"one way for one", func(r *ring) { r.world.CutOneWay(r.nodes[7:8], r.those(even)) }},
		{"a tenth of the links, silently", func(r *ring) {
			for _, a := range r.nodes {
				for _, b := range r.nodes {
					if (a*31+b*17)%10 == 0 {
						r.world.SetLinkFaults(a, b, sim.Faults{Loss: 1})
					}
				}
			}
		}},
		{"flapping", func(r *ring) { r.world.Partition(r.those(odd), r.those(even)).Flap(10 * time.Second) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRing(t, 1)
			r.count()
			r.grow(short(20, 100), 200*time.Millisecond)
			r.world.Run(time.Minute)
			c.cut(r)
			r.world.Run(time.Duration(short(3, 10)) * time.Minute)
			t.Logf("%d of %d leaf sets wrong, %v", r.wrongLeafSets(r.alive()), len(r.nodes), r.events)
			r.world.Heal()
			for _, a := range r.nodes {
				for _, b := range r.nodes {
					r.world.SetLinkFaults(a, b, sim.Faults{})
				}
			}
			r.settles(t, 10*time.Minute)
		})
	}
}
