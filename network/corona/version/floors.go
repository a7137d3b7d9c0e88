package version

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// A node that could be an owner may sign a number above the others', for a content of its own, and send it to some nodes, which would accept no later version.
// So a node that holds a number above an owner's tells the owner (Ahead); the owner raises the channel's floor, and gives the next version a number above it;
// and there always is a higher one, as none is accepted that is ahead of the calendar by more than machine.MaxAhead.
const (
	clockSkew = 5 * time.Minute // by how much clocks may differ where one asks another's time
	maxFloors = 1 << 14
)

// calendar returns the latest counter that a number can have by a calendar that is ahead of this node's by so much; by one that is not set, any.
func (n *seals) calendar(ahead time.Duration) uint64 {
	now := n.Env.Wall().Unix()
	if now < machine.ClockUnset {
		return maxModified + uint64(machine.MaxAhead/time.Second)
	}
	return uint64(now) + uint64(ahead/time.Second)
}

// timely reports whether a number can have been given by now. A node whose calendar lags by a day accepts no dated versions, and goes by its own polls.
func (n *seals) timely(version uint64) bool {
	return version>>63 == 0 && version>>tagBits <= n.calendar(machine.MaxAhead)
}

func (n *seals) raiseFloor(channel engine.ID, version uint64) {
	if n.floors[channel] < version && room(n.core, n.floors, channel, "maxFloors", maxFloors) {
		n.floors[channel] = version
	}
}

// maybeAhead tells an owner, once an interval at most, if it seems to know a lower number than the one held here, or another content for it.
func (n *seals) maybeAhead(owner engine.Peer, channel engine.ID, version uint64) {
	if n.Keys == nil || version > n.held(channel) || owner.IsZero() || n.IsSelf(owner) {
		return
	}
	now := n.Env.Now()
	if at, ok := n.told[channel]; ok && now-at < n.config.Interval {
		return
	}
	if len(n.told) >= maxUnderWay {
		clear(n.told) // some are told twice
	}
	n.told[channel] = now
	n.Env.Send(owner, &Ahead{n.headerOf(channel)})
}

// takeAhead makes the next version's number be above the one that another node holds. Unless direct, the message may come to a node near the owners.
func (n *giver) takeAhead(from engine.Peer, m *Ahead, direct bool) {
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
		if n.duties.judges(o) {
			n.giver.reunite(o)
		}
	}
}
