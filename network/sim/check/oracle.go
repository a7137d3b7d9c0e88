package check

import (
	"slices"
	"sort"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Member reports whether a live node ought to be part of the ring. It is asked of live nodes
// alone; nil stands for yes.
type Member func(n sim.Node) bool

// oracle knows all nodes of a world in the order of their IDs.
type oracle struct {
	world  *sim.World
	member Member
	sorted []sim.Node // all nodes ever added
}

// few is how many new nodes are put in their places one by one; for more, all are sorted.
const few = 32

// refresh adds nodes that were added since the last time.
func (o *oracle) refresh() {
	known, all := len(o.sorted), o.world.Len()
	if all-known <= few {
		for n := sim.Node(known); int(n) < all; n++ {
			o.sorted = slices.Insert(o.sorted, o.place(o.id(n)), n)
		}
		return
	}
	for n := known; n < all; n++ {
		o.sorted = append(o.sorted, sim.Node(n))
	}
	slices.SortStableFunc(o.sorted, func(a, b sim.Node) int { return o.id(a).Compare(o.id(b)) })
}

// place returns where the first node stands with an ID not below id.
func (o *oracle) place(id engine.ID) int {
	return sort.Search(len(o.sorted), func(i int) bool { return o.id(o.sorted[i]).Compare(id) >= 0 })
}

func (o *oracle) id(n sim.Node) engine.ID { return o.world.Peer(n).ID }

func (o *oracle) belongs(n sim.Node) bool {
	return o.world.Up(n) && (o.member == nil || o.member(n))
}

// members returns the live members in the order of their IDs.
func (o *oracle) members() []sim.Node {
	o.refresh()
	var live []sim.Node
	for _, n := range o.sorted {
		if o.belongs(n) {
			live = append(live, n)
		}
	}
	return live
}

// closest returns the live member that is numerically closest to key; false if there is none.
func (o *oracle) closest(key engine.ID) (sim.Node, bool) {
	o.refresh()
	start := o.place(key)
	above, ok := o.first(start, 1)
	if !ok {
		return 0, false
	}
	below, _ := o.first(start-1, -1)
	if engine.Closer(key, o.id(below), o.id(above)) {
		return below, true
	}
	return above, true
}

// first returns the first live member at or behind a place in the order, going round by step.
func (o *oracle) first(place, step int) (sim.Node, bool) {
	all := len(o.sorted)
	for i := range all {
		n := o.sorted[((place+i*step)%all+all)%all]
		if o.belongs(n) {
			return n, true
		}
	}
	return 0, false
}
