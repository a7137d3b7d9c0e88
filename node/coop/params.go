package coop

import (
	"sync/atomic"

	"tidings"
	"tidings/network/corona"
)

// params is what nodes poll by together.
type params struct {
	*core
	agreed atomic.Pointer[Params] // nil: nothing so far
}

// Params is what a node goes by.
type Params struct {
	corona.Agreement
	Settled bool   // others go by it too
	Refused string // why it does not adopt most others' settings; empty: it does, or need not
}

// Params returns what the node goes by: until it has agreed with others, by its own.
func (c *Coop) Params() Params { return c.params.now() }

func (p *params) now() Params {
	if agreed := p.agreed.Load(); agreed != nil {
		return *agreed
	}
	return Params{Agreement: p.own()}
}

// own returns what the node was started with.
func (p *params) own() corona.Agreement {
	c := p.config.Own
	return corona.Agreement{
		Policy: c.Policy, Interval: c.Interval, Maintenance: c.Maintenance, HostCeiling: c.HostCeiling, Volunteers: c.Volunteers,
		Router: c.Router,
	}
}

// reschedule plans the next poll of channels that others poll, by the present interval.
func (p *params) reschedule() {
	p.each(func(c *channel) {
		if c.acked && !c.polled {
			p.reconciler.enqueue(c)
		}
	})
}

// paramsOf returns the nodes' settings for people.
func paramsOf(a corona.Agreement) tidings.Params {
	return tidings.Params{
		Polling: pollingOf(a), Policy: a.Policy.String(), Interval: a.Interval, Maintenance: a.Maintenance, HostCeiling: a.HostCeiling,
		Router: a.Router.String(),
	}
}

func pollingOf(a corona.Agreement) tidings.Polling {
	if a.Volunteers {
		return tidings.PollingVolunteer
	}
	return tidings.PollingCorona
}
