package version

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// A node that could be an owner may sign a number above the others', for a content of its own, and send it to some
// nodes. They would accept no later version. So a node that holds a number above an owner's notifies the owner (Ahead).
// The owner raises the channel's floor, and assigns the next version a number above it. There always is a higher one:
// no number is accepted that is ahead of the calendar by more than machine.MaxAhead.
const (
	clockSkew = 5 * time.Minute // by how much clocks may differ where a node compares another's time
	maxFloors = 1 << 14
)

// calendar returns the highest counter that is possible by a calendar ahead of this node's by ahead. If the clock is
// not set, all are.
func (n *seals) calendar(ahead time.Duration) uint64 {
	now := n.Env.Wall().Unix()
	if now < machine.ClockUnset {
		return maxModified + uint64(machine.MaxAhead/time.Second)
	}
	return uint64(now) + uint64(ahead/time.Second)
}

// timely reports whether a number is possible by now. A node with a calendar a day slow accepts no dated versions,
// and goes by its own polls.
func (n *seals) timely(version uint64) bool {
	return version>>63 == 0 && version>>tagBits <= n.calendar(machine.MaxAhead)
}

func (n *seals) raiseFloor(channel engine.ID, version uint64) {
	if n.floors[channel] < version && room(n.core, n.floors, channel, "maxFloors", maxFloors) {
		n.floors[channel] = version
	}
}

// maybeAhead notifies an owner that seems to know a lower number than the one held here, or another content for it. It
// does so at most once an interval.
func (n *seals) maybeAhead(owner engine.Peer, channel engine.ID, version uint64) {
	if n.Keys == nil || version > n.held(channel) || owner.IsZero() || n.IsSelf(owner) {
		return
	}
	now := n.Env.Now()
	if at, ok := n.aheadSent[channel]; ok && now-at < n.config.Interval {
		return
	}
	if len(n.aheadSent) >= maxUnderWay {
		clear(n.aheadSent) // some owners are notified twice
	}
	n.aheadSent[channel] = now
	n.Env.Send(owner, &Ahead{n.headerOf(channel)})
}

// receiveAhead raises the next version's number above the one that another node holds. Unless direct, the message may
// have come to a node near the owners.
func (n *numbering) receiveAhead(from engine.Peer, m *Ahead, direct bool) {
	h := &m.Header
	o := n.find(h.Channel)
	switch {
	case n.Keys == nil:
		return
	case o == nil || o.Rank() < 0:
		if !direct {
			n.Roster.SendToOwner(h.Channel, m)
		}
		return
	case h.Version < o.Version(), h.Version == o.Version() && h.Hash == o.hash:
		return
	case !numbers(h.Hash, h.Version), h.Version>>tagBits > n.seals.calendar(machine.MaxAhead/2):
		n.Env.Trace(Refused{h.Channel, h.Version, from.ID, Impossible})
		return
	}
	if proof := n.seals.proofAgainst(h.Giver.ID); proof != nil {
		n.Env.Send(from, proof)
	}
	n.seals.raiseFloor(h.Channel, h.Version)
	if n.Roster.CouldOwn(h.Channel, h.Giver.ID) && n.seals.isSigned(h) {
		n.seals.compareHeaders(h)
		if !o.Primary() && !direct {
			n.Env.Send(o.Others()[0], m)
			n.duties.act(o) // in case the primary does nothing
		}
		if n.duties.makesVersions(o) {
			n.numbering.reunite(o)
		}
	}
}
