package corona

import (
	"slices"
	"tidings/network/corona/plan"
)

// permit is what a primary has of a host's owners for one channel.
type permit struct {
	at          *claiming
	claim       Claim   // the latest
	grants      []Grant // one of each owner that has granted something, at most maxHostOwners+1
	certificate *certificate
}

// claimChanged follows which channels this node is primary of.
func (n *budgeter) claimChanged(o *owned) {
	wants := o.Primary() && !o.Gone() && o.Readers() > 0
	switch {
	case wants && o.permit == nil:
		n.PermitFor(o)
	case !wants && o.permit != nil:
		n.unclaim(o)
	}
}

// permitFor returns the channel's permit, and asks for grants if there is none.
func (n *budgeter) PermitFor(o *owned) *permit {
	if o.permit != nil {
		return o.permit
	}
	key := hostKey(o.Channel().URL)
	c := n.claims.index[key]
	if c == nil {
		c = &claiming{host: key}
		n.claims.index[key] = c
		n.claims.list = append(n.claims.list, c)
	}
	c.channels = append(c.channels, o)
	o.permit = &permit{at: c}
	if had := n.polled[o.ID()]; had != nil { // of the primary before
		o.permit.grants = slices.Clone(had.grants)
		o.permit.certificate = n.certify(key, o.permit.grants)
	}
	c.tries = 0
	n.claimSoon(c)
	return o.permit
}

// unclaim ends what permitFor began.
func (n *budgeter) unclaim(o *owned) {
	c := o.permit.at
	o.permit = nil
	i := slices.Index(c.channels, o)
	c.channels = slices.Delete(c.channels, i, i+1)
	if len(c.channels) == 0 {
		c.gone = true
		c.again.Stop()
		delete(n.claims.index, c.host)
		i := slices.Index(n.claims.list, c)
		n.claims.list = slices.Delete(n.claims.list, i, i+1)
	}
}

// certificateOf returns what lets a channel be polled that this node is primary of; nil if nothing
// does, or needs to.
func (n *budgeter) CertificateOf(o *owned) *certificate {
	if o.permit == nil || o.permit.certificate == nil || !n.Holds(o.permit.certificate.until) {
		return nil
	}
	if len(o.permit.certificate.grants) < n.quorum() {
		return nil
	}
	return o.permit.certificate
}

// leastBits returns the least polling level that a channel's host lets it have.
func (n *budgeter) LeastBits(o *owned) int {
	if !n.Hosted() {
		return 0
	}
	if c := n.CertificateOf(o); c != nil {
		return int(c.bits)
	}
	return alone
}

// limits returns what a channel's origin asks for, and its host's owners.
func (n *budgeter) limits(o *owned) plan.Limits {
	l := n.node.version.Limits(o.ID())
	if n.CertificateOf(o) != nil {
		l.NotBefore = max(l.NotBefore, n.hostPatience(o.permit.at))
	}
	return l
}
