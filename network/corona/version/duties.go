package version

import (
	"time"

	"tidings/network/engine"
)

// duties decides of which channels this node makes versions: as their primary, or for some time in the primary's place.
type duties struct {
	*core
	acting map[engine.ID]time.Duration // by channel, at most maxActing: until when this node acts for the primary
	// channels that the library keeps for that, or for a witness, at most maxUnderWay
	relayed map[engine.ID]struct{}
}

const (
	maxActing = 1 << 10
	actFor    = 10 * time.Minute
	// relayFor is the least time that the library keeps a channel after this node made versions of it, and how often
	// that is checked.
	relayFor = 10 * time.Minute
)

// makesVersions reports whether this node makes versions of a channel.
func (n *duties) makesVersions(o *record) bool {
	if o.Primary() || len(n.acting) == 0 {
		return o.Primary()
	}
	until, ok := n.acting[o.ID()]
	return ok && n.Env.Now() < until && o.Rank() > 0
}

// act makes this node, another owner, make versions for actFor.
func (n *duties) act(o *record) {
	now := n.Env.Now()
	if len(n.acting) >= maxActing {
		for channel, until := range n.acting {
			if until <= now {
				delete(n.acting, channel)
			}
		}
	}
	if room(n.core, n.acting, o.ID(), "maxActing", maxActing) {
		n.acting[o.ID()] = now + actFor
	}
}

// wants reports whether a channel's versions are kept here.
func (n *duties) wants(channel engine.ID) bool {
	if _, polled := n.Plan.Polled(channel); polled || n.reads(channel) {
		return true
	}
	o := n.find(channel)
	return o != nil && n.makesVersions(o)
}

// relay makes the library keep a channel that this node makes versions of, even if it may neither poll it nor subscribe
// to it. Otherwise the library could not store the reported content, and nodes that lack a version would ask here in
// vain.
func (n *duties) relay(o *record) {
	if !o.Gone() && n.makesVersions(o) {
		n.keep(o.Channel())
	}
}

// keep makes the library keep a channel for a while that this node only polls out of turn.
func (n *duties) keep(c Channel) {
	if _, is := n.relayed[c.ID]; is {
		return
	}
	if _, polled := n.Plan.Polled(c.ID); polled || n.reads(c.ID) ||
		!room(n.core, n.relayed, c.ID, "relayed", maxUnderWay) {
		return
	}
	n.relayed[c.ID] = struct{}{}
	n.Library.Relay(c)
	n.maybeRelease(c.ID)
}

// maybeRelease ends, after relayFor, what keep began, unless this node makes versions of the channel.
func (n *duties) maybeRelease(channel engine.ID) {
	n.Env.After(relayFor, func() {
		if o := n.find(channel); o != nil && !o.Gone() && n.makesVersions(o) {
			n.maybeRelease(channel)
			return
		}
		delete(n.relayed, channel)
		n.Library.Release(channel)
	})
}
