package levels

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Bounds of a Problem.
const (
	// MaxLevels is how many polling levels there can be: 0 to 31.
	MaxLevels = 32

	// MaxAlike is how many channels one Choice can stand for: what a float64 counts
	// exactly.
	MaxAlike = 1 << 53

	// MaxPoints bounds the points that a Problem keeps, at 17 bytes each: at most one for
	// each level of each Choice.
	MaxPoints = math.MaxInt32

	// MinAmount and MaxAmount bound costs and loads that are not zero. Within them no
	// difference, quotient or sum of a Problem overflows or vanishes.
	MinAmount, MaxAmount = 1e-100, 1e100
)

// Errors of Problem.Add.
var (
	ErrLevels = errors.New("levels out of range")
	ErrAlike  = errors.New("number of channels out of range")
	ErrAmount = errors.New("a cost or load that is negative, not finite or out of range")
	ErrFull   = errors.New("too many channels")
)

// Choice is one channel to be put at a level, or a cluster: channels that are alike.
type Choice struct {
	// Alike is how many channels these are, from 1 to MaxAlike. They need not all come to
	// the same level.
	Alike uint64

	// Least is the least level allowed.
	Least int

	// Costs and Loads are f and g of one channel at the levels Least, Least+1 and so on to
	// the greatest that is allowed. As a rule one rises and the other falls, but any
	// numbers will do: a level for which there is one better in both is never chosen. Of
	// levels that are equal in both the greatest stands for all.
	Costs, Loads []float64
}

// Problem is
//
//	minimise Σ f_i(l_i)  subject to  Σ g_i(l_i) <= limit
//
// over the levels l_i of channels (section 3.2). f is called cost here and g load, whatever they
// stand for. The zero Problem has no channels.
//
// Of each channel a Problem keeps the points (g, f) on the lower convex hull: no multiplier λ
// makes another point the best. They stand from the least load to the least cost.
type Problem struct {
	costs, loads []float64 // of points
	levels       []uint8   // of points
	ends         []int32   // of channels: where the next channel's points begin
	alike        []float64 // of channels

	least, most sum    // the load with every channel at its first point, and at its last
	low, high   uint64 // bits of the lowest and the highest λ of any step; if steps > 0
	steps       int    // from a point to the next
}

// Len returns how many choices were added.
func (p *Problem) Len() int { return len(p.ends) }

// Reset removes all channels and keeps the memory.
func (p *Problem) Reset() {
	*p = Problem{
		costs: p.costs[:0], loads: p.loads[:0], levels: p.levels[:0], ends: p.ends[:0], alike: p.alike[:0],
	}
}

// Grow makes room for so many more choices of so many levels.
func (p *Problem) Grow(choices, levels int) {
	points := choices * levels
	p.costs = slices.Grow(p.costs, points)
	p.loads = slices.Grow(p.loads, points)
	p.levels = slices.Grow(p.levels, points)
	p.ends = slices.Grow(p.ends, choices)
	p.alike = slices.Grow(p.alike, choices)
}

// Add adds a channel or cluster and returns its index: 0 for the first, and so on. On an error
// nothing was added. The slices are not kept.
func (p *Problem) Add(c Choice) (index int, err error) {
	if err := p.check(c); err != nil {
		return 0, fmt.Errorf("levels: adding a channel: %w", err)
	}
	p.addHull(c)
	alike := float64(c.Alike)
	first, last := p.firstPoint(len(p.ends)), len(p.loads)-1
	p.ends = append(p.ends, int32(len(p.loads)))
	p.alike = append(p.alike, alike)
	p.least = p.least.plusProduct(alike, p.loads[first])
	p.most = p.most.plusProduct(alike, p.loads[last])
	if first < last {
		p.noteSlopes(p.slope(last-1), p.slope(first), last-first)
	}
	return len(p.ends) - 1, nil
}

func (p *Problem) noteSlopes(low, high uint64, steps int) {
	if p.steps == 0 {
		p.low, p.high = low, high
	}
	p.low, p.high = min(p.low, low), max(p.high, high)
	p.steps += steps
}

func (p *Problem) check(c Choice) error {
	n := len(c.Costs)
	switch {
	case n == 0 || len(c.Loads) != n || c.Least < 0 || c.Least > MaxLevels-n:
		return fmt.Errorf("%w: %d costs and %d loads from level %d", ErrLevels, n, len(c.Loads), c.Least)
	case c.Alike == 0 || c.Alike > MaxAlike:
		return fmt.Errorf("%w: %d", ErrAlike, c.Alike)
	case len(p.costs) > MaxPoints-n:
		return ErrFull
	}
	for i, cost := range c.Costs {
		if !inRange(cost) || !inRange(c.Loads[i]) {
			return fmt.Errorf("%w: cost %v, load %v at level %d", ErrAmount, cost, c.Loads[i], c.Least+i)
		}
	}
	return nil
}

// inRange is false for NaN.
func inRange(amount float64) bool {
	return amount == 0 || amount >= MinAmount && amount <= MaxAmount
}

// firstPoint returns where a channel's points begin.
func (p *Problem) firstPoint(channel int) int {
	if channel == 0 {
		return 0
	}
	return int(p.ends[channel-1])
}
