package corona

import (
	"math"
	"time"

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
	if o := n.roster.Find(channel); o != nil {
		return n.budget.limits(o)
	}
	return plan.Limits{}
}

// Permit implements plan.Host.
func (n planHost) Permit(channel engine.ID) (plan.Permit, bool) {
	if !n.budget.Hosted() {
		return plan.Permit{}, true
	}
	o := n.roster.Find(channel)
	if o == nil || !o.Primary() {
		return plan.Permit{}, false
	}
	n.budget.PermitFor(o)
	c := n.budget.CertificateOf(o)
	if c == nil {
		return plan.Permit{}, false
	}
	n.budget.keepCertificate(channel, c)
	return plan.Permit{Size: sizeOf(c.bits), Every: c.every, Until: c.until}, true
}

// Check implements plan.Host.
func (n planHost) Check(list []plan.Assignment, then func(func(int) plan.Verdict)) {
	n.budget.check(list, then)
}

// Certificate implements plan.Host.
func (n planHost) Certificate(channel engine.ID) []machine.Grant {
	if c := n.budget.polled[channel]; c != nil {
		return toGrants(c.grants)
	}
	return nil
}

// MayPoll implements plan.Host.
func (n planHost) MayPoll(channel engine.ID) bool {
	c := n.budget.polled[channel]
	return !n.budget.Hosted() || c != nil && n.budget.Holds(c.until)
}

// Ended implements plan.Host.
func (n planHost) Ended(channel engine.ID) { delete(n.budget.polled, channel) }

// Held implements plan.Host.
func (n planHost) Held(channel engine.ID) uint64 {
	version, _ := n.library.Held(channel)
	return version
}

// Heard implements plan.Host.
func (n planHost) Heard(from engine.Peer, channel engine.ID, version uint64) {
	n.version.MaybeBehind(from, channel, version)
}

// Moved implements plan.Host.
func (n planHost) Moved(channel engine.ID) {
	if o := n.roster.Find(channel); o != nil {
		n.roster.Restate(o.ID())
	}
}

// Planned implements plan.Host.
func (n planHost) Planned() { n.budget.ClaimAll() }

// Counted implements plan.Host.
func (n planHost) Counted() { n.budget.ClaimGrown() }

// planChanged tells the plan what this node is to a channel.
func (n *Node) planChanged(o *owned) {
	s := plan.Standing{Primary: o.Primary() && o.Readers() > 0, Informed: o.Informed(), Ended: o.Primary() || o.Gone()}
	if len(o.Others()) > 0 {
		s.Next = o.Others()[0]
	}
	n.plan.Changed(o.Channel(), s)
}

// What follows goes when budget speaks of sizes itself.

// alone is the level at which a primary polls alone.
const alone = engine.Bits

// sizeOf returns the size of a wedge of so many bits.
func sizeOf(bits uint8) machine.Size {
	if bits >= machine.MaxSizeBits {
		return machine.Alone
	}
	return machine.Size{Bits: bits, Run: 1}
}

// bitsAround returns the bits of the smallest wedge that is as large as a set.
func bitsAround(s machine.Size) uint8 {
	if s == machine.Alone {
		return alone
	}
	return uint8(-math.Log2(s.Share()))
}

func toGrants(list []Grant) (grants []machine.Grant) {
	for _, g := range list {
		grants = append(grants, machine.Grant{Owner: g.Owner, Size: sizeOf(g.Bits), Every: g.Every, Until: g.Until, Signature: g.Signature})
	}
	return grants
}

func fromGrants(list []machine.Grant) (grants []Grant) {
	for _, g := range list {
		bits := g.Size.Bits
		if g.Size == machine.Alone {
			bits = alone
		}
		grants = append(grants, Grant{Owner: g.Owner, Bits: bits, Every: g.Every, Until: g.Until, Signature: g.Signature})
	}
	return grants
}

func milliseconds(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }

func fold(h uint64, values ...uint64) uint64 {
	for _, v := range values {
		h ^= v
		h *= 1099511628211
		h ^= h >> 29
	}
	return h
}
