package corona

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// permit is what a primary has of a host's owners for one channel.
type permit struct {
	at          *claiming
	wanted      uint8   // the polling level it would choose
	claim       Claim   // the latest
	grants      []Grant // one of each owner that has granted something, at most maxHostOwners+1
	certificate *certificate
}

// claimChanged follows which channels this node is primary of.
func (n *budgeter) claimChanged(o *owned) {
	wants := o.primary && !o.gone && o.readers.total > 0
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
	key := hostKey(o.channel.URL)
	c := n.claims.index[key]
	if c == nil {
		c = &claiming{host: key}
		n.claims.index[key] = c
		n.claims.list = append(n.claims.list, c)
	}
	c.channels = append(c.channels, o)
	o.permit = &permit{at: c, wanted: uint8(o.bits)}
	if had := n.node.plan.wedges.certificates[o.channel.ID]; had != nil { // of the primary before
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

// pollBits returns the level at which a channel is polled: what was chosen, or what its host lets it
// have.
func (n *budgeter) PollBits(o *owned) int { return max(min(o.bits, alone), n.LeastBits(o)) }

// startOf returns some moment at which a channel's slot begins. Channels of a host that are polled less
// often than each interval are not all polled in the first.
func (n *budgeter) StartOf(o *owned, l limits) time.Duration {
	if n.CertificateOf(o) == nil || l.interval <= n.config.Interval {
		return o.slot
	}
	drawn := engine.Mix(binary.BigEndian.Uint64(o.channel.ID[:])) % uint64(l.interval/n.config.Interval)
	return o.slot + time.Duration(drawn)*n.config.Interval
}

// heeded returns what the origin asks for, and its host's owners.
func (n *budgeter) Heeded(o *owned) limits {
	l := o.limit
	if c := n.CertificateOf(o); c != nil {
		l.interval = max(l.interval, c.every)
		l.notBefore = max(l.notBefore, n.hostPatience(o.permit.at))
	}
	return l
}
