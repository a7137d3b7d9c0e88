package campaign

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"tidings/network/engine"
	"tidings/network/sim"
)

// readers returns which nodes follow a channel: the first of all in an order of its own.
func (w *World) readers(channel int) []sim.Node {
	return w.inOrder(channel)[:w.Channels[channel].Readers]
}

// inOrder returns all nodes in an order of a channel's own, which stays where nodes are left out.
func (w *World) inOrder(channel int) []sim.Node {
	place := func(n sim.Node) uint64 { return engine.Mix(w.Seed ^ engine.Mix(uint64(channel)<<32|uint64(n))) }
	all := make([]sim.Node, w.Nodes)
	for n := range all {
		all[n] = sim.Node(n)
	}
	slices.SortFunc(all, func(a, b sim.Node) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// late reports whether a node only joins when a fault says so.
func (w *World) late(n sim.Node) bool { return int(n) >= w.Nodes-w.Late }

// half reports whether a node is on one side, of those that an amount says.
func half(amount float64, n sim.Node) bool {
	return engine.Mix(uint64(amount*(1<<52))^engine.Mix(uint64(n)))&1 == 0
}

// liars returns which nodes lie at some time.
func (w *World) liars() map[sim.Node]bool {
	liars := make(map[sim.Node]bool)
	for _, f := range w.Faults {
		if f.Kind.lies() {
			liars[sim.Node(f.Node)] = true
		}
	}
	return liars
}

// invents reports whether nodes say at some time that origins serve what they do not.
func (w *World) invents() bool {
	return slices.ContainsFunc(w.Faults, func(f Fault) bool { return f.Kind == Invent })
}

// chance returns a source of chance for one thing in the world.
func (w *World) chance(thing uint64) *rand.Rand { return rand.New(rand.NewPCG(w.Seed, thing)) }
