// Package churn has nodes of a simulated network come and go: by chance ([Exponential], [Replacement]), at once
// ([JoinStorm], [LeaveStorm]), or as it was observed in other networks ([Trace]).
package churn

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"tidings/network/sim"
)

// Model is nodes that come and go. A node that comes back has its old ID and what its disk
// holds. Nodes that are in the wanted state already, as the experiment has put them, are let
// be.
type Model interface {
	// Drive has the nodes come and go from now on. What it draws is seeded by the world.
	Drive(w *sim.World, nodes []sim.Node)
}

// Leaving says how nodes go.
type Leaving struct {
	// InOrder is the share that says farewell (World.Shutdown), from 0 to 1. The others
	// crash.
	InOrder float64

	// Gone, if not nil, is called for each node that has just gone: to wipe its disk (World.Restore), or to move it to
	// another address (World.Move).
	Gone func(sim.Node)
}

// leave ends a node, unless it is down.
func (l Leaving) leave(w *sim.World, chance *rand.Rand, n sim.Node) {
	inOrder := chance.Float64() < l.InOrder
	switch {
	case !w.Up(n):
		return
	case inOrder:
		w.Shutdown(n)
	default:
		w.Crash(n)
	}
	if l.Gone != nil {
		l.Gone(n)
	}
}

// boot starts a node, unless it is up.
func boot(w *sim.World, n sim.Node) {
	if !w.Up(n) {
		w.Boot(n)
	}
}

// churnChance returns the source of one driver: what others draw meanwhile does not change
// what it does.
func churnChance(w *sim.World) *rand.Rand {
	return rand.New(rand.NewPCG(w.Rand().Uint64(), 0xc4f2))
}

// exponential draws from the exponential distribution with the given mean. It compares and multiplies whole numbers
// alone (von Neumann 1951), because logarithms differ in their last digit from machine to machine.
func exponential(chance *rand.Rand, mean time.Duration) time.Duration {
	for whole := time.Duration(0); ; whole++ {
		first := chance.Uint64()
		last, length := first, 1
		for {
			next := chance.Uint64()
			if next >= last {
				break
			}
			last = next
			length++
		}
		if length%2 == 1 {
			part, _ := bits.Mul64(uint64(mean), first)
			return whole*mean + time.Duration(part)
		}
	}
}
