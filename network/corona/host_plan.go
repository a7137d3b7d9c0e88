package corona

import (
	"math"

	budgets "tidings/network/corona/budget"
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// planHost is the node as its plan sees it.
type planHost struct{ *Node }

var _ plan.Host = planHost{}

// Factors implements plan.Host.
func (n planHost) Factors(channel engine.ID) honeycomb.Factors {
	o := n.roster.Find(channel)
	if o == nil {
		return honeycomb.Factors{}
	}
	size, update := n.version.Factors(channel)
	return honeycomb.Factors{Subscribers: uint32(min(o.Readers(), math.MaxUint32)), Size: size, Update: update}
}

// Limits implements plan.Host.
func (n planHost) Limits(channel engine.ID) plan.Limits {
	l := n.version.Limits(channel)
	l.NotBefore = max(l.NotBefore, n.budget.Patience(channel))
	return l
}

// Permit implements plan.Host.
func (n planHost) Permit(channel engine.ID) (plan.Permit, bool) {
	p, ok := n.budget.Permit(channel)
	return plan.Permit(p), ok
}

// Check implements plan.Host.
func (n planHost) Check(list []plan.Assignment, then func(func(int) plan.Verdict)) {
	assigned := make([]budgets.Assigned, len(list))
	for i := range list {
		a := &list[i]
		c := Channel{ID: a.Channel, URL: a.URL}
		if c.URL == "" && len(a.Certificate) > 0 { // the certificate shows that the host is known
			known, _ := n.plan.Polled(a.Channel)
			c.URL = known.URL
		}
		assigned[i] = budgets.Assigned{Channel: c, Size: a.Size, Grants: a.Certificate}
	}
	n.budget.Check(assigned, func(verdict func(int) budgets.Verdict) {
		then(func(i int) plan.Verdict { return plan.Verdict(verdict(i)) })
	})
}

// Certificate implements plan.Host.
func (n planHost) Certificate(channel engine.ID) []machine.Grant {
	return n.budget.Certificate(channel)
}

// MayPoll implements plan.Host.
func (n planHost) MayPoll(channel engine.ID) bool { return n.budget.MayPoll(channel) }

// MayPollIn implements plan.Host.
func (n planHost) MayPollIn(channel engine.ID, size machine.Size) bool {
	return n.budget.MayPollIn(channel, size)
}

// MayJoin implements plan.Host.
func (n planHost) MayJoin(c Channel, size machine.Size) bool {
	return n.budget.MayJoin(c, size)
}

// Ended implements plan.Host.
func (n planHost) Ended(channel engine.ID) { n.budget.Ended(channel) }

// Held implements plan.Host.
func (n planHost) Held(channel engine.ID) uint64 {
	version, _ := n.library.Held(channel)
	return version
}

// Learned implements plan.Host.
func (n planHost) Learned(from engine.Peer, channel engine.ID, version uint64) {
	n.version.MaybeBehind(from, channel, version)
}

// Moved implements plan.Host.
func (n planHost) Moved(channel engine.ID) {
	if o := n.roster.Find(channel); o != nil {
		n.roster.Restate(o.ID())
	}
}

// Counted implements plan.Host.
func (n planHost) Counted(chosen bool) {
	if chosen {
		n.budget.Planned()
	} else {
		n.budget.Counted()
	}
}

// planChanged updates the plan with this node's standing to a channel.
func (n *Node) planChanged(o *owned) {
	s := plan.Standing{Primary: o.Primary() && o.Readers() > 0, Informed: o.Informed(), Ended: o.Primary() || o.Gone()}
	if len(o.Others()) > 0 {
		s.Next = o.Others()[0]
	}
	n.plan.Changed(o.Channel(), s)
}
