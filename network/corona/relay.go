package corona

import "time"

// relayFor is how long the library goes on keeping a channel that this node has made versions of, at least, and how often
// it is asked whether it still does.
const relayFor = 10 * time.Minute

// relay has the library keep a channel that this node makes versions of. It may neither poll it nor subscribe to it: it
// stands in for the primary, or is the primary and has no permit to poll so far. A library that did not keep the
// channel could not be given what was found, and others who lack a version would ask here in vain.
func (n *versioner) relay(o *owned) {
	channel, relayed := o.ID(), n.versions.relayed
	if _, is := relayed[channel]; is || o.Gone() || !n.judges(o) || n.node.polls(channel) || n.node.roster.Subscribed(channel) {
		return
	}
	if len(relayed) >= maxUnderWay {
		n.LimitHit("relayed", maxUnderWay)
		return
	}
	relayed[channel] = struct{}{}
	n.library.Relay(o.Channel())
	n.maybeRelease(o)
}

// maybeRelease ends, some time later, what relay began, once others make the versions.
func (n *versioner) maybeRelease(o *owned) {
	n.Env.After(relayFor, func() {
		if !o.Gone() && n.judges(o) {
			n.maybeRelease(o)
			return
		}
		delete(n.versions.relayed, o.ID())
		n.library.Release(o.ID())
	})
}
