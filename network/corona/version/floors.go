package version

import (
	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// A node that could be an owner may sign a number above the others', for a content of its own, and send it to some
// nodes. They would accept no later version. So a node that holds a number above an owner's notifies the owner (Ahead).
// The owner raises the channel's floor, and assigns the next version a number above it. There always is a higher one:
// no number is accepted that is ahead of the calendar by more than machine.MaxAhead.
const (
	maxFloors = 1 << 14
)

func (n *numbering) raiseFloor(channel engine.ID, version uint64) {
	if n.floors[channel] < version && room(n.core, n.floors, channel, "maxFloors", maxFloors) {
		n.floors[channel] = version
	}
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
	case !numbers(h.Hash, h.Version), h.Version>>tagBits > update.Calendar(n.Env.Wall(), machine.MaxAhead/2):
		update.Refuse(&n.Base, h.Channel, h.Version, from, Impossible)
		return
	}
	if proof := n.believe.ProofAgainst(h.Giver.ID); proof != nil {
		n.Env.Send(from, proof)
	}
	n.numbering.raiseFloor(h.Channel, h.Version)
	if n.Roster.CouldOwn(h.Channel, h.Giver.ID) && update.IsSigned(n.Keys, h) {
		n.excluded(n.believe.Compare(h), engine.Peer{})
		if !o.Primary() && !direct {
			n.Env.Send(o.Others()[0], m)
			n.duties.act(o) // in case the primary does nothing
		}
		if n.duties.makesVersions(o) {
			n.numbering.reunite(o)
		}
	}
}
