package levels

import (
	"fmt"
	"math"

	"tidings/network/honeycomb"
)

// Plan is the problem that an owner solves each maintenance interval: its own channels one by one, and all others in
// clusters. Channels go in, a Solution with their levels comes out. The zero Plan is of the zero Model, so start from
// NewPlan.
type Plan struct {
	model   Model
	problem Problem
	limit   sum

	costs, loads [MaxLevels]float64 // room for one channel's f and g
}

// NewPlan returns a plan without channels. It panics if the model is not valid.
func NewPlan(m Model) *Plan {
	if err := m.Validate(); err != nil {
		panic(err)
	}
	return &Plan{model: m}
}

// Reset removes all channels and keeps the memory.
func (p *Plan) Reset() {
	p.problem.Reset()
	p.limit = sum{}
}

// Grow makes room for so many more channels of so many levels.
func (p *Plan) Grow(channels, levels int) { p.problem.Grow(channels, levels) }

// Limit returns T as it follows from the channels so far. It is in bytes or polls an interval; for
// Fast in seconds, summed over subscribers.
func (p *Plan) Limit() float64 { return p.limit.hi }

// Used returns what channels use of the limit as they are polled at present.
func (p *Plan) Used(c Cluster) float64 {
	if p.model.Policy.Goal == honeycomb.Fast {
		return c.delay() * p.model.relative()
	}
	return float64(c.Load)
}

// Channel adds a channel, which can be put at any level from least to greatest, and returns its
// index in the Solution. Both are levels of w, and least is what keeps the load at the
// channel's origin bounded: see Solve.
func (p *Plan) Channel(f honeycomb.Factors, w *Wedges, least, greatest int) (index int) {
	return p.Cluster(p.model.Cluster(f, 0), w, least, greatest)
}

// Cluster adds channels that are treated as if all were like their mean. It panics if c is not
// valid or a level is none of w's.
func (p *Plan) Cluster(c Cluster, w *Wedges, least, greatest int) (index int) {
	if least < 0 || greatest < least || greatest >= w.levels {
		panic(fmt.Sprintf("levels: levels %d to %d of %d", least, greatest, w.levels))
	}
	p.allow(c.Subscribers, c.Due)
	if p.model.Policy.Goal == honeycomb.Legacy {
		return p.fix(math.Ldexp(float64(c.Weight), -fixedBits), float64(c.Due), greatest)
	}
	weight, size := c.weight(), c.size()
	for i := range greatest - least + 1 {
		p.costs[i] = weight * w.delays[least+i]
		p.loads[i] = size * w.pollers[least+i]
	}
	return p.add(min(c.Channels, MaxAlike), least, greatest-least+1)
}

// fix adds a choice of one level.
func (p *Plan) fix(cost, load float64, level int) (index int) {
	p.costs[0], p.loads[0] = cost, load
	return p.add(1, level, 1)
}

// add adds what stands in costs and loads as f and g. For Fast these change places.
func (p *Plan) add(alike uint64, least, levels int) (index int) {
	choice := Choice{
		Alike: alike, Least: least, Costs: p.costs[:levels], Loads: p.loads[:levels],
	}
	if p.model.Policy.Goal == honeycomb.Fast {
		for i := range choice.Costs {
			choice.Costs[i] *= p.model.relative()
		}
		choice.Costs, choice.Loads = choice.Loads, choice.Costs
	}
	index, err := p.problem.Add(choice)
	if err != nil {
		panic(err)
	}
	return index
}

// allow adds to the limit what the channels bring with them: the load of their subscribers, or
// the time that these grant (Table 1).
func (p *Plan) allow(subscribers, due uint64) {
	if p.model.Policy.Goal == honeycomb.Fast {
		p.limit = p.limit.plusProduct(float64(subscribers), p.model.Policy.Target.Seconds())
	} else {
		p.limit = p.limit.plus(float64(due))
	}
}

// Slack adds channels with fixed levels: their Load and Delay are what they are. Their indices are not returned.
func (p *Plan) Slack(c Cluster) {
	if c.Channels == 0 {
		return
	}
	p.allow(c.Subscribers, c.Due)
	if p.model.Policy.Goal == honeycomb.Legacy {
		p.fix(math.Ldexp(float64(c.Weight), -fixedBits), float64(c.Due), 0)
		return
	}
	p.fix(c.delay(), float64(c.Load), 0)
}

// Solve returns the best levels for the policy. Cost is in the units of Table 1: the sum over
// subscribers of weight and delay, where the delay with one poller is 1; for Fast it is the
// load.
//
// Where Fast's target is too short for the network, every channel comes to its least level:
// what bounds the load then is that level alone.
func (p *Plan) Solve() Solution { return p.SolveFor(1) }

// SolveFor is Solve for a share of the limit, say 0.95. It is for owners that see, from Aggregate.Total, that together
// they come to more or less than the limit. Clusters do not know the wedges of their channels. So plans made of them
// err by some per cent of the load, every time the same way. A share that is multiplied by limit/load each time, within
// narrow bounds, makes up for that. Legacy has no limit.
func (p *Plan) SolveFor(share float64) Solution {
	if p.model.Policy.Goal == honeycomb.Legacy {
		return p.problem.Solve(math.Inf(1)) // nothing limits subscribers
	}
	return p.problem.Solve(p.limit.hi * share)
}
