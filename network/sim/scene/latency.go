package scene

import (
	"math/rand/v2"
	"time"

	"tidings/network/sim"
)

// usualLatency is how long a message is under way, one way, where the script says nothing.
const usualLatency = 50 * time.Millisecond

// latency is how far nodes are away: as the script says.
type latency struct {
	nodes []time.Duration // by node; 0: usual
	pairs map[pair]time.Duration
}

// pair is an ordered pair of nodes.
type pair struct{ from, to sim.Node }

func newLatency() *latency { return &latency{pairs: make(map[pair]time.Duration)} }

// Between returns what was set for the pair; else, of the two nodes' latencies, the longer.
func (l *latency) Between(_ *rand.Rand, from, to sim.Node) time.Duration {
	if d, ok := l.pairs[pair{from, to}]; ok {
		return d
	}
	return max(l.of(from), l.of(to))
}

func (l *latency) of(n sim.Node) time.Duration {
	if int(n) < len(l.nodes) && l.nodes[n] > 0 {
		return l.nodes[n]
	}
	return usualLatency
}

func (l *latency) setNode(n sim.Node, d time.Duration) {
	for int(n) >= len(l.nodes) {
		l.nodes = append(l.nodes, 0)
	}
	l.nodes[n] = d
}

func (l *latency) setPair(a, b sim.Node, d time.Duration) {
	l.pairs[pair{a, b}], l.pairs[pair{b, a}] = d, d
}
