// Package latency has delays of messages between nodes of a simulated network: as they were measured between some sites
// ([Matrix]), or along paths of a generated Internet ([Paths]), and how they fluctuate ([Spread]).
package latency

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/sim"
)

// SameSite is the latency, one way, between nodes that share a site of a Matrix or an AS.
const SameSite = 250 * time.Microsecond

// Matrix is latencies as they were measured between some sites. A message from site i to site j needs half of the round
// trip that i measured to j, so that the two directions differ as much as the two measurements did. Nodes are spread
// over the sites by chance; the first nodes, as many as there are sites, have one each.
//
// A pair that was not measured, or measured as 0, has the other direction's value. Where that is missing too, it has
// the shortest way over one third site (what relaying would give; real routes are about as long). Where there is none,
// it has the median of all measurements.
type Matrix struct {
	grid
	deviation []uint32 // in the order of cells, microseconds one way; nil: they do not scatter
}

// NewMatrix returns the latencies that round-trip times say. Cell [i][j] of rtt is the one from
// site i to site j, negative where it was not measured. It panics if rtt is no square.
func NewMatrix(seed uint64, rtt [][]time.Duration) *Matrix {
	filled := fill(rtt)
	m := &Matrix{grid: newGrid(seed, len(rtt))}
	for i, row := range filled {
		for j, d := range row {
			if i == j {
				d = 2 * SameSite
			}
			m.set(i, j, d/2)
		}
	}
	return m
}

// Fluctuate returns a Matrix of the same sites with latencies that fluctuate as s says.
func (m *Matrix) Fluctuate(s Spread) *Matrix {
	fluctuating := &Matrix{grid: m.grid}
	fluctuating.cells = slices.Clone(m.cells)
	fluctuating.fluctuate(s)
	return fluctuating
}

// Scatter returns a Matrix of the same sites with latencies that fluctuate. Each round trip has the given standard
// deviation, as ping reports it (mdev); pairs of which none is known do not fluctuate. Latencies are skewed as queues
// make them: mostly a little below their mean, some far above (a shifted exponential distribution, cut at 5.3
// deviations), and at least half their mean.
func (m *Matrix) Scatter(mdev [][]time.Duration) *Matrix {
	count := len(m.order)
	if len(mdev) != count {
		panic(fmt.Sprintf("sim: deviations of %d sites for a matrix of %d", len(mdev), count))
	}
	if m.spread != nil {
		panic("sim: a matrix that fluctuates already")
	}
	scattered := &Matrix{grid: m.grid}
	scattered.deviation = make([]uint32, count*count)
	for i, row := range mdev {
		for j, d := range row {
			scattered.deviation[i*count+j] = uint32(max(d, 0) / (2 * time.Microsecond))
		}
	}
	return scattered
}

// Between returns a message's latency between the nodes' sites.
func (m *Matrix) Between(chance *rand.Rand, from, to sim.Node) time.Duration {
	if m.deviation == nil {
		return m.grid.Between(chance, from, to)
	}
	at := m.at(from, to)
	mean := oneWay(m.cells[at])
	scatter := time.Duration(scatterTable[chance.Uint64()%uint64(len(scatterTable))])
	deviation := time.Duration(m.deviation[at]) * time.Microsecond
	return max(mean+deviation*scatter/1024, mean/2)
}

// Steady reports whether latencies neither fluctuate nor scatter.
func (m *Matrix) Steady() bool { return m.deviation == nil && m.grid.Steady() }

// fill returns a copy without gaps.
func fill(rtt [][]time.Duration) [][]time.Duration {
	known := make([]time.Duration, 0, len(rtt)*len(rtt))
	for i, row := range rtt {
		if len(row) != len(rtt) {
			panic(fmt.Sprintf("sim: row %d of a matrix of %d has %d columns", i, len(rtt), len(row)))
		}
		for _, d := range row {
			if d > 0 {
				known = append(known, d)
			}
		}
	}
	median := 2 * SameSite
	if len(known) > 0 {
		slices.Sort(known)
		median = known[len(known)/2]
	}
	filled := make([][]time.Duration, len(rtt))
	for i := range rtt {
		filled[i] = make([]time.Duration, len(rtt))
		for j := range rtt {
			filled[i][j] = estimate(rtt, i, j, median)
		}
	}
	return filled
}

func estimate(rtt [][]time.Duration, i, j int, otherwise time.Duration) time.Duration {
	if d := either(rtt, i, j); d > 0 || i == j {
		return d
	}
	best := time.Duration(0)
	for k := range rtt {
		there, on := either(rtt, i, k), either(rtt, k, j)
		if there > 0 && on > 0 && (best == 0 || there+on < best) {
			best = there + on
		}
	}
	if best == 0 {
		return otherwise
	}
	return best
}

// either returns what was measured from i to j, else from j to i, else a value that is not positive.
func either(rtt [][]time.Duration, i, j int) time.Duration {
	if d := rtt[i][j]; d > 0 {
		return d
	}
	return rtt[j][i]
}

var (
	_ sim.Distances = (*Matrix)(nil)
	_ sim.Steady    = (*Matrix)(nil)
)

// scatterTable is an exponential distribution in 256 equally likely values, moved and stretched so that its mean is 0
// and its standard deviation 1024. It is written down because logarithms differ in their last digit from machine to
// machine.
var scatterTable = [256]int16{
	-1030, -1026, -1022, -1018, -1014, -1010, -1005, -1001, -997, -993, -989, -985, -980, -976, -972, -968,
	-963, -959, -955, -950, -946, -941, -937, -933, -928, -924, -919, -915, -910, -906, -901, -896,
	-892, -887, -882, -878, -873, -868, -864, -859, -854, -849, -844, -840, -835, -830, -825, -820,
	-815, -810, -805, -800, -795, -790, -785, -780, -774, -769, -764, -759, -753, -748, -743, -737,
	-732, -727, -721, -716, -710, -705, -699, -694, -688, -682, -677, -671, -665, -659, -654, -648,
	-642, -636, -630, -624, -618, -612, -606, -600, -594, -587, -581, -575, -569, -562, -556, -550,
	-543, -537, -530, -523, -517, -510, -503, -497, -490, -483, -476, -469, -462, -455, -448, -441,
	-434, -427, -419, -412, -405, -397, -390, -382, -375, -367, -359, -351, -344, -336, -328, -320,
	-312, -304, -295, -287, -279, -270, -262, -253, -245, -236, -227, -218, -210, -201, -191, -182,
	-173, -164, -154, -145, -135, -126, -116, -106, -96, -86, -76, -66, -55, -45, -34, -24,
	-13, -2, 9, 20, 31, 43, 54, 66, 77, 89, 101, 113, 126, 138, 151, 164,
	176, 190, 203, 216, 230, 244, 258, 272, 286, 301, 315, 330, 346, 361, 377, 393,
	409, 425, 442, 459, 476, 493, 511, 529, 548, 567, 586, 605, 625, 645, 666, 687,
	709, 731, 753, 776, 800, 824, 848, 874, 899, 926, 953, 981, 1010, 1039, 1070, 1101,
	1133, 1167, 1201, 1237, 1274, 1312, 1352, 1393, 1436, 1481, 1528, 1577, 1629, 1683, 1741, 1801,
	1866, 1935, 2009, 2088, 2175, 2269, 2372, 2487, 2616, 2764, 2937, 3144, 3404, 3752, 4280, 5415,
}
