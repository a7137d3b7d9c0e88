package pastry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/sim"
)

// broken returns what is wrong with a node's tables at any time: nil if nothing.
func broken(n *Node) error {
	self := n.known.self
	known := n.Known()
	for i, p := range known {
		if p.ID == self {
			return fmt.Errorf("%v knows itself", self)
		}
		if i > 0 && known[i-1].ID.Compare(p.ID) >= 0 {
			return fmt.Errorf("%v knows %v twice, or out of order", self, p)
		}
	}
	below, above := n.LeafSet()
	if want := min(n.config.LeafSet/2, len(known)); len(below) != want || len(above) != want {
		return fmt.Errorf("%v has a leaf set of %d and %d, knowing %d", self, len(below), len(above), len(known))
	}
	nearer := func(from, to func(engine.ID) engine.ID, side []engine.Peer) bool {
		return slices.IsSortedFunc(side, func(a, b engine.Peer) int { return from(a.ID).Compare(to(b.ID)) })
	}
	up := func(id engine.ID) engine.ID { return self.Clockwise(id) }
	down := func(id engine.ID) engine.ID { return id.Clockwise(self) }
	if !nearer(up, up, above) || !nearer(down, down, below) {
		return fmt.Errorf("%v has a leaf set out of order", self)
	}
	for _, p := range known { // no known peer is nearer than the leaf set
		if !slices.Contains(above, p) && len(above) > 0 && up(p.ID).Compare(up(above[len(above)-1].ID)) < 0 {
			return fmt.Errorf("%v has left %v out of its leaf set", self, p)
		}
	}
	total := 0
	for row := range engine.Bits / n.config.Digit {
		columns := make(map[int]bool)
		for _, p := range n.Contacts(row) {
			column := p.ID.Digit(row, n.config.Digit)
			if p.ID.CommonDigits(self, n.config.Digit) != row || columns[column] {
				return fmt.Errorf("%v has %v in row %d", self, p, row)
			}
			columns[column] = true
			total++
		}
	}
	if most := total*n.config.PerSlot + n.config.LeafSet; len(known) > most {
		return fmt.Errorf("%v keeps %d, with %d slots", self, len(known), total)
	}
	if n.prober.leaves < 0 || len(n.lost.peers) > n.config.MaxLost || len(n.routing.pending) > n.config.MaxPending {
		return fmt.Errorf("%v: a bound is broken", self)
	}
	return nil
}

// atRest returns what is wrong with a ring that was left in peace: leaf sets are symmetric and hold live nodes alone.
func (r *ring) atRest() error {
	sets := make(map[engine.ID][]engine.Peer)
	for _, n := range r.alive() {
		below, above := r.pastry(n).LeafSet()
		sets[r.world.Peer(n).ID] = append(below, above...)
	}
	for id, set := range sets {
		for _, p := range set {
			other, live := sets[p.ID]
			if !live || !slices.ContainsFunc(other, func(q engine.Peer) bool { return q.ID == id }) {
				return fmt.Errorf("%s has %v in its leaf set, and not the other way round (live: %v)", id.Short(), p,
					live)
			}
		}
	}
	return nil
}

// picture shows each node's state and contacts.
func (r *ring) picture() string {
	var b strings.Builder
	for _, n := range r.nodes {
		if !r.world.Up(n) {
			continue
		}
		p := r.pastry(n)
		fmt.Fprintf(&b, "%2d %v active %v, knows %v, lost", n, r.world.Peer(n), p.Active(), p.Known())
		for _, m := range p.lost.peers {
			fmt.Fprintf(&b, " %v", m.peer)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// step is one thing that happens in a scenario.
type step struct {
	what string
	who  int
	time time.Duration
}

// TestScenarios makes nodes join, crash, return, leave, and be cut off from each other, at random. Invariants hold all
// the time, and the ring is right after a time of peace.
func TestScenarios(t *testing.T) {
	t.Parallel()
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			what: rapid.SampledFrom([]string{"join", "join", "crash", "return", "leave", "part", "heal", "lose",
				"route"}).Draw(t, "what"),
			who:  rapid.IntRange(0, 30).Draw(t, "who"),
			time: time.Duration(rapid.IntRange(0, 40_000).Draw(t, "ms")) * time.Millisecond,
		}
	}), 1, 40)
	rapid.Check(t, func(t *rapid.T) {
		r := newRing(t, rapid.Uint64().Draw(t, "seed"))
		r.grow(3, time.Second)
		for _, s := range steps.Draw(t, "steps") {
			r.play(s)
			r.world.Run(s.time)
			for _, n := range r.nodes {
				if r.world.Up(n) {
					if err := broken(r.pastry(n)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		r.neverTwice()
		r.world.Heal()
		r.world.SetFaults(sim.Faults{})
		if !r.world.Up(r.nodes[0]) {
			r.world.Boot(r.nodes[0])
		}
		// Two cases need a person: nodes with only dead seeds, and sides without any node that has met the other side.
		first := r.pastry(r.nodes[0])
		r.world.Run(time.Second)
		if first.Create(); !first.Active() {
			r.world.Run(time.Minute)
		}
		for _, n := range r.nodes {
			if r.world.Up(n) {
				r.pastry(n).Join(r.peers(r.nodes[:1])...)
			}
		}
		r.world.Run(6 * time.Minute)
		if wrong := r.wrongLeafSets(r.alive()); wrong > 0 {
			t.Fatalf("%d of %d leaf sets are wrong:\n%s", wrong, len(r.alive()), r.picture())
		}
		for _, n := range r.nodes {
			if r.world.Up(n) && !r.pastry(n).Active() {
				t.Fatalf("node %d is not active", n)
			}
		}
		if err := r.atRest(); err != nil {
			t.Fatal(err)
		}
		if wrong, _ := r.lookups(20, r.alive()); wrong > 0 {
			t.Fatalf("%d lookups went wrong", wrong)
		}
	})
}

func (r *ring) play(s step) {
	n := r.nodes[s.who%len(r.nodes)]
	alive := r.alive()
	switch s.what {
	case "join":
		if len(alive) > 0 && len(r.nodes) < 40 {
			r.add(alive[s.who%len(alive)], r.nodes[0])
		}
	case "crash":
		if r.world.Up(n) {
			r.world.Crash(n)
		}
	case "leave":
		r.world.Shutdown(n)
	case "return":
		if !r.world.Up(n) {
			r.world.Boot(n)
		}
	case "part":
		k := sim.Node(s.who%3 + 2)
		r.world.Partition(r.those(func(n sim.Node) bool { return n%k == 0 }))
	case "heal":
		r.world.Heal()
		r.world.SetFaults(sim.Faults{})
	case "lose":
		r.world.SetFaults(sim.Faults{Loss: float64(s.who) / 100})
	case "route":
		if len(alive) > 0 {
			r.route(alive[s.who%len(alive)], r.key())
		}
	}
}
