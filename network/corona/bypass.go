package corona

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// A primary may be dead, silent or malicious, or a node on the route to it may be. A finder whose report is not dealt
// with bypasses the primary: it routes the report to an alternate key near the channel, drawn anew each time. The node
// closest to that key has the channel among its neighbours, or is one of its owners. It passes the report to the next
// owner, which does what the primary should have done. If the primary is honest, nothing is lost: both give one
// content one number.

// alternateKey returns a key some two nodes from a channel on the ring, on either side.
func (n *versioner) AlternateKey(channel engine.ID) engine.ID {
	gap := ^uint64(0) / uint64(max(n.Ring.Nodes(), 1))
	away := gap/2 + uint64(n.Env.Rand().Float64()*2*float64(gap))
	if n.Env.Rand().IntN(2) == 0 {
		away = -away
	}
	at := channel
	binary.BigEndian.PutUint64(at[:], binary.BigEndian.Uint64(channel[:])+away)
	return at
}

// judges reports whether this node makes versions of a channel: as its primary, or for some time instead of it.
func (n *versioner) judges(o *owned) bool {
	if o.primary || len(n.versions.acting) == 0 {
		return o.primary
	}
	until, ok := n.versions.acting[o.channel.ID]
	return ok && n.Env.Now() < until && o.rank > 0
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
	if _, known := acting[o.channel.ID]; !known && len(acting) >= maxActing {
		n.LimitHit("maxActing", maxActing)
		return
	}
	acting[o.channel.ID] = now + actFor
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
	case o != nil && o.rank >= 0:
		if !n.isFound(&m.Update) {
			n.Env.Trace(Dropped{channel, m.Update.Hash, from.ID, Unsound})
			return
		}
		if !o.primary {
			n.act(o)
			n.relay(o)
			if n.lacksLatest(o) { // what was found leads on from that: the finder has it
				n.miss(m.Update.finder(), channel, o.version)
			}
		}
		n.compareHeld(o, &m.Held)
		f := report{update: m.Update, finder: m.Update.finder(), heard: n.Env.Now()}
		f.update.URL = ""
		n.consider(o, f)
	case !direct: // two hops and no more
		n.SendToOwner(channel, m)
	}
}

// sendToOwner passes a message that bypasses the primary on to the second owner.
func (n *versioner) SendToOwner(channel engine.ID, m engine.Message) {
	owners, sure := n.node.roster.Owners(channel, n.config.Owners)
	if i := min(1, len(owners)-1); sure && i >= 0 && !n.IsSelf(owners[i]) {
		n.Env.Send(owners[i], m)
	}
}

// compareHeld compares the version that the finder was given with the one that this owner knows.
func (n *versioner) compareHeld(o *owned, h *Header) {
	if len(h.Given) == 0 || h.Channel != o.channel.ID || !n.timely(h.Version) || !n.couldOwn(h.Channel, h.Giver.ID) || !n.isSigned(h) {
		return
	}
	n.compareHeaders(h)
	if h.Version > o.version || h.Version == o.version && h.Hash != o.hash {
		n.raiseFloor(h.Channel, h.Version)
	}
}
