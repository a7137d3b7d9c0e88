package version

import (
	"time"

	"tidings/network/engine"
)

// Suspicion is why a node does not rely on the owners of a channel.
type Suspicion string

// The suspicions.
const (
	Trusted Suspicion = "" // there is none any more
	Silent  Suspicion = "the owners do not answer"
	Denied  Suspicion = "the owners deny what this node sees"
)

// trust records whether this node relies on the owners of channels, by the finds that the network does not announce. It
// is empty without keys.
type trust struct {
	*core
	dismissals map[engine.ID]dismissal // by channel, at most maxDoubts
	suspected  map[engine.ID]Suspicion // by channel that this node subscribes to, at most maxDoubts; never Trusted
}

// dismissal is a report that an owner has answered without a version.
type dismissal struct {
	hash  Hash
	at    time.Duration // when first
	times int
}

const (
	maxDoubts = 1 << 12
	// A dismissed report that is found again half an interval later bypasses the primary: the next poll in its turn
	// causes that.
	dismissAgain = 2
	// maxDismissals is the number of dismissals after which this node distrusts the owners. The later ones are by other
	// owners.
	maxDismissals = 3
)

// suspect notes that the owners do not serve this node.
func (n *trust) suspect(channel engine.ID, why Suspicion) {
	old := n.suspected[channel]
	if n.Keys != nil && n.reads(channel) && old != why && old != Silent &&
		room(n.core, n.suspected, channel, "maxDoubts", maxDoubts) {
		n.set(channel, why)
	}
}

// end ends a suspicion.
func (n *trust) end(channel engine.ID) {
	if _, ok := n.suspected[channel]; ok {
		n.set(channel, Trusted)
	}
}

func (n *trust) set(channel engine.ID, why Suspicion) {
	if n.suspected[channel] = why; why == Trusted {
		delete(n.suspected, channel)
	}
	event := Suspected{channel, why}
	n.Env.Trace(event)
	n.Host.Suspected(event)
}

// confirmed ends distrust when the network has announced a content, or this node sees what it announced.
func (n *trust) confirmed(channel engine.ID, h Hash) {
	if h != (Hash{}) {
		delete(n.dismissals, channel)
		n.end(channel)
	}
}

// dismissed notes that an owner makes no version of a report.
func (n *trust) dismissed(channel engine.ID, h Hash) {
	if n.Keys == nil || !room(n.core, n.dismissals, channel, "maxDoubts", maxDoubts) {
		return
	}
	was := n.dismissals[channel]
	if was.hash != h {
		was = dismissal{hash: h, at: n.Env.Now()}
	}
	if was.times++; was.times >= maxDismissals {
		n.suspect(channel, Denied)
	}
	n.dismissals[channel] = was
}

// wasDismissed reports whether a report that was dismissed still stands: it bypasses the primary.
func (n *trust) wasDismissed(channel engine.ID, h Hash) bool {
	was, ok := n.dismissals[channel]
	return ok && was.hash == h && n.Env.Now()-was.at >= n.config.Interval/dismissAgain
}
