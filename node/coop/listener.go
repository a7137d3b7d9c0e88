package coop

import (
	"context"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/store/shared"
)

// listener receives Corona's reports.
type listener struct{ *core }

// Acknowledged notes that the owners of a channel know that it is followed here. From now on the network detects its
// changes. It is called in the loop.
func (s listener) Acknowledged(e corona.Acknowledgement) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	c := s.table.channels[e.Channel]
	if c == nil {
		return
	}
	c.telling.owned = e.Version
	if acked := e.Count > 0 && !e.Refused; acked != c.acked {
		c.acked = acked
		s.reconciler.enqueue(c)
	}
	if c.acked && c.telling.withheld && c.telling.owned == 0 {
		c.telling.withheld = false
		s.Work(func(ctx context.Context) { s.reporter.offer(ctx, c) })
	}
}

// Carried notes by which router a channel's updates come from now on; it is called in the loop.
func (s listener) Carried(e corona.Carried) {
	s.table.mu.Lock()
	if c := s.table.channels[e.Channel]; c != nil {
		c.router = e.Router
	}
	s.table.mu.Unlock()
	s.told.Ring()
}

// Suspected notes that the network does not seem to watch a channel for this node, or that it does
// again. It is called in the loop.
func (s listener) Suspected(e corona.Suspected) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if c := s.table.channels[e.Channel]; c != nil && c.suspicion != e.Why {
		c.suspicion = e.Why
		s.reconciler.enqueue(c)
	}
}

// Contradicted notes that the origin of a channel does not show this node what others vouch for. It counts against
// them, and what was shown here is withdrawn. It is called in the loop.
func (s listener) Contradicted(e corona.Contradicted) {
	url := ""
	if c := s.table.get(e.Channel); c != nil {
		url = c.url
	}
	nodes, reasons := s.penalties.vouched(e)
	if e.Shown {
		s.config.Log.Warn("what other nodes vouched for is withdrawn, as its origin does not show it", "channel", url, "version", e.Version, "vouched_by", nodes)
	} else {
		s.config.Log.Info("what other nodes vouched for is not shown, as its origin does not show it", "channel", url, "version", e.Version, "vouched_by", nodes)
	}
	now := time.Now().UTC()
	for i, node := range nodes {
		s.penalties.add(node, tidings.PenaltyReason{Time: now, Channel: url, Reason: reasons[i]})
	}
	s.told.Ring()
	if e.Shown {
		why := tidings.Withdrawal{Time: now, Reason: "its origin does not show it", VouchedBy: nodes}
		s.Work(func(ctx context.Context) {
			s.library.withdraw(ctx, shared.Version{URL: url, Number: e.Version, Hash: e.Hash}, why)
		})
	}
}

// Answered notes the answer of a primary; it is called in the loop.
func (s listener) Answered(f corona.Fact) {
	s.table.mu.Lock()
	if c := s.table.channels[f.Channel]; c != nil {
		c.fact, c.toldAt = f, time.Now()
	}
	s.table.mu.Unlock()
	s.told.Ring()
}

// Agreed notes the network's settings, and logs if they differ from those that the node was started with. It is called
// in the loop.
func (s listener) Agreed(e corona.Agreed) {
	before := s.params.now()
	s.params.agreed.Store(&Params{Agreement: e.Params, Settled: true})
	switch own := s.params.own(); {
	case before.Settled && before.Agreement == e.Params && before.Refused == "":
	case e.Changed && e.Params != own:
		s.config.Log.Warn("the network checks together by other settings than this node was started with; the network's hold",
			"policy", e.Params.Policy, "interval", e.Params.Interval, "host_ceiling", e.Params.HostCeiling, "polling", pollingOf(e.Params),
			"router", e.Params.Router, "own_router", own.Router, "own_policy", own.Policy, "own_interval", own.Interval, "own_host_ceiling", own.HostCeiling, "own_polling", pollingOf(own))
	case before.Settled:
		s.config.Log.Info("the network checks together by other settings now", "policy", e.Params.Policy, "interval", e.Params.Interval,
			"host_ceiling", e.Params.HostCeiling, "polling", pollingOf(e.Params), "router", e.Params.Router)
	}
	s.turns.agreed(before.Agreement, e.Params)
	s.params.reschedule()
}

// Disagreed notes that most others use settings that this node does not adopt. It is called in the loop.
func (s listener) Disagreed(e corona.Disagreed) {
	now := s.params.now()
	if now.Refused != e.Why {
		s.config.Log.Warn("the network checks together by settings that this node does not take over", "policy", e.Params.Policy,
			"interval", e.Params.Interval, "host_ceiling", e.Params.HostCeiling, "why", e.Why)
	}
	now.Refused = e.Why
	s.params.agreed.Store(&now)
}

var _ corona.Listener = listener{}
