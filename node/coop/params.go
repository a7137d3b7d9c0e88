package coop

import (
	"log/slog"
	"sync/atomic"

	"tidings/network/corona"
	"tidings/node/coop/sharing"
	"tidings/view"
)

// params is what nodes poll by together. Copies of it share what was agreed on.
type params struct {
	own   corona.Agreement
	now   *atomic.Pointer[Params]
	alone *atomic.Bool // the network has stopped
}

// Params is what a node goes by.
type Params struct {
	corona.Agreement
	Settled bool   // others go by it too
	Refused string // why it does not adopt most others' settings; empty: it does, or need not
}

func newParams(c corona.Config) params {
	p := params{
		own: corona.Agreement{
			Policy: c.Policy, Interval: c.Interval, Maintenance: c.Maintenance, HostCeiling: c.HostCeiling,
			Volunteers: c.Volunteers,
			Router:     c.Router,
		},
		now: new(atomic.Pointer[Params]), alone: new(atomic.Bool),
	}
	p.now.Store(&Params{Agreement: p.own})
	return p
}

// Params returns what the node goes by: until it has agreed with others, by its own.
func (p params) Params() Params { return *p.now.Load() }

// terms returns what decides about all channels.
func (p params) terms() sharing.Terms {
	now := p.Params()
	return sharing.Terms{Alone: p.alone.Load(), Volunteers: now.Volunteers, Interval: now.Interval,
		Maintenance: now.Maintenance}
}

// agree notes the network's settings, and logs if they differ from those that the node was started with. It returns
// what the node went by before.
func (p params) agree(e corona.Agreed, log *slog.Logger) corona.Agreement {
	before := p.Params()
	p.now.Store(&Params{Agreement: e.Params, Settled: true})
	switch own := p.own; {
	case before.Settled && before.Agreement == e.Params && before.Refused == "":
	case e.Changed && e.Params != own:
		log.Warn("the network checks together by other settings than this node was started with; the network's hold",
			"policy", e.Params.Policy, "interval", e.Params.Interval, "host_ceiling", e.Params.HostCeiling, "polling",
			pollingOf(e.Params),
			"router", e.Params.Router, "own_router", own.Router, "own_policy", own.Policy, "own_interval", own.Interval,
			"own_host_ceiling", own.HostCeiling, "own_polling", pollingOf(own))
	case before.Settled:
		log.Info("the network checks together by other settings now", "policy", e.Params.Policy, "interval",
			e.Params.Interval,
			"host_ceiling", e.Params.HostCeiling, "polling", pollingOf(e.Params), "router", e.Params.Router)
	}
	return before.Agreement
}

// refuse notes why this node does not adopt what most others use.
func (p params) refuse(e corona.Disagreed, log *slog.Logger) {
	now := p.Params()
	if now.Refused != e.Why {
		log.Warn("the network checks together by settings that this node does not take over", "policy", e.Params.Policy,
			"interval", e.Params.Interval, "host_ceiling", e.Params.HostCeiling, "why", e.Why)
	}
	now.Refused = e.Why
	p.now.Store(&now)
}

// paramsOf returns the nodes' settings for people.
func paramsOf(a corona.Agreement) view.Params {
	return view.Params{
		Polling: pollingOf(a), Policy: a.Policy.String(), Interval: a.Interval, Maintenance: a.Maintenance,
		HostCeiling: a.HostCeiling,
		Router:      a.Router.String(),
	}
}

func pollingOf(a corona.Agreement) view.Polling {
	if a.Volunteers {
		return view.PollingVolunteer
	}
	return view.PollingCorona
}
