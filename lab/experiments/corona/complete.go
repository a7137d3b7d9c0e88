package corona

import (
	"math/rand/v2"
	"slices"
	"sort"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// completeRing knows which nodes each node of a complete ring knows: what joins teach nodes of their neighbours and of
// those near by, without the joins. All its nodes must be booted at one moment.
type completeRing struct {
	world   *sim.World
	latency sim.Distances
	config  pastry.Config
	chance  *rand.Rand
	order   []sim.Node // by ID
	at      []int      // by node: in order
}

// candidates is among how many nodes of a slot, drawn by lot, a node knows the nearest. Nodes of rings that have grown
// know about as near ones: see TestCompleteRingIsLikeOneThatHasGrown.
const candidates = 6

func newCompleteRing(w *sim.World, latency sim.Distances, c pastry.Config, seed uint64) *completeRing {
	r := &completeRing{
		world: w, latency: latency, config: c, chance: rand.New(rand.NewPCG(seed, 0xc0de)),
		order: make([]sim.Node, w.Len()), at: make([]int, w.Len()),
	}
	for i := range r.order {
		r.order[i] = sim.Node(i)
	}
	slices.SortFunc(r.order, func(a, b sim.Node) int { return r.id(a).Compare(r.id(b)) })
	for i, n := range r.order {
		r.at[n] = i
	}
	return r
}

func (r *completeRing) id(n sim.Node) engine.ID { return r.world.Peer(n).ID }

// knownTo returns the nodes that a node should know: its leaf set, and several for each slot of its routing table that
// has candidates.
func (r *completeRing) knownTo(n sim.Node) (known []pastry.Acquaintance) {
	at, all, self := r.at[n], len(r.order), r.id(n)
	for i := 1; i <= r.config.LeafSet/2 && i < all; i++ {
		known = append(known, r.acquaint(n, r.order[(at+i)%all]), r.acquaint(n, r.order[(at-i+all)%all]))
	}
	from, to := 0, all
	for row := 0; to-from > 1; row++ {
		own := self.Digit(row, r.config.Digit)
		next := [2]int{from, to}
		for digit, start := 0, from; start < to; digit++ {
			end := start + sort.Search(to-start,
				func(i int) bool { return r.id(r.order[start+i]).Digit(row, r.config.Digit) > digit })
			if digit == own {
				next = [2]int{start, end}
			} else {
				known = append(known, r.drawn(n, r.order[start:end])...)
			}
			start = end
		}
		from, to = next[0], next[1]
	}
	return known
}

// drawn draws some of a slot's nodes and returns the nearest, as many as a slot holds.
func (r *completeRing) drawn(n sim.Node, slot []sim.Node) (some []pastry.Acquaintance) {
	for i := range min(candidates, len(slot)) {
		if len(slot) > candidates {
			i = r.chance.IntN(len(slot))
		}
		some = append(some, r.acquaint(n, slot[i]))
	}
	slices.SortStableFunc(some, func(a, b pastry.Acquaintance) int { return int(a.RTT - b.RTT) })
	return some[:min(len(some), r.config.PerSlot)]
}

func (r *completeRing) acquaint(n, other sim.Node) pastry.Acquaintance {
	return pastry.Acquaintance{Peer: r.world.Peer(other), RTT: max(r.latency.RTT(n, other), 1)}
}
