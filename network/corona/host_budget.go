package corona

import (
	"time"

	budgets "tidings/network/corona/budget"
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// HostOf returns the host to which a channel's load counts, by its canonical URL; see package budget.
func HostOf(url string) string { return budgets.HostOf(url) }

// budget returns the configuration of package budget.
func (c Config) budget() budgets.Config {
	return budgets.Config{
		Interval: c.Interval, Maintenance: c.Maintenance, Forget: c.Forget, HostCeiling: c.HostCeiling,
		HostOwners:     c.HostOwners,
		MaxHostReaders: c.MaxHostReaders, MaxCount: c.MaxCount, MaxHostClaims: c.MaxHostClaims,
	}
}

// budgetHost implements the host of package budget.
type budgetHost struct{ *Node }

func (h budgetHost) Wants(channel engine.ID, sizes int) budgets.Wants {
	o := h.roster.Find(channel)
	size, pollers := h.plan.Wanted(channel, sizes)
	return budgets.Wants{Readers: o.Readers(), Size: size, Pollers: pollers,
		Verifies: h.version.VerifiesWanted(channel)}
}

func (h budgetHost) NotBefore(channel engine.ID) time.Duration {
	return h.version.Limits(channel).NotBefore
}

func (h budgetHost) Sample(channel engine.ID, nonce uint64) []Subscription {
	return h.roster.Sample(h.roster.Find(channel).Owned, nonce)
}

func (h budgetHost) Nodes() int                           { return h.plan.Nodes() }
func (h budgetHost) Plausible(share float64) uint32       { return h.plan.Plausible(share) }
func (h budgetHost) AlternateKey(key engine.ID) engine.ID { return h.Base.AlternateKey(key) }
func (h budgetHost) Polls(channel engine.ID) bool         { _, _, in := h.plan.Passed(channel); return in }
func (h budgetHost) Patient(channel engine.ID)            { h.plan.Renew(channel, false) }

func (h budgetHost) Pollers(channel engine.ID, size machine.Size) float64 {
	return h.plan.Counted(channel, size)
}

func (h budgetHost) Joins(channel engine.ID) { h.plan.Joins(channel) }

func (h budgetHost) Permitted(channel engine.ID) {
	if h.plan.Leads(channel) || h.roster.Find(channel).Informed() { // else it is too early
		h.plan.Renew(channel, true)
	}
}

// budgetChanged reports whether polls are to be claimed for a channel.
func (n *Node) budgetChanged(o *owned) {
	n.budget.Changed(o.Channel(), o.Primary() && !o.Gone() && o.Readers() > 0)
}
