package levels

import (
	"math"
	"slices"
)

// addHull appends the points of c that are on the lower convex hull, from the least load to
// the least cost. Along them loads rise, costs fall, and slopes do not rise.
func (p *Problem) addHull(c Choice) {
	var (
		room   [MaxLevels]uint8
		hull   [MaxLevels]uint8 // indices into c
		slopes [MaxLevels]uint64
		n      int // points on the hull; slopes[i] leads to the i-th
	)
	for _, i := range order(c, &room) {
		cost, load := c.Costs[i], c.Loads[i]
		if n > 0 && !(cost < c.Costs[hull[n-1]]) {
			continue // another is no dearer and loads no more
		}
		for n > 0 {
			last := hull[n-1]
			slopes[n] = slope(c.Costs[last], c.Loads[last], cost, load)
			if n == 1 || slopes[n] <= slopes[n-1] {
				break
			}
			n-- // the last point lies above the line
		}
		hull[n] = i
		n++
	}
	for _, i := range hull[:n] {
		p.costs = append(p.costs, c.Costs[i])
		p.loads = append(p.loads, c.Loads[i])
		p.levels = append(p.levels, uint8(c.Least)+i)
	}
}

// order returns the indices of c's levels by load, then cost, then from the greatest level
// down. They nearly always stand in this order already, or in the reverse of it.
func order(c Choice, room *[MaxLevels]uint8) []uint8 {
	n := len(c.Loads)
	indices := room[:n]
	for i := range indices {
		indices[i] = uint8(n - 1 - i)
	}
	if c.Loads[0] < c.Loads[n-1] {
		slices.Reverse(indices)
	}
	for i := 1; i < n; i++ {
		if c.Loads[indices[i-1]] < c.Loads[indices[i]] {
			continue
		}
		for j := i; j > 0 && before(c, indices[j], indices[j-1]); j-- {
			indices[j], indices[j-1] = indices[j-1], indices[j]
		}
	}
	return indices
}

func before(c Choice, a, b uint8) bool {
	switch {
	case c.Loads[a] != c.Loads[b]:
		return c.Loads[a] < c.Loads[b]
	case c.Costs[a] != c.Costs[b]:
		return c.Costs[a] < c.Costs[b]
	}
	return a > b
}

// slope returns the λ at which the step from a point to the next becomes worth its load.
func (p *Problem) slope(point int) uint64 {
	return slope(p.costs[point], p.loads[point], p.costs[point+1], p.loads[point+1])
}

// slope returns the bits of the cost that a step saves for each unit of load that it adds. The
// quotient is positive, so that its bits are in the order of the numbers.
func slope(cost, load, nextCost, nextLoad float64) uint64 {
	return math.Float64bits((cost - nextCost) / (nextLoad - load))
}
