package corona

import (
	"time"

	"tidings/network/engine"
)

// A primary may be dead, silent or malicious, or a node on the route to it may be. A finder whose report is not dealt
// with bypasses the primary: it routes the report to an alternate key near the channel, drawn anew each time. The node
// closest to that key has the channel among its neighbours, or is one of its owners. It passes the report to the next
// owner, which does what the primary should have done. If the primary is honest, nothing is lost: both give one
// content one number.

// judges reports whether this node makes versions of a channel: as its primary, or for some time instead of it.
func (n *versioner) judges(o *owned) bool {
	if o.Primary() || len(n.versions.acting) == 0 {
		return o.Primary()
	}
	until, ok := n.versions.acting[o.ID()]
	return ok && n.Env.Now() < until && o.Rank() > 0
}

// act has this node, another owner, make versions for a while.
func (n *versioner) act(o *owned) {
	acting := n.versions.acting
	now := n.Env.Now()
	if len(acting) >= maxActing {
		for channel, until := range acting {
			if until <= now {
				delete(acting, channel)
			}
		}
	}
	if _, known := acting[o.ID()]; !known && len(acting) >= maxActing {
		n.LimitHit("maxActing", maxActing)
		return
	}
	acting[o.ID()] = now + actFor
}

const (
	maxActing = 1 << 10
	actFor    = 10 * time.Minute
)

// reportBypassing sends a report so that it does not need the primary: the first time straight to the second owner, if that
// is known here.
func (n *versioner) reportBypassing(r *sentReport) {
	channel := r.update.Channel
	m := &Detected{*r.update, n.headerOf(channel)}
	owners, sure := n.node.roster.Owners(channel, n.config.Owners)
	switch {
	case r.tries > 2 || !sure || len(owners) < 2:
		n.Ring.Route(n.AlternateKey(channel), m)
	case n.IsSelf(owners[1]):
		n.takeBypassing(n.Env.Self(), m, true)
	default:
		n.Env.Send(owners[1], m)
	}
}

// takeBypassing takes a report that bypasses the primary.
func (n *versioner) takeBypassing(from engine.Peer, m *Detected, direct bool) {
	channel := m.Update.Channel
	o := n.node.roster.Find(channel)
	switch {
	case n.Keys == nil:
	case o != nil && o.Rank() >= 0:
		if !n.isFound(&m.Update) {
			n.Env.Trace(Dropped{channel, m.Update.Hash, from.ID, Unsound})
			return
		}
		if !o.Primary() {
			n.act(o)
			n.relay(o)
			if n.lacksLatest(o) { // what was found leads on from that: the finder has it
				n.miss(m.Update.finder(), channel, o.Version())
			}
		}
		n.compareHeld(o, &m.Held)
		f := report{update: m.Update, finder: m.Update.finder(), heard: n.Env.Now()}
		f.update.URL = ""
		n.consider(o, f)
	case !direct: // two hops and no more
		n.node.roster.SendToOwner(channel, m)
	}
}

// compareHeld compares the version that the finder was given with the one that this owner knows.
func (n *versioner) compareHeld(o *owned, h *Header) {
	if len(h.Given) == 0 || h.Channel != o.ID() || !n.timely(h.Version) || !n.node.roster.CouldOwn(h.Channel, h.Giver.ID) || !n.isSigned(h) {
		return
	}
	n.compareHeaders(h)
	if h.Version > o.Version() || h.Version == o.Version() && h.Hash != o.hash {
		n.raiseFloor(h.Channel, h.Version)
	}
}
