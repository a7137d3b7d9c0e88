package latency

import (
	"fmt"
	"time"

	"tidings/network/sim"
)

// PathConfig says how Paths are made. Start from DefaultPaths.
type PathConfig struct {
	// Seed is what the graph, its latencies and the nodes' places come from.
	Seed uint64

	// Networks is how many stub networks nodes live in; they are chosen by chance among
	// the 20,062 that there are. Their pairs need 4 bytes each, and each network a
	// millisecond or so to find its paths. At most 8192.
	Networks int

	// Spread is how latencies fluctuate; nil: not at all.
	Spread Spread
}

// DefaultPaths returns the model of the paper, with 512 networks: 1 MB, which fits a processor's
// own cache, so that a message's latency costs 12 ns; with 2,048 networks it is 90.
func DefaultPaths(seed uint64) PathConfig {
	return PathConfig{Seed: seed, Networks: 512, Spread: PlanetLabSpread()}
}

// Paths is the network of Rappel's simulator (section 6.1.1): end hosts in stub networks of the Internet, latencies
// added up along paths of networks, and fluctuation as it was measured on PlanetLab. Two nodes of one network are
// SameSite apart.
//
// What differs from the paper, and why:
//
//   - The graph of networks is grown (see asGraph), as the collected one is not at hand. Paths between stub networks
//     have 4.1 links on average (of the Internet of that time, measurements say 3 to 4).
//   - A link's latency is its share of the round trip. The paper does not say; it fitted the sums to round trips
//     measured on PlanetLab, and this way they do match those at hand.
//   - The paper ties each pair of nodes to a pair of PlanetLab with a similar median and replays its measurements. Here
//     each message draws from the measurements of all pairs with a similar median, so that it needs no memory by pair.
type Paths struct {
	grid
	hops float64
}

// NewPaths makes the network. It needs about half a second; the result can serve many worlds.
func NewPaths(c PathConfig) *Paths {
	if c.Networks < 2 || c.Networks > 8192 {
		panic(fmt.Sprintf("sim: %d networks", c.Networks))
	}
	g := newASGraph(c.Seed, asCount)
	homes := g.stubs(stubCount)[:c.Networks]
	p := &Paths{grid: newGrid(c.Seed, c.Networks)}
	paths, queue := make([]path, asCount), make([]uint32, 0, asCount)
	links := 0
	for i, from := range homes {
		g.paths(from, paths, queue)
		for j, to := range homes {
			way := time.Duration(paths[to].rtt) * time.Microsecond / 2
			if i == j {
				way = SameSite
			}
			p.set(i, j, way)
			links += int(paths[to].hops)
		}
	}
	if c.Spread != nil {
		p.fluctuate(c.Spread)
	}
	p.hops = float64(links) / float64(c.Networks*(c.Networks-1))
	return p
}

// Hops returns the mean number of links between two networks that nodes live in.
func (p *Paths) Hops() float64 { return p.hops }

var (
	_ sim.Distances = (*Paths)(nil)
	_ sim.Steady    = (*Paths)(nil)
)
