package corona

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// A number that is too high must do no harm. A node that could be an owner may sign a number above the others', for a
// content of its own, and send it to some nodes: these would accept no later version of the channel. So:
//
//  1. A node that holds a number above that of an owner tells the owner (Ahead).
//  2. The owner raises the channel's floor, and gives the next version a number above it.
//  3. There always is a higher number, as none is accepted that is ahead of the calendar by more than maxAhead.
const (
	maxAhead  = machine.MaxAhead
	clockSkew = 5 * time.Minute // by how much clocks may differ where one asks another's time
	maxFloors = 1 << 14
)

// calendar returns the latest counter that a number can have by this node's calendar, or by one that
// is ahead of it; one that is not set allows all that number.go can give.
func (n *versioner) calendar(ahead time.Duration) uint64 {
	now := n.Env.Wall().Unix()
	if now < machine.ClockUnset {
		return maxModified + uint64(maxAhead/time.Second)
	}
	return uint64(now) + uint64(ahead/time.Second)
}

// timely reports whether a number can have been given by now. A node whose own calendar lags by more than a day accepts
// no versions of channels whose origin says when they change; it sees them by its own polls.
func (n *versioner) timely(version uint64) bool {
	return version>>63 == 0 && version>>tagBits <= n.calendar(maxAhead)
}

// floor returns the number above which the next version of a channel has to be.
func (n *versioner) floor(channel engine.ID) uint64 { return n.versions.floors[channel] }

func (n *versioner) raiseFloor(channel engine.ID, version uint64) {
	f := n.versions.floors
	switch old, known := f[channel]; {
	case old >= version:
		return
	case !known && len(f) >= maxFloors:
		n.LimitHit("maxFloors", maxFloors)
		return
	}
	f[channel] = version
}

// maybeAhead is called when an owner seems to know a lower number than the one held here, or another content for it. It
// tells the owner, once an interval at most.
func (n *versioner) MaybeAhead(owner engine.Peer, channel engine.ID, version uint64) {
	if held, _ := n.library.Held(channel); n.Keys == nil || version > held || owner.IsZero() || n.IsSelf(owner) {
		return
	}
	now, told := n.Env.Now(), n.versions.told
	if at, ok := told[channel]; ok && now-at < n.config.Interval {
		return
	}
	if len(told) >= maxUnderWay {
		clear(told) // some are told twice
	}
	told[channel] = now
	n.Env.Send(owner, &Ahead{n.headerOf(channel)})
}

// takeAhead makes the next version's number be above the one that another node holds. The message may bypass the
// primary: then it comes to any owner or, unless direct, to a node near the owners.
func (n *versioner) takeAhead(from engine.Peer, m *Ahead, direct bool) {
	h := &m.Header
	o := n.node.roster.Find(h.Channel)
	switch {
	case n.Keys == nil:
		return
	case o == nil || o.Rank() < 0:
		if !direct {
			n.node.roster.SendToOwner(h.Channel, m)
		}
		return
	case h.Version < o.Version(), h.Version == o.Version() && h.Hash == o.hash:
		return
	case !numbers(h.Hash, h.Version), h.Version>>tagBits > n.calendar(maxAhead/2):
		n.Env.Trace(Refused{h.Channel, h.Version, from.ID, Impossible})
		return
	}
	if proof := n.proofAgainst(h.Giver.ID); proof != nil {
		n.Env.Send(from, proof)
	}
	n.raiseFloor(h.Channel, h.Version)
	if n.node.roster.CouldOwn(h.Channel, h.Giver.ID) && n.isSigned(h) {
		n.compareHeaders(h)
		if !o.Primary() && !direct {
			n.Env.Send(o.Others()[0], m)
			n.act(o) // in case the primary does nothing
		}
		if n.judges(o) {
			n.reunite(o)
		}
	}
}
