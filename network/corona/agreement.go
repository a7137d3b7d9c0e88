package corona

import (
	"fmt"
	"time"

	"tidings/network/honeycomb"
)

// adoptParams makes this node use other parameters from now on, if it can.
func (n *settler) adoptParams(a Agreement, since uint64) {
	t := &n.params
	if a != t.now {
		c, err := n.config.withParams(a)
		if err != nil {
			emit(n.core, n.listener.Disagreed, Disagreed{a, err.Error()})
			return
		}
		t.now, t.changed = a, true
		n.node.reconfigure(c)
	}
	t.since = since
	n.settleParams()
}

// withParams returns c for a network with such parameters, or why this node does not adopt them.
func (c Config) withParams(a Agreement) (Config, error) {
	if a.Policy.Goal == honeycomb.Legacy {
		return c, fmt.Errorf("corona: %v is no policy of a network that polls together", a.Policy)
	}
	if a.Interval < c.LeastInterval {
		return c, fmt.Errorf("corona: an interval of %v, the least that is taken is %v", a.Interval, c.LeastInterval)
	}
	d := c.Paced(a.Interval)
	if a.Maintenance < d.Maintenance/4 || a.Maintenance > 4*d.Maintenance {
		return c, fmt.Errorf("corona: a maintenance interval of %v, %v is usual", a.Maintenance, d.Maintenance)
	}
	d.Policy, d.Maintenance, d.HostCeiling, d.Volunteers = a.Policy, a.Maintenance, a.HostCeiling, a.Volunteers
	d.Router = a.Router
	return d, d.Validate()
}

// Paced returns c for another polling interval: maintenance, aggregation and renewals take as many
// intervals as by default, but no more time than by default, and not too little either.
func (c Config) Paced(interval time.Duration) Config {
	d := Default()
	scaled := func(by, least time.Duration) time.Duration {
		t := time.Duration(float64(interval) * float64(by) / float64(d.Interval))
		return max(min(t, by), least)
	}
	c.Interval = interval
	c.Maintenance = scaled(d.Maintenance, 2*time.Second)
	c.AggregateEvery = scaled(d.AggregateEvery, time.Second)
	c.Renew = scaled(d.Renew, 10*time.Second)
	c.Forget = scaled(d.Forget, 32*time.Second)
	return c
}

// reconfigure makes all parts use another configuration. Slots keep their position in the interval.
func (n *Node) reconfigure(c Config) {
	before := n.config
	n.config = c
	n.plan.replan()
	if before.Interval != c.Interval {
		n.plan.restretch(before.Interval)
	}
	if before.Maintenance != c.Maintenance || before.Renew != c.Renew {
		n.roster.startRound()
		n.plan.startAggregation()
		n.roster.renewAtNewPace()
		n.forgive()
	}
	if before.Router != c.Router {
		n.version.dissemination.rerouted(before.Router)
	}
}

// forgive counts every node as heard from just now, so that nobody is late by the new intervals for what it did by the old ones.
func (n *Node) forgive() {
	now := n.Env.Now()
	for i := range n.plan.wedges.parents {
		n.plan.wedges.parents[i].heard = now
	}
	for _, o := range n.roster.owned.list {
		for i := range o.readers.entries {
			o.readers.entries[i].heard = seconds(now)
		}
	}
}

// renewAtNewPace plans the renewals of all subscriptions anew.
func (n *roster) renewAtNewPace() {
	var all []*subscription
	for _, s := range n.subscriptions.agenda.All() {
		if s.acked && s.home != nil {
			all = append(all, s)
		}
	}
	for _, s := range all {
		n.sendAt(s, n.renewal(s.home.peer.ID))
	}
}

// replan has the next plan made soon, by the new policy and without what was learnt by the old one.
func (n *planner) replan() {
	p := &n.planning
	p.wait = max(1, n.config.Maintenance/firstPlan)
	p.steer, p.steered, p.gain, p.missed, p.free, p.nodes = 0, 0, 0, 0, false, 0
	p.next.Stop()
	p.next.Soon(n.Env, n.Env.Now()+n.Jitter(p.wait), n.maintain)
}

// restretch brings what is counted or placed by the interval to the present one.
func (n *planner) restretch(before time.Duration) {
	now, ratio := n.Env.Now(), float64(n.config.Interval)/float64(before)
	for _, o := range n.node.roster.owned.list {
		o.estimate.rescale(now, before, n.config.Interval)
		if o.primary && o.slot != 0 {
			o.slot = now + time.Duration(float64(nextTime(o.slot, before, now)-now)*ratio)
		}
	}
	stretch := func(t slotTime) slotTime { return slotTime(float64(t) * ratio) }
	for i := range n.wedges.polled.length {
		p := n.wedges.polled.at(i)
		if n.wedges.limits[p.channel.ID].interval == 0 {
			p.slot = slot{stretch(p.start), stretch(p.width)}
		}
		n.poll(p)
		n.Pass(p, moved)
	}
	for _, o := range n.node.roster.owned.list {
		if n.Leads(o.channel.ID) {
			n.Lead(o)
		}
	}
}
