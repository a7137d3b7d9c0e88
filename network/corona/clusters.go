package corona

import (
	"math"

	"tidings/network/honeycomb"
)

// others returns the channels of all other nodes, in clusters: in scratch.
func (n *planner) others() *honeycomb.Aggregate {
	others := &n.aggregation.scratch
	others.Reset()
	for _, c := range n.aggregation.contacts {
		others.Merge(&c.clusters)
	}
	return others
}

// planForOthers adds the channels of all other nodes, and what steer has learnt.
func (n *planner) planForOthers(p *honeycomb.Plan, others *honeycomb.Aggregate) {
	p.Aggregate(others, n.averageWedges())
	total := others.Total()
	total.Add(n.aggregation.own.Total())
	p.Slack(n.steer(total))
}

// factors returns what the plan is to know of a channel.
func (n *planner) factors(o *owned) honeycomb.Factors {
	return honeycomb.Factors{
		Subscribers: uint32(min(o.readers.total, math.MaxUint32)), Size: o.size,
		Update: o.estimate.interval(n.Env.Now(), n.config.Interval),
	}
}

// loadUnit is what honeycomb counts a poll as, where polls are counted: so fine that parts of
// one can be told.
const loadUnit = 1 << 10

// cluster returns the cluster of one channel that so many nodes poll.
func (n *planner) cluster(f honeycomb.Factors, pollers float64) honeycomb.Cluster {
	c := n.config.model().Cluster(f, uint32(pollers))
	if n.config.LoadInPolls {
		c.Size, c.Due, c.Load = c.Size*loadUnit, c.Due*loadUnit, c.Load*loadUnit
	}
	return c
}

// addTo adds a channel to the clusters that others are told of. They will take its wedge for the
// average one. So a channel whose wedge is r times as large is told with 1/r^2 of its weight: with
// that the average wedge changes its level at the same price.
func (n *planner) addTo(a *honeycomb.Aggregate, o *owned, average *honeycomb.Wedges) {
	f := n.factors(o)
	if f.Subscribers == 0 {
		return
	}
	w := n.WedgesOf(o)
	level := n.Level(n.node.budget.PollBits(o), w)
	c := n.cluster(f, w.Pollers(level))
	if n.LeastLevel(o, w) == w.Levels()-1 {
		a.AddSlack(c)
		return
	}
	if level == w.Levels()-1 && n.planning.made == 0 {
		level = n.guess(f, w)
	}
	at := min(level, average.Levels()-1)
	if level == w.Levels()-1 {
		at = average.Levels() - 1
	}
	c.Weight = uint64(float64(c.Weight) * w.Delay(level) / average.Delay(at) * average.Pollers(at) / w.Pollers(level))
	a.Add(at, c)
}
