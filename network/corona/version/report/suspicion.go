package report

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// A finder records whether it relies on the owners of channels, by the finds that the network does not announce. It
// records nothing without keys.

// dismissal is a report that an owner has answered without a version.
type dismissal struct {
	hash  update.Hash
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

// Suspect notes that the owners do not serve this node, or with Trusted that they do.
func (n *finder) Suspect(channel engine.ID, why Suspicion) {
	old := n.suspected[channel]
	if why == Trusted && old != Trusted {
		n.rely(channel, Trusted)
	} else if why != Trusted && n.Keys != nil && n.Readers(channel) > 0 && old != why && old != Silent &&
		(old != Trusted || update.Room(&n.Base, len(n.suspected), "maxDoubts", maxDoubts)) {
		n.rely(channel, why)
	}
}

func (n *finder) rely(channel engine.ID, why Suspicion) {
	if n.suspected[channel] = why; why == Trusted {
		delete(n.suspected, channel)
	}
	event := Suspected{channel, why}
	n.Env.Trace(event)
	n.Host.Suspected(event)
}

// Confirmed ends distrust when the network has announced a content, or this node sees what it announced.
func (n *finder) Confirmed(channel engine.ID, h update.Hash) {
	if h != (update.Hash{}) {
		delete(n.dismissals, channel)
		n.Suspect(channel, Trusted)
	}
}

// dismissed notes that an owner makes no version of a report.
func (n *finder) dismissed(channel engine.ID, h update.Hash) {
	was, known := n.dismissals[channel]
	if n.Keys == nil || !known && !update.Room(&n.Base, len(n.dismissals), "maxDoubts", maxDoubts) {
		return
	}
	if was.hash != h {
		was = dismissal{hash: h, at: n.Env.Now()}
	}
	if was.times++; was.times >= maxDismissals {
		n.Suspect(channel, Denied)
	}
	n.dismissals[channel] = was
}

// wasDismissed reports whether a report that was dismissed still stands: it bypasses the primary.
func (n *finder) wasDismissed(channel engine.ID, h update.Hash) bool {
	was, ok := n.dismissals[channel]
	return ok && was.hash == h && n.Env.Now()-was.at >= n.config.Interval/dismissAgain
}
