package corona

import (
	"math"
	"slices"
	"time"

	"tidings/network/honeycomb"
)

// What clusters say of other nodes' channels is not exact: neither are all channels of a cluster
// alike, nor their wedges as large as on average. All nodes err alike, so that the sum over all
// channels comes to some percent more or less than the policy allows. But what it comes to is
// known, from the clusters themselves, and the limit is corrected by what it was missed by.
const (
	maxStep  = 0.05   // of the limit, at each plan; upwards no more than that in Config.Maintenance
	maxSteer = 0.25   // of the limit
	margin   = 0.01   // of the limit: for the errors of what is known of the load
	spare    = 0.005  // of the limit: how much is to stay unused beside it
	band     = 0.0125 // of the limit: how much may stay unused beside it
)

// learnEvery is how soon a plan shows what it comes to, at other nodes as well: a part of
// Config.Maintenance. The first plans follow each other faster than later ones.
const learnEvery = 6

// The gain is what part of an error is corrected at each plan. How much load follows depends on
// how many channels are near a change of level: so the gain grows while errors stay on one side,
// and falls when they change it.
const minGain, maxGain = 0.25, 1.5

func (p *planning) adapt(missed float64) float64 {
	if missed*p.missed < 0 {
		p.gain = max(p.gain/2, minGain)
	} else {
		p.gain = min(p.gain*1.25, maxGain)
	}
	if missed > 0 {
		return max(p.gain, 1) // a limit that is broken cannot wait
	}
	return p.gain
}

// steer learns from what all channels come to at present, and returns what is to be added to them
// so that the next plan meets the limit.
func (n *planner) steer(total honeycomb.Cluster) honeycomb.Cluster {
	spent, limit := n.spending(total)
	if limit <= 0 {
		return honeycomb.Cluster{}
	}
	p := &n.planning
	switch now := n.Env.Now(); {
	case p.steered == 0:
		p.steered, p.gain, p.steer = now, 2*minGain, n.othersSteer()
	case p.free && spent <= limit: // no plan can come to more
		p.steered = now
	case now-p.steered >= min(p.wait*3/4, n.config.Maintenance/learnEvery):
		passed := now - p.steered
		p.steered = now
		over := spent/(limit*(1-margin)) - 1
		if over <= 0 && over >= -band {
			break // near enough: levels had better stay
		}
		missed := over + spare
		p.gain = p.adapt(missed)
		p.missed = missed
		// What is not used at first may only not be known yet: it is given away slowly.
		most := maxStep * min(1, float64(passed)/float64(n.config.Maintenance))
		p.steer += min(max(p.gain*missed, -most), maxStep)
		p.steer = min(max(p.steer, -maxSteer), maxSteer)
	}
	return n.ballast(p.steer * limit)
}

// millionth is the unit in which nodes tell each other what they have learnt.
const millionth = 1e-6

// told returns what others are told of what was learnt.
func (p *planning) told() int32 { return int32(p.steer / millionth) }

// othersSteer returns what contacts have learnt, the median, so that a node that is new does not choose other levels
// than those before it. All nodes err alike.
func (n *planner) othersSteer() float64 {
	var all []int32
	for _, c := range n.aggregation.contacts {
		if c.steer != 0 {
			all = append(all, c.steer)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return min(max(float64(all[len(all)/2])*millionth, -maxSteer), maxSteer)
}

// spending returns what the policy limits, as it is, and its limit.
func (n *planner) spending(total honeycomb.Cluster) (spent, limit float64) {
	if n.config.Policy.Goal == honeycomb.Fast {
		return math.Ldexp(float64(total.Delay), -fixedBits) * n.single().Seconds(), float64(total.Subscribers) * n.config.Policy.Target.Seconds()
	}
	return float64(total.Load), float64(total.Due)
}

// fixedBits is how many bits behind the point Weight and Delay of a honeycomb.Cluster have.
const fixedBits = 24

// single is the mean detection time of a single poller.
func (n *planner) single() time.Duration { return n.config.Interval / 2 }

// ballast returns a cluster that takes so much of the limit, or adds to it.
func (n *planner) ballast(amount float64) honeycomb.Cluster {
	c := honeycomb.Cluster{Channels: 1}
	fast := n.config.Policy.Goal == honeycomb.Fast
	switch {
	case fast && amount > 0:
		c.Delay = uint64(math.Ldexp(amount/n.single().Seconds(), fixedBits))
	case fast:
		c.Subscribers = uint64(-amount / n.config.Policy.Target.Seconds())
	case amount > 0:
		c.Load = uint64(amount)
	default:
		c.Due = uint64(-amount)
	}
	return c
}
