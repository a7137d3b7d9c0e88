package corona

import (
	"math"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
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
	l.Interval = max(l.Interval, n.budget.Spacing(channel))
	return l
}

// Most implements plan.Host.
func (n planHost) Most(channel engine.ID) (pollers float64, ok bool) { return n.budget.Most(channel) }

// Proved implements plan.Host.
func (n planHost) Proved(c Channel, size machine.Size) bool { return n.budget.Proved(c, size) }

// Asking implements plan.Host.
func (n planHost) Asking(channel engine.ID) bool { return n.budget.Asking(channel) }

// MayJoin implements plan.Host.
func (n planHost) MayJoin(c Channel, size machine.Size) bool {
	return n.budget.MayJoin(c, size)
}

// Waits implements plan.Host.
func (n planHost) Waits(channel engine.ID, until time.Duration) { n.budget.Waits(channel, until) }

// Ended implements plan.Host.
func (n planHost) Ended(channel engine.ID) {
	n.budget.Ended(channel)
	n.version.Proved(channel) // no proof is on its way any more
}

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

// Planned implements plan.Host.
func (n planHost) Planned() { n.budget.Planned() }

// planChanged updates the plan with this node's standing to a channel.
func (n *Node) planChanged(o *roster.Owned) {
	s := plan.Standing{Primary: o.Primary() && o.Readers() > 0, Informed: o.Informed(), Ended: o.Primary() || o.Gone()}
	if len(o.Others()) > 0 {
		s.Next = o.Others()[0]
	}
	n.plan.Changed(o.Channel(), s)
}
