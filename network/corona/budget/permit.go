package budget

import (
	"slices"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// permit is what a primary has of a host's owners for one channel.
type permit struct {
	channel     machine.Channel
	at          *claiming
	claim       Claim           // the latest
	grants      []machine.Grant // one of each owner that has granted, at most MaxOwners+1
	certificate *certificate    // of some of the grants; nil: too few so far
	shown       uint32          // proofs that members of the set got in this maintenance interval
}

// Changed reports whether this node is a channel's primary, and it has readers: then polls are claimed for it.
func (c *claims) Changed(channel machine.Channel, wants bool) {
	switch p := c.permits[channel.ID]; {
	case wants && p == nil && c.Hosted():
		c.begin(channel)
	case !wants && p != nil:
		c.end(p)
	}
}

func (c *claims) begin(channel machine.Channel) {
	key := HostKey(channel.URL)
	at := c.index[key]
	if at == nil {
		at = &claiming{host: key}
		c.index[key] = at
		c.list = append(c.list, at)
	}
	p := &permit{channel: channel, at: at}
	at.permits = append(at.permits, p)
	c.permits[channel.ID] = p
	if had := c.polled.certificates[channel.ID]; had != nil { // of the primary before
		p.grants = slices.Clone(had.grants)
		p.certificate = c.certify(key, p.grants)
	}
	at.tries = 0
	c.claimSoon(at)
}

// end ends what begin began. While the channel is still polled here for another primary, the old certificate serves.
func (c *claims) end(p *permit) {
	at, id := p.at, p.channel.ID
	if held := c.held(p); held != nil && c.host.Polls(id) {
		c.polled.certificates[id] = held
	}
	delete(c.permits, id)
	at.permits = slices.DeleteFunc(at.permits, func(q *permit) bool { return q == p })
	if len(at.permits) == 0 {
		at.gone = true
		at.again.Stop()
		delete(c.index, at.host)
		c.list = slices.DeleteFunc(c.list, func(b *claiming) bool { return b == at })
	}
}

// held returns a permit's certificate if it holds, and is by a quorum of the present size.
func (c *claims) held(p *permit) *certificate {
	if p == nil || p.certificate == nil || len(p.certificate.grants) < c.quorum() {
		return nil
	}
	return c.polled.now(p.certificate)
}

// certificateOf returns the certificate by which a channel is polled here, as its primary or for another, or nil.
func (c *claims) certificateOf(channel engine.ID) *certificate {
	if held := c.held(c.permits[channel]); held != nil {
		return held
	}
	return c.polled.now(c.polled.certificates[channel])
}

// Claimed reports whether polls are claimed for a channel.
func (c *claims) Claimed(channel engine.ID) bool { return c.permits[channel] != nil }

// Permit returns what its host grants a channel that this node is primary of. False: nothing, and no node is to poll
// it.
func (c *claims) Permit(channel engine.ID) (Permit, bool) {
	if !c.Hosted() {
		return Permit{}, true
	}
	if held := c.held(c.permits[channel]); held != nil {
		return held.Permit, true
	}
	return Permit{Size: machine.Alone}, false
}

// PollsAlone reports whether this node, a channel's primary, may let no other node poll it.
func (c *claims) PollsAlone(channel engine.ID) bool {
	p, _ := c.Permit(channel)
	return p.alone()
}

// Certified reports whether the host lets this node poll a channel, and whether only as its primary.
func (c *claims) Certified(channel engine.ID) (alone, ok bool) {
	if held := c.certificateOf(channel); held != nil {
		return held.alone(), true
	}
	return false, !c.Hosted()
}

// MayPoll reports whether a channel may still be polled here.
func (c *claims) MayPoll(channel engine.ID) bool {
	return !c.Hosted() || c.certificateOf(channel) != nil
}

// MayPollIn reports whether a channel may still be polled here as by a member of a set of that size.
func (c *claims) MayPollIn(channel engine.ID, size machine.Size) bool {
	return !c.Hosted() || c.certificateOf(channel).allows(size)
}

// Certificate returns the proof that a channel polled here may be polled by many.
func (c *claims) Certificate(channel engine.ID) []machine.Grant {
	if held := c.certificateOf(channel); held != nil {
		return held.grants
	}
	return nil
}

// notablyLarger is the fraction by which a permitted set must grow to replace a certificate with more than half its
// time left. The pollers then have to be notified.
const notablyLarger = 1. / 8

// acceptGrant adds a grant. It reports the new permit if that changes, or lasts longer when half the time has passed.
func (c *claims) acceptGrant(p *permit, g machine.Grant) {
	g.Channel = engine.ID{}
	p.grants = slices.DeleteFunc(p.grants, func(h machine.Grant) bool {
		return h.Owner.ID == g.Owner.ID ||
			!c.Holds(h.Until)
	})
	if len(p.grants) > MaxOwners {
		p.grants = p.grants[1:]
	}
	p.grants = append(p.grants, g)
	made, old := c.certify(p.at.host, p.grants), c.held(p)
	if made == nil {
		return
	}
	half := c.Env.Wall().Add(grantLasts * c.config.Maintenance / 2).Unix()
	if old != nil && old.about(&made.Permit) && (old.Until > half || made.Until <= old.Until) {
		return
	}
	p.certificate = made
	c.Env.Trace(Certified{p.channel.ID, made.Size, made.Every})
	c.host.Permitted(p.channel.ID)
}

// about reports whether a permit allows as much as a newer one, or slightly less.
func (p *Permit) about(newer *Permit) bool {
	more := newer.Size.Share() / p.Size.Share()
	return p.Every == newer.Every && p.alone() == newer.alone() && more >= 1 && more <= 1+notablyLarger
}
