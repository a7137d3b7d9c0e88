package corona

import (
	"time"

	"tidings/network/engine"
)

// How a number that is too high does no harm. One who could be an owner may sign a number ahead of
// the others' for a content of its own, and give it to whom it likes: those would take nothing
// more of the channel. So who holds a number above that of an owner tells it; the owner gives the
// next version above. Numbers last for that: none is believed that is ahead of the calendar by
// more than maxAhead.
const (
	maxAhead   = 24 * time.Hour
	clockSkew  = 5 * time.Minute // by how much clocks may differ where one asks another's time
	clockUnset = 1735689600      // seconds since 1970: a calendar before 2025 has not been set
	maxFloors  = 1 << 14
)

// calendar returns the latest counter that a number can have by this node's calendar, or by one that
// is ahead of it; one that is not set allows all that number.go can give.
func (n *Node) calendar(ahead time.Duration) uint64 {
	now := n.env.Wall().Unix()
	if now < clockUnset {
		return maxModified + uint64(maxAhead/time.Second)
	}
	return uint64(now) + uint64(ahead/time.Second)
}

// timely tells whether a number can have been given by now. Where it is wrong because this
// node's own calendar lags by more than a day, the node takes no versions of channels whose
// origin says when they change, and sees them by its own polls.
func (n *Node) timely(version uint64) bool {
	return version>>63 == 0 && version>>tagBits <= n.calendar(maxAhead)
}

// floor returns the number above which the next version of a channel has to be.
func (n *Node) floor(channel engine.ID) uint64 { return n.versions.floors[channel] }

func (n *Node) raiseFloor(channel engine.ID, version uint64) {
	f := n.versions.floors
	switch old, known := f[channel]; {
	case old >= version:
		return
	case !known && len(f) >= maxFloors:
		n.limitHit("maxFloors", maxFloors)
		return
	}
	f[channel] = version
}

// maybeAhead is called when an owner, as it seems, knows of a lower number than is held here, or of
// another content for it. It is told, once an interval at most.
func (n *Node) maybeAhead(owner engine.Peer, channel engine.ID, version uint64) {
	if held, _ := n.library.Held(channel); n.keys == nil || version > held || owner.IsZero() || n.isSelf(owner) {
		return
	}
	now, told := n.env.Now(), n.versions.told
	if at, ok := told[channel]; ok && now-at < n.config.Interval {
		return
	}
	if len(told) >= maxUnderWay {
		clear(told) // some are told twice
	}
	told[channel] = now
	n.env.Send(owner, &Ahead{n.headerOf(channel)})
}

// takeAhead has the next version be above what another node holds. It may have come round the
// primary, to any owner or, unless direct, to a node beside the owners.
func (n *Node) takeAhead(from engine.Peer, m *Ahead, direct bool) {
	h := &m.Header
	o := n.find(h.Channel)
	switch {
	case n.keys == nil:
		return
	case o == nil || o.rank < 0:
		if !direct {
			n.sendToOwner(h.Channel, m)
		}
		return
	case h.Version < o.version, h.Version == o.version && h.Hash == o.hash:
		return
	case !h.Hash.numbers(h.Version), h.Version>>tagBits > n.calendar(maxAhead/2):
		n.env.Trace(Refused{h.Channel, h.Version, from.ID, Impossible})
		return
	}
	if proof := n.recordEquivocation(h.Giver.ID); proof != nil {
		n.env.Send(from, proof)
	}
	n.raiseFloor(h.Channel, h.Version)
	if n.couldOwn(h.Channel, h.Giver.ID) && n.isSigned(h) {
		n.compareHeaders(h)
		if !o.primary && !direct {
			n.env.Send(o.others[0], m)
			n.act(o) // in case the primary does nothing
		}
		if n.judges(o) {
			n.reunite(o)
		}
	}
}
