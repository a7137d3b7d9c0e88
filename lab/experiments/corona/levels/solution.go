package levels

import "math"

// Totals are what a choice of levels comes to.
type Totals struct {
	Cost float64 // Σ f_i(l_i)
	Load float64 // Σ g_i(l_i)
}

// Solution is a choice of levels, with its twin on the other side of the limit.
type Solution struct {
	// Feasible reports whether the limit can be kept at all. If not, Within is the solution
	// of least load.
	Feasible bool

	// Lambda is the price: the cost that one unit of load saves where the limit binds. It
	// is 0 if the limit binds nothing and infinite if nothing keeps it.
	Lambda float64

	// Within is the solution itself (L_d of section 3.2), which keeps the limit. Beyond is the bracket on its other
	// side (L_u), which does not. Both are optimal for their own loads. So Within.Cost >= the optimum's >= Beyond.Cost.
	// They differ by Step made once; they are equal if there is no solution beyond the limit, or none within it.
	Within, Beyond Totals

	// Step is in what they differ.
	Step Step

	levels []uint8
}

// Step is a step of one member of a Choice to another level.
type Step struct {
	Channel  int // its index; -1 if there is no step
	From, To int // levels

	// Taken is how many members of the Choice are at To already in Within; the others are
	// at From. Beyond has one more.
	Taken uint64
}

// Level returns the level of the channel with that index in Within. Where Step splits a cluster
// it is Step.From.
func (s *Solution) Level(index int) int { return int(s.levels[index]) }

// Solve returns the best choice of levels with a load of at most limit: the lower of the two brackets that section 3.2
// finds. Time is in proportion to the number of points, and it needs a byte for each channel. A limit that is NaN is
// kept by nothing.
//
// The limit holds for the exact sum of the loads. Totals are such sums, rounded.
func (p *Problem) Solve(limit float64) Solution {
	switch {
	case !p.least.within(limit):
		return p.extreme(math.Inf(1))
	case p.most.within(limit):
		return p.extreme(0)
	}
	return p.brackets(p.search(limit))
}

// extreme returns the solution with every channel at its first point or its last.
func (p *Problem) extreme(lambda float64) Solution {
	levels, totals := p.choose(lambda, p.Len(), 0)
	return Solution{
		Feasible: lambda == 0, Lambda: lambda,
		Within: totals.rounded(), Beyond: totals.rounded(),
		Step: Step{Channel: -1}, levels: levels,
	}
}

// brackets returns the solution before the critical step.
func (p *Problem) brackets(c critical) Solution {
	lambda := math.Float64frombits(c.lambda)
	levels, totals := p.choose(lambda, c.channel, c.point)
	within := totals.with(p, c.point, c.made)
	return Solution{
		Feasible: true, Lambda: lambda,
		Within: within.rounded(), Beyond: within.with(p, c.point, 1).rounded(),
		Step: Step{
			Channel: c.channel, From: int(p.levels[c.point]), To: int(p.levels[c.point+1]), Taken: uint64(c.made),
		},
		levels: levels,
	}
}

// choose puts every channel at its last point before the price reaches lambda. Of the steps at exactly lambda it makes
// those of the channels before index channel, and that one's before point.
func (p *Problem) choose(lambda float64, channel, point int) (levels []uint8, totals tally) {
	levels = make([]uint8, p.Len())
	price := math.Float64bits(lambda)
	at := 0
	for i, end := range p.ends {
		for at < int(end)-1 {
			slope := p.slope(at)
			if slope < price || slope == price && (i > channel || i == channel && at >= point) {
				break
			}
			at++
		}
		levels[i] = p.levels[at]
		totals.cost = totals.cost.plusProduct(p.alike[i], p.costs[at])
		totals.load = totals.load.plusProduct(p.alike[i], p.loads[at])
		at = int(end)
	}
	return levels, totals
}

// tally is Totals before they are rounded.
type tally struct{ cost, load sum }

// with returns t after so many members have made the step from a point to the next.
func (t tally) with(p *Problem, point int, members float64) tally {
	saved := difference(p.costs[point+1], p.costs[point])
	return tally{t.cost.plusSum(saved.times(members)), t.load.plusSum(p.stepLoad(point).times(members))}
}

func (t tally) rounded() Totals { return Totals{t.cost.hi, t.load.hi} }
