package astrolabe_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// Two networks that grew apart become one as soon as one node of each learns of one of the other, and all know of all.
func TestMerge(t *testing.T) {
	for _, test := range []struct {
		what   string
		homes  []zone.Path // of the nodes of either half, in turns
		size   int
		closed bool
	}{
		{"one zone", []zone.Path{zone.Root}, 20, false},
		{"zones that made themselves", []zone.Path{zone.Root}, 90, false},
		{"zones with names", []zone.Path{"/eu/de", "/eu/fr", "/us"}, 30, false},
		{"certified", []zone.Path{"/eu/de", "/us"}, 20, true},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			homes := make([]zone.Path, 2*test.size)
			for i := range homes {
				homes[i] = test.homes[i%test.size%len(test.homes)]
			}
			w := newWorld(setup{homes: homes, step: 200 * time.Millisecond,
				seams: func(w *world, n sim.Node, s *astrolabe.Seams) {
					s.Contacts = nil
					if first := int(n) / test.size * test.size; int(n) > first {
						s.Contacts = []engine.Peer{w.Peer(sim.Node(first + w.chance.IntN(int(n)-first)))}
					}
					if test.closed {
						s.Trusted, s.Closed, s.Proof = trust(), true,
							certify(1, w.Peer(n).ID, s.Home, w.Wall(0).Add(24*time.Hour))
					}
				}})
			w.Run(time.Duration(len(homes)) * 200 * time.Millisecond)
			nodes := w.up()
			halves := [][]sim.Node{nodes[:test.size], nodes[test.size:]}
			for _, half := range halves {
				w.until(t, 10*time.Minute, func() error { return w.agreed(half) })
			}
			w.node(nodes[test.size-1]).Meet(w.Peer(nodes[len(nodes)-1]))
			met := w.Now()
			w.until(t, 90*time.Second, func() error { return w.agreed(nodes) })
			t.Logf("%d nodes are one network %v after two have met", len(nodes), w.Now()-met)
			if !slices.ContainsFunc(nodes, func(n sim.Node) bool { return w.node(n).Other() != engine.Peer{} }) {
				t.Error("nobody knows another")
			}
		})
	}
}

// A network that was cut in two for longer than rows hold is one again soon after, though no node is notified.
func TestHeal(t *testing.T) {
	t.Parallel()
	w := newWorld(setup{homes: all(60, zone.Root), step: 200 * time.Millisecond})
	w.Run(12 * time.Second)
	w.until(t, 5*time.Minute, func() error { return w.agreed(w.up()) })
	nodes := w.up()
	cut := w.Partition(nodes[:30], nodes[30:])
	w.until(t, w.aggregation.Lifetime+5*time.Minute, func() error {
		for _, half := range [][]sim.Node{nodes[:30], nodes[30:]} {
			if err := w.agreed(half); err != nil {
				return fmt.Errorf("apart: %w", err)
			}
		}
		return nil
	})
	cut.Heal()
	w.until(t, 5*time.Minute, func() error { return w.agreed(nodes) })
}

// Nodes that come to an empty zone at the same moment find each other within a minute: each sees which other node has
// written the row of the zone.
func TestTogether(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		w := newWorld(setup{seed: t.Seed(), homes: append([]zone.Path{"/us"}, all(6, "/eu")...),
			seams: func(w *world, n sim.Node, s *astrolabe.Seams) {
				if s.Contacts = nil; n > 0 {
					s.Contacts = []engine.Peer{w.Peer(0)}
				}
			}})
		w.until(t, time.Minute, func() error { return w.agreed(w.up()) })
	})
}

// A node lists the rows that do not hold any more only where other labels hold at the node that compares: nothing else
// there can be one of them. After many have moved on, these would be most of the list.
func TestRowsThatAreOverAreListedWhereTheyMatter(t *testing.T) {
	const home, moved = zone.Path("/eu"), 100
	o := newOne(t, home, nil)
	other := memberRow(puppet, home)
	o.give(home, update(other, o.now(), 600))
	var twin table.Table // a copy in which the same labels hold
	for r := range o.Table(home).All() {
		twin.Put(r, 0, 0)
	}
	for i := range moved {
		o.give(home, update(memberRow(enginetest.NewPeer(fmt.Sprintf("c%03x", i)), home), o.now(), 600))
	}
	var apart table.Table // and one that has missed that members have moved on
	for r := range o.Table(home).All() {
		apart.Put(r, 0, 0)
	}
	for i := range moved {
		o.give(home, update(memberRow(enginetest.NewPeer(fmt.Sprintf("c%03x", i)), home), o.now()+1, 0))
	}
	listed := func(copy *table.Table) int {
		o.Env.Sent()
		root := o.Table(zone.Root)
		o.Receive(puppet, &astrolabe.Gossip{
			Zone: home, Sums: []uint64{root.Sum(), copy.Sum() + 1}, Labels: []uint32{root.Labels(), copy.Labels()},
		})
		for _, s := range o.Env.Sent() {
			if m, ok := s.Message.(*astrolabe.Compare); ok && len(m.Tables) == 1 && m.Tables[0].Depth == 1 {
				return len(m.Tables[0].Marks) * table.MaxRows / table.MaxMarks
			}
		}
		return -1
	}
	holds := len(slices.Collect(o.Table(home).All()))
	if got := listed(&twin); got != holds {
		t.Errorf("to a node with the same labels %d rows are listed, of which %d hold", got, holds)
	}
	if got := listed(&apart); got != holds+moved {
		t.Errorf("to a node with others %d rows are listed, want %d", got, holds+moved)
	}
}
