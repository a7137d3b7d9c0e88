package corona

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

// doubts is what this node has found and the network does not tell of: all of it needs keys, and is
// about channels that this node subscribes to or polls.
type doubts struct {
	dismissals map[engine.ID]dismissal // by channel
	suspected  map[engine.ID]Suspicion // by channel
}

// dismissal is a report that an owner has said to make no version.
type dismissal struct {
	hash  Hash
	at    time.Duration // when first
	times int
}

const (
	maxDoubts = 1 << 12
	// dismissAgain is when a report that was dismissed, and is found again, bypasses the primary.
	// It is in intervals, or half of one: the next poll in its turn does so.
	dismissAgain = 2
	// maxDismissals is after how many dismissals, of which the later ones are by other owners, the
	// word of the owners is doubted.
	maxDismissals = 3
)

// suspect notes that nobody serves this node.
func (n *versioner) Suspect(channel engine.ID, why Suspicion) {
	d := &n.versions.doubts
	switch {
	case n.Keys == nil || !n.node.roster.Subscribed(channel) || d.suspected[channel] == why || d.suspected[channel] == Silent:
		return
	case len(d.suspected) >= maxDoubts:
		n.LimitHit("maxDoubts", maxDoubts)
		return
	case d.suspected == nil:
		d.suspected = make(map[engine.ID]Suspicion)
	}
	d.suspected[channel] = why
	emit(n.core, n.listener.Suspected, Suspected{channel, why})
}

// endDoubt is called when the network has told of a content, or when this node sees what it has
// told of.
func (n *versioner) endDoubt(channel engine.ID, h Hash) {
	if h != (Hash{}) {
		delete(n.versions.doubts.dismissals, channel)
		n.Trust(channel)
	}
}

// trust ends a suspicion.
func (n *versioner) Trust(channel engine.ID) {
	d := &n.versions.doubts
	if _, ok := d.suspected[channel]; ok {
		delete(d.suspected, channel)
		emit(n.core, n.listener.Suspected, Suspected{channel, Trusted})
	}
}

// dismissed notes that an owner makes no version of a report.
func (n *versioner) dismissed(channel engine.ID, h Hash) {
	d := &n.versions.doubts
	if n.Keys == nil {
		return
	}
	was, known := d.dismissals[channel]
	if !known && len(d.dismissals) >= maxDoubts {
		n.LimitHit("maxDoubts", maxDoubts)
		return
	}
	if d.dismissals == nil {
		d.dismissals = make(map[engine.ID]dismissal)
	}
	if was.hash != h {
		was = dismissal{hash: h, at: n.Env.Now()}
	}
	if was.times++; was.times >= maxDismissals {
		n.Suspect(channel, Denied)
	}
	d.dismissals[channel] = was
}

// wasDismissed reports whether a report was dismissed before, and still stands: it goes round the
// primary.
func (n *versioner) wasDismissed(channel engine.ID, h Hash) bool {
	was, ok := n.versions.doubts.dismissals[channel]
	return ok && was.hash == h && n.Env.Now()-was.at >= n.config.Interval/dismissAgain
}
