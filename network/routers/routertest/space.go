package routertest

import (
	"math/rand/v2"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/vivaldi"
)

// Space is the latency between nodes that have places in a cube, drawn from its seed and the node's number. A round
// trip lasts as long as the nodes' coordinates are apart, 4 to 177 ms.
type Space uint64

// Coordinate returns the place of a node, without error.
func (s Space) Coordinate(n sim.Node) vivaldi.Coordinate {
	const side, height = 100_000, 2_000 // µs
	c := vivaldi.Coordinate{Vector: make([]int32, vivaldi.Default().Dimensions), Height: height}
	for i := range c.Vector {
		c.Vector[i] = int32(engine.Mix(uint64(s)^engine.Mix(uint64(n)<<8|uint64(i))) % side)
	}
	return c
}

// RTT returns how far two nodes are apart.
func (s Space) RTT(from, to sim.Node) time.Duration {
	return s.Coordinate(from).Distance(s.Coordinate(to))
}

// Between returns half of it.
func (s Space) Between(_ *rand.Rand, from, to sim.Node) time.Duration { return s.RTT(from, to) / 2 }

// Steady is true.
func (s Space) Steady() bool { return true }

var (
	_ sim.Distances = Space(0)
	_ sim.Steady    = Space(0)
)
