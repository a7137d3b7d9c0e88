package corona

import (
	"time"

	budgets "tidings/network/corona/budget"
	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// HostOf returns the host to which a channel's load counts, by its canonical URL; see package budget.
func HostOf(url string) string { return budgets.HostOf(url) }

// budget returns the configuration of package budget.
func (c Config) budget() budgets.Config {
	return budgets.Config{
		Interval: c.Interval, Maintenance: c.Maintenance, Forget: c.Forget, HostCeiling: c.HostCeiling,
		MaxHostReaders: c.MaxHostReaders, MaxCount: c.MaxCount,
	}
}

// budgetHost implements the host of package budget.
type budgetHost struct{ *Node }

func (h budgetHost) Sample(channel engine.ID, nonce uint64) []Subscription {
	return h.roster.Sample(h.roster.Find(channel), nonce)
}

func (h budgetHost) Readers(channel engine.ID) uint64 {
	if o := h.roster.Find(channel); o != nil {
		return o.Readers()
	}
	return 0
}

func (h budgetHost) Nodes() int                          { return h.plan.Nodes() }
func (h budgetHost) Size(channel engine.ID) machine.Size { return h.plan.Set(channel).Size }
func (h budgetHost) Renew(channel engine.ID)             { h.plan.Renew(channel) }

func (h budgetHost) Pollers(channel engine.ID, size machine.Size) float64 {
	return h.plan.Counted(channel, size)
}

func (h budgetHost) Joins(channel engine.ID) {
	h.plan.Joins(channel)
	h.version.Proved(channel)
}

func (h budgetHost) Refused(channel engine.ID, wait time.Duration) {
	h.Ring.Route(channel, &Limit{Channel: channel, Wait: machine.InSeconds(wait)})
}

// budgetChanged updates which channels this node is primary of.
func (n *Node) budgetChanged(o *roster.Owned) {
	n.budget.Led(o.Channel(), o.Primary() && !o.Gone() && o.Readers() > 0)
}
