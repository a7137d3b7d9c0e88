package node

import (
	"tidings"
	"tidings/network/corona"
)

// standing is by which terms the node polls together with others.
type standing struct {
	corona.Agreement
	settled bool
	refused string // why it does not take over what most others go by; empty: it does, or need not
}

// terms returns by what the node goes: until it has agreed with others, by its own.
func (s *sharing) terms() standing {
	if t := s.agreement.Load(); t != nil {
		return *t
	}
	return standing{Agreement: s.own()}
}

// own returns the terms that the node was started with.
func (s *sharing) own() corona.Agreement {
	c := s.node.config.corona()
	return corona.Agreement{
		Policy: c.Policy, Interval: c.Interval, Maintenance: c.Maintenance, HostCeiling: c.HostCeiling, Volunteers: c.Volunteers,
		Router: c.Router,
	}
}

// Agreed notes what the network goes by, and tells the log if that is another than what the node was
// started with; it is called in the loop.
func (s *sharing) Agreed(e corona.Agreed) {
	before := s.terms()
	s.agreement.Store(&standing{Agreement: e.Params, settled: true})
	switch own := s.own(); {
	case before.settled && before.Agreement == e.Params && before.refused == "":
	case e.Changed && e.Params != own:
		s.log.Warn("the network checks together by other terms than this node was started with; the network's hold",
			"policy", e.Params.Policy, "interval", e.Params.Interval, "host_ceiling", e.Params.HostCeiling, "polling", pollingOf(e.Params),
			"router", e.Params.Router, "own_router", own.Router, "own_policy", own.Policy, "own_interval", own.Interval, "own_host_ceiling", own.HostCeiling, "own_polling", pollingOf(own))
	case before.settled:
		s.log.Info("the network checks together by other terms now", "policy", e.Params.Policy, "interval", e.Params.Interval,
			"host_ceiling", e.Params.HostCeiling, "polling", pollingOf(e.Params), "router", e.Params.Router)
	}
	s.node.volunteering.agreed(before.Agreement, e.Params)
	s.reschedule()
}

// Disagreed notes that most others go by terms that this node does not take over; it is called in the
// loop.
func (s *sharing) Disagreed(e corona.Disagreed) {
	now := s.terms()
	if now.refused != e.Why {
		s.log.Warn("the network checks together by terms that this node does not take over", "policy", e.Params.Policy,
			"interval", e.Params.Interval, "host_ceiling", e.Params.HostCeiling, "why", e.Why)
	}
	now.refused = e.Why
	s.agreement.Store(&now)
}

// reschedule plans the next poll of channels that others poll, by the present interval.
func (s *sharing) reschedule() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		if c.acked && !c.polled {
			s.accordSoon(c)
		}
	}
}

// termsOf tells terms to people.
func termsOf(a corona.Agreement) tidings.Params {
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
