package corona

import (
	"fmt"
	"time"

	"tidings/network/corona/params"
	"tidings/network/honeycomb"
)

// Names by which Corona's users know package params.
type (
	Agreement = params.Agreement
	Agreed    = params.Agreed
	Disagreed = params.Disagreed
)

// paramsHost implements the host of package params.
type paramsHost struct{ *Node }

// Adopt applies another agreement to all machines.
func (h paramsHost) Adopt(a Agreement) error {
	c, err := h.config.withParams(a)
	if err == nil {
		h.reconfigure(c)
	}
	return err
}

func (h paramsHost) Agreed(e Agreed)       { h.listener.Agreed(e) }
func (h paramsHost) Disagreed(e Disagreed) { h.listener.Disagreed(e) }

// agreement returns the settings that all nodes of a network agree on.
func (c Config) agreement() Agreement {
	return Agreement{Policy: c.Policy, Interval: c.Interval, Maintenance: c.Maintenance, HostCeiling: c.HostCeiling,
		Volunteers: c.Volunteers, Router: c.Router}
}

// withParams returns c with a network's parameters, or why this node does not adopt them.
func (c Config) withParams(a Agreement) (Config, error) {
	if a.Policy.Goal == honeycomb.Legacy {
		return c, fmt.Errorf("corona: %v is no policy of a network that polls together", a.Policy)
	}
	if a.Interval < c.LeastInterval {
		return c, fmt.Errorf("corona: an interval of %v, the least accepted is %v", a.Interval, c.LeastInterval)
	}
	d := c.Paced(a.Interval)
	if a.Maintenance < d.Maintenance/4 || a.Maintenance > 4*d.Maintenance {
		return c, fmt.Errorf("corona: a maintenance interval of %v, %v is usual", a.Maintenance, d.Maintenance)
	}
	d.Policy, d.Maintenance, d.HostCeiling, d.Volunteers = a.Policy, a.Maintenance, a.HostCeiling, a.Volunteers
	d.Router = a.Router
	return d, d.Validate()
}

// Paced returns c for another polling interval. Maintenance, aggregation and renewals last as many intervals as by
// default, but no longer than by default, and at least the seconds stated below.
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

// reconfigure applies another configuration to all parts. All nodes count as active just now, so that none is late by
// the new intervals for what it did by the old ones.
func (n *Node) reconfigure(c Config) {
	before := n.config
	n.config = c
	n.budget.Reconfigure(c.budget())
	n.plan.Reconfigure(c.plan())
	if before.Maintenance != c.Maintenance || before.Renew != c.Renew {
		n.roster.Reconfigure(c.roster())
	}
	n.version.Reconfigure(c.version())
}
