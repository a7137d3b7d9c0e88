package astrolabe_test

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/settled"
	"tidings/network/astrolabe/zone"
	"tidings/network/sim"
)

// newSettled returns a world of nodes that have been in a network for long, and the network. Rows are not stamped anew.
func newSettled(seed uint64, size int, loss float64) (*world, *settled.Network) {
	var network *settled.Network
	w := newWorld(setup{
		seed: seed, homes: all(size, zone.Root), config: slow,
		sim: func(c *sim.Config) { c.Faults.Loss = loss },
		seams: func(w *world, n sim.Node, s *astrolabe.Seams) {
			s.Settled, s.Contacts = network.Of(int(n)), nil
		},
		before: func(w *world) {
			network = settled.New(w.aggregation, w.settledMembers(settled.Zones(size, 32, 64)), w.Wall(0))
		},
	})
	return w, network
}

// slow is a network in which nothing happens but what a test does.
func slow(c *astrolabe.Config) { c.Refresh, c.Lifetime = 30*time.Minute, 2*time.Hour }

func (w *world) settledMembers(zones []zone.Path) []settled.Member {
	members := make([]settled.Member, len(zones))
	for i, p := range zones {
		members[i] = settled.Member{Peer: w.Peer(sim.Node(i)), Keys: w.Keys(sim.Node(i)), Zone: p}
	}
	return members
}

// All nodes of a network at rest announce an interest at one moment. All that tables say of it is right at all nodes
// after a number of intervals that grows with the logarithm of the number of nodes (section 7.1).
func TestConverges(t *testing.T) {
	for _, test := range []struct {
		size int
		loss float64
		most float64 // intervals for each doubling of the number of nodes; with other seeds, 0.45 and 1.3 were the most
	}{{200, 0, 0.7}, {1000, 0, 0.7}, {3000, 0, 0.7}, {200, 0.2, 1.5}, {1000, 0.2, 1.5}, {3000, 0.2, 1.5}} {
		t.Run(fmt.Sprintf("%d nodes, %g lost", test.size, test.loss), func(t *testing.T) {
			if testing.Short() && test.size > 200 {
				t.Skip("needs seconds")
			}
			w, _ := newSettled(1, test.size, test.loss)
			w.Run(time.Second)
			for n := range sim.Node(test.size) {
				w.node(n).Set(attr.Attribute{Name: "filter", Value: attr.Bytes(bitOf(w.chance.IntN(32)))})
			}
			from := w.Now()
			w.until(t, 20*w.aggregation.Interval, w.converged)
			rounds := float64(w.Now()-from) / float64(w.aggregation.Interval)
			t.Logf("right everywhere after %.1f intervals, %.2f log2(n)", rounds,
				rounds/float64(bits.Len(uint(test.size))))
			if most := test.most * float64(bits.Len(uint(test.size))); rounds > most {
				t.Errorf("%.1f intervals, at most %.1f are allowed", rounds, most)
			}
		})
	}
}

// bitOf returns a set with one element.
func bitOf(i int) []byte {
	b := make([]byte, 4)
	b[i/8] = 1 << (i % 8)
	return b
}

// converged returns where a table is not that of the others, or not the aggregation of what stands below.
func (w *world) converged() error {
	if err := w.equal(); err != nil {
		return err
	}
	checked := make(map[zone.Path]bool)
	for n := range sim.Node(w.Len()) {
		p, _ := w.node(n).Path()
		for ; p != zone.Root && !checked[p]; p = p.Parent() {
			checked[p] = true
			if err := w.aggregated(n, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// equal returns which copies of a table are not the same.
func (w *world) equal() error {
	sums := make(map[zone.Path]uint64)
	for n := range sim.Node(w.Len()) {
		p, _ := w.node(n).Path()
		for depth := range p.Depth() + 1 {
			q := p.At(depth)
			sum := w.node(n).Table(q).Sum()
			if known, ok := sums[q]; ok && known != sum {
				return fmt.Errorf("two copies of the table of %s differ", q)
			}
			sums[q] = sum
		}
	}
	return nil
}

// aggregated returns whether a zone's row at a node says what its table does.
func (w *world) aggregated(n sim.Node, p zone.Path) error {
	row, ok := w.node(n).Table(p.Parent()).Get(p.Label())
	if !ok {
		return fmt.Errorf("%s has no row", p)
	}
	union := new(attr.Or)
	for r := range w.node(n).Table(p).Children() {
		union.Add(r.Attributes.Get("filter"))
	}
	if !row.Attributes.Get("filter").Equal(union.Value()) {
		return fmt.Errorf("the row of %s is not that of its table", p)
	}
	return nil
}

// A network that has grown by gossip and one that was settled with the same members in the same zones say the same.
func TestLikeGossip(t *testing.T) {
	t.Parallel()
	w := newWorld(setup{homes: all(150, zone.Root), step: 200 * time.Millisecond})
	w.Run(30 * time.Second)
	w.until(t, 15*time.Minute, func() error { return w.agreed(w.up()) })
	for n := range sim.Node(150) {
		w.node(n).Set(own(n)...)
	}
	w.Run(4*w.aggregation.Refresh + time.Minute) // numbers are announced, and the first representatives write again
	zones := make([]zone.Path, 150)
	for n := range zones {
		zones[n], _ = w.node(sim.Node(n)).Path()
	}
	members := w.settledMembers(zones)
	for n := range members {
		members[n].Own = attr.Of(own(sim.Node(n))...)
	}
	network := settled.New(w.aggregation, members, w.Wall(0))
	for n := range sim.Node(150) {
		for depth := range zones[n].Depth() + 1 {
			p := zones[n].At(depth)
			gossiped, made := w.node(n).Table(p), network.Table(p)
			if gossiped.Len() != made.Len() {
				t.Fatalf("%d rows in %s at node %d, %d were made", gossiped.Len(), p, n, made.Len())
			}
			for r := range made.Children() {
				g, ok := gossiped.Get(r.Label)
				if !ok || !g.Attributes.Equal(r.Attributes) || g.Issuer != r.Issuer || r.Lifetime != g.Lifetime {
					t.Errorf("the row %q of %s at node %d is %v, by %s; made was %v, by %s", r.Label, p, n,
						g.Attributes, g.Issuer.ID.Short(), r.Attributes, r.Issuer.ID.Short())
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	if network.Table("/eu") != nil {
		t.Error("a zone without members has a table")
	}
}

// own returns what a node says of itself.
func own(n sim.Node) []attr.Attribute {
	return []attr.Attribute{
		{Name: "filter", Value: attr.Bytes(bitOf(int(n) % 32))},
		{Name: "load", Value: attr.Float(float64(n%7) / 8)},
	}
}

// A node that was settled acts as others do. It is the peer that it was set to be, in its zone.
func TestSettledLives(t *testing.T) {
	t.Parallel()
	w, network := newSettled(2, 200, 0)
	w.Run(time.Minute)
	if err := w.agreed(w.up()); err != nil {
		t.Error(err)
	}
	if got, want := w.node(7).Table(zone.Root).Sum(), network.Table(zone.Root).Sum(); got != want {
		t.Errorf("the root's table has changed where nothing happened")
	}
}
