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

// trust is whether this node relies on the owners of channels, by what it has found and the network does not tell of. It is empty without keys.
type trust struct {
	*core
	dismissals map[engine.ID]dismissal // by channel, at most maxDoubts
	suspected  map[engine.ID]Suspicion // by channel that this node subscribes to, at most maxDoubts; never Trusted
}

// dismissal is a report that an owner has said to make no version.
type dismissal struct {
	hash  Hash
	at    time.Duration // when first
	times int
}

const (
	maxDoubts = 1 << 12
	// A report that was dismissed, and is found again, bypasses the primary after half an interval: the next poll in its turn does so.
	dismissAgain = 2
	// maxDismissals is after how many dismissals, of which the later ones are by other owners, the word of the owners is doubted.
	maxDismissals = 3
)

// suspect notes that nobody serves this node.
func (n *trust) suspect(channel engine.ID, why Suspicion) {
	old := n.suspected[channel]
	if n.Keys != nil && n.reads(channel) && old != why && old != Silent && room(n.core, n.suspected, channel, "maxDoubts", maxDoubts) {
		n.say(channel, why)
	}
}

// end ends a suspicion.
func (n *trust) end(channel engine.ID) {
	if _, ok := n.suspected[channel]; ok {
		n.say(channel, Trusted)
	}
}

func (n *trust) say(channel engine.ID, why Suspicion) {
	if n.suspected[channel] = why; why == Trusted {
		delete(n.suspected, channel)
	}
	event := Suspected{channel, why}
	n.Env.Trace(event)
	n.Host.Suspected(event)
}

// heardOf is called when the network has told of a content, or when this node sees what it has told of.
func (n *trust) heardOf(channel engine.ID, h Hash) {
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

// wasDismissed reports whether a report was dismissed before, and still stands: it bypasses the primary.
func (n *trust) wasDismissed(channel engine.ID, h Hash) bool {
	was, ok := n.dismissals[channel]
	return ok && was.hash == h && n.Env.Now()-was.at >= n.config.Interval/dismissAgain
}
