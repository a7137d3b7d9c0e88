package latency

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// The Internet of Rappel, section 6.1.1 (Zhang et al. 2005): 20,062 stub networks, 175 transit
// networks and 8,279 that are both.
const (
	asCount   = 20062 + 175 + 8279
	stubCount = 20062
)

// The parameters of GLP that Bu and Towsley fitted to the AS topology (INFOCOM 2002, section V).
// Probabilities are in 1/10000.
const (
	glpStart  = 10   // networks in a row to begin with
	glpLinks  = 4695 // p: a step adds links between networks that are there, not a network
	glpDouble = 1300 // m = 1.13: a step adds two links that often, else one
	glpBeta   = 6447 // β: a network with k links is chosen in proportion to k-β
)

// asLink is one end of a link between two networks.
type asLink struct {
	to  uint32
	rtt uint32 // what the link adds to a round trip, in microseconds
}

// asGraph is networks (autonomous systems) and the links between them. The measured topology of the paper is not at
// hand, so it is grown by the generalised linear preference model of Bu and Towsley. They made it to match the AS
// graph's power law of degrees, its clustering and its short paths.
type asGraph struct {
	links [][]asLink
	ends  []uint32 // both ends of each link: to choose one is to choose a network by its degree
	rng   *rand.Rand
}

func newASGraph(seed uint64, count int) *asGraph {
	g := &asGraph{links: make([][]asLink, glpStart, count), rng: rand.New(rand.NewPCG(seed, 0xa5))}
	for i := uint32(1); i < glpStart; i++ {
		g.link(i-1, i)
	}
	for len(g.links) < count {
		number := 1
		if g.percent(glpDouble) {
			number = 2
		}
		if g.percent(glpLinks) {
			for range number {
				g.link(g.prefer(), g.prefer())
			}
			continue
		}
		fresh := uint32(len(g.links))
		first, second := g.prefer(), g.prefer()
		g.links = append(g.links, nil)
		g.link(fresh, first)
		if number == 2 {
			g.link(fresh, second)
		}
	}
	return g
}

func (g *asGraph) percent(of10000 uint32) bool { return g.rng.Uint32N(10000) < of10000 }

// prefer chooses a network in proportion to its links less β.
func (g *asGraph) prefer() uint32 {
	for {
		at := g.ends[g.rng.IntN(len(g.ends))]
		degree := uint32(len(g.links[at]))
		if g.rng.Uint32N(degree*10000) >= glpBeta {
			return at
		}
	}
}

// link joins two networks unless they are joined, or one, already.
func (g *asGraph) link(a, b uint32) {
	if a == b || slices.ContainsFunc(g.links[a], func(l asLink) bool { return l.to == b }) {
		return
	}
	rtt := g.latency()
	g.links[a] = append(g.links[a], asLink{b, rtt})
	g.links[b] = append(g.links[b], asLink{a, rtt})
	g.ends = append(g.ends, a, b)
}

// latency draws a link's latency as the paper has it: 10 % of the links 0-4 ms, 30 % 4-30 ms,
// 60 % 30-115 ms, evenly within each.
func (g *asGraph) latency() uint32 {
	low, high := 30*time.Millisecond, 115*time.Millisecond
	switch of := g.rng.Uint32N(10); {
	case of < 1:
		low, high = 0, 4*time.Millisecond
	case of < 4:
		low, high = 4*time.Millisecond, 30*time.Millisecond
	}
	return uint32(low/time.Microsecond) + g.rng.Uint32N(uint32((high-low)/time.Microsecond))
}

// stubs returns the networks with the fewest links, in an order of chance: those at the edge.
func (g *asGraph) stubs(count int) []uint32 {
	order := make([]uint32, len(g.links))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Compare(len(g.links[a]), len(g.links[b]))
	})
	order = order[:count]
	g.rng.Shuffle(count, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// path is the way from one network to another.
type path struct {
	hops uint8  // links on it
	rtt  uint32 // microseconds
}

// paths finds the ways from one network to all: those of the fewest links, as BGP prefers them, and of these the
// fastest. into and queue are as long as the graph and overwritten.
func (g *asGraph) paths(from uint32, into []path, queue []uint32) {
	const unseen = 255
	for i := range into {
		into[i].hops = unseen
	}
	into[from] = path{}
	queue = append(queue[:0], from)
	for at := 0; at < len(queue); at++ {
		here := into[queue[at]]
		for _, l := range g.links[queue[at]] {
			next := &into[l.to]
			switch {
			case next.hops == unseen:
				*next = path{here.hops + 1, here.rtt + l.rtt}
				queue = append(queue, l.to)
			case next.hops == here.hops+1:
				next.rtt = min(next.rtt, here.rtt+l.rtt)
			}
		}
	}
}
