package latency

import (
	"math/rand/v2"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// sites gives every node its place among a few: a measured host, a network. Which node comes
// where is chance, and a function of the seed and the node's number alone. The first nodes
// have different places, as many as there are. It needs memory for the places, none for the
// nodes.
type sites struct {
	seed  uint64
	order []uint32
}

func newSites(seed uint64, count int) sites {
	s := sites{seed: seed, order: make([]uint32, count)}
	for i := range s.order {
		s.order[i] = uint32(i)
	}
	rand.New(rand.NewPCG(seed, 0x517e5)).Shuffle(count, func(i, j int) {
		s.order[i], s.order[j] = s.order[j], s.order[i]
	})
	return s
}

// of returns the place of a node.
func (s *sites) of(n sim.Node) uint32 {
	if int(n) < len(s.order) {
		return s.order[n]
	}
	return uint32(engine.Mix(s.seed+uint64(n)) >> 32 * uint64(len(s.order)) >> 32)
}

// Site returns which place a node has: a row of the measurements, a network.
func (s *sites) Site(n sim.Node) int { return int(s.of(n)) }

// grid is latencies between places. They fluctuate if there is a spread.
type grid struct {
	sites
	spread Spread

	// cells are latencies from place i to place j, at i*len(order)+j: one way in
	// microseconds, and above cellBits the class of the spread, so that a message costs
	// one look.
	cells []uint32
}

// cellBits is how many bits of a cell are the latency: up to 67 s.
const cellBits = 26

func newGrid(seed uint64, count int) grid {
	return grid{sites: newSites(seed, count), cells: make([]uint32, count*count)}
}

// set says how long messages from place i to place j need.
func (g *grid) set(i, j int, oneWay time.Duration) {
	g.cells[i*len(g.order)+j] = min(uint32(oneWay/time.Microsecond), 1<<cellBits-1)
}

// fluctuate gives every pair its class. At most 64 classes.
func (g *grid) fluctuate(s Spread) {
	if len(s) == 0 || len(s) > 1<<(32-cellBits) {
		panic("sim: no, or too many, classes of spread")
	}
	g.spread = s
	for i, cell := range g.cells {
		usual := cell & (1<<cellBits - 1)
		g.cells[i] = usual | uint32(s.class(2*oneWay(usual)))<<cellBits
	}
}

// Between returns a message's latency between the nodes' places, as it is this time.
func (g *grid) Between(chance *rand.Rand, from, to sim.Node) time.Duration {
	cell := g.cells[g.at(from, to)]
	usual := oneWay(cell)
	if g.spread == nil {
		return usual
	}
	return g.spread[cell>>cellBits].draw(chance, usual)
}

// Steady reports whether there is no spread.
func (g *grid) Steady() bool { return g.spread == nil }

// RTT returns the sum of both ways between the nodes' places, as they usually are.
func (g *grid) RTT(from, to sim.Node) time.Duration {
	return oneWay(g.cells[g.at(from, to)]) + oneWay(g.cells[g.at(to, from)])
}

func (g *grid) at(from, to sim.Node) int { return int(g.of(from))*len(g.order) + int(g.of(to)) }

func oneWay(cell uint32) time.Duration {
	return time.Duration(cell&(1<<cellBits-1)) * time.Microsecond
}
