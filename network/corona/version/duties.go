package version

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// duties decides of which channels this node makes versions: as their primary, or for some time in the primary's place.
type duties struct {
	machine.Base
	roster  Roster
	plan    Plan
	library Library
	acting  map[engine.ID]time.Duration // by channel, at most maxActing: until when this node acts for the primary
	// channels that the library keeps for that, or for a witness, at most maxRelayed
	relayed map[engine.ID]struct{}
}

const (
	maxActing  = 1 << 10
	maxRelayed = 1 << 14
	actFor     = 10 * time.Minute
	// relayFor is the least time that the library keeps a channel after this node made versions of it, and how often
	// that is checked.
	relayFor = 10 * time.Minute
)

// makes reports whether this node makes versions of a channel.
func (n *duties) makes(channel engine.ID) bool {
	o := n.roster.Owned(channel)
	if o == nil || o.Primary() {
		return o != nil
	}
	until, ok := n.acting[channel]
	return ok && n.Env.Now() < until && o.Rank() > 0
}

// act makes this node, another owner, make versions for actFor.
func (n *duties) act(channel engine.ID) {
	now := n.Env.Now()
	if len(n.acting) >= maxActing {
		for other, until := range n.acting {
			if until <= now {
				delete(n.acting, other)
			}
		}
	}
	if _, known := n.acting[channel]; known || update.Room(&n.Base, len(n.acting), "maxActing", maxActing) {
		n.acting[channel] = now + actFor
	}
}

// follows reports whether this node polls a channel, or subscribes to it.
func (n *duties) follows(channel engine.ID) bool {
	_, polled := n.plan.Polled(channel)
	return polled || n.roster.Readers(channel) > 0
}

// wants reports whether a channel's versions are kept here.
func (n *duties) wants(channel engine.ID) bool { return n.follows(channel) || n.makes(channel) }

// relay makes the library keep a channel that this node makes versions of, even if it may neither poll it nor subscribe
// to it. Otherwise the library could not store the reported content, and nodes that lack a version would ask here in
// vain.
func (n *duties) relay(channel engine.ID) {
	if n.makes(channel) {
		n.keep(n.roster.Owned(channel).Channel())
	}
}

// keep makes the library keep a channel for a while that this node only polls out of turn.
func (n *duties) keep(c Channel) {
	if _, is := n.relayed[c.ID]; is || n.follows(c.ID) ||
		!update.Room(&n.Base, len(n.relayed), "relayed", maxRelayed) {
		return
	}
	n.relayed[c.ID] = struct{}{}
	n.library.Relay(c)
	n.maybeRelease(c.ID)
}

// maybeRelease ends, after relayFor, what keep began, unless this node makes versions of the channel.
func (n *duties) maybeRelease(channel engine.ID) {
	n.Env.After(relayFor, func() {
		if n.makes(channel) {
			n.maybeRelease(channel)
			return
		}
		delete(n.relayed, channel)
		n.library.Release(channel)
	})
}
