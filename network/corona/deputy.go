package corona

import (
	"slices"

	"tidings/network/engine"
)

// A channel whose primary is closest to it, and yet across a border between prefixes, is an orphan (section 4): the
// primary is in none of the wedges beyond the bits that the two share. In the paper such a channel can only be
// polled by its primary alone, or by far too many. Here one contact that is in the wedge, the deputy, hands the
// assignments down there in the primary's place. The primary polls as well, so that there is one poller more.

// viaDeputy is the scope of a channel that is led from outside its wedge: below this node is the deputy alone.
const viaDeputy = engine.Bits + 1

// deputed is a wedge that this node leads through a deputy, as it is not in it.
type deputed struct {
	channel engine.ID
	bits    uint8
	deputy  *contact // nil: there is none
	members uint32   // when the deputy was told last
}

// scopeAt returns the scope with which this node leads a channel's wedge.
func (n *planner) scopeAt(channel engine.ID, bits uint8) uint8 {
	if bits < alone && n.Env.Self().ID.CommonBits(channel) < int(bits) {
		return viaDeputy
	}
	return bits
}

// deputy returns the contact that is closest to a channel of those in a wedge that this node is outside of, and how
// many nodes that wedge has; nil if it has none.
func (n *planner) deputy(channel engine.ID, bits int) (deputy *contact, members uint32) {
	closest := bits - 1
	for _, c := range n.aggregation.contacts {
		shared := c.peer.ID.CommonBits(channel)
		if shared < bits {
			continue
		}
		members = addUint32(members, c.nodes)
		if shared > closest {
			deputy, closest = c, shared
		}
	}
	return deputy, members
}

// orphanReach returns how many bits the nodes of a wedge can share with its channel so that a node outside, which
// shares fewer, knows how many they are: its contacts stand for whole digits.
func (n *planner) orphanReach(shared int) int {
	if n.config.Sizes == Expected {
		return shared // the paper's way
	}
	return min((shared/n.config.Digit+1)*n.config.Digit, alone-1)
}

// beneath returns the contacts below this node for a channel that is polled here.
func (n *planner) Beneath(p *polled) []*contact {
	if p.scope != viaDeputy {
		return n.aggregation.within(p.scope)
	}
	if d, _ := n.deputy(p.channel.ID, int(p.bits)); d != nil {
		return []*contact{d}
	}
	return nil
}

// shares returns what parts of a channel's slot the contacts below have.
func (n *planner) shares(p *polled) []share {
	if p.scope != viaDeputy {
		return n.layout(p.scope).shares
	}
	d, members := n.deputy(p.channel.ID, int(p.bits))
	if d == nil {
		return nil
	}
	return []share{{contact: d, from: 1 / (1 + float64(members)), to: 1}}
}

// noteDeputy takes note of whether, and at what level, a channel is led from outside its wedge.
func (n *planner) noteDeputy(p *polled) {
	same := func(d deputed) bool { return d.channel == p.channel.ID && d.bits == p.bits }
	if p.scope == viaDeputy && slices.ContainsFunc(n.wedges.deputed, same) {
		return // what the deputy was told last stands
	}
	n.forgetDeputy(p.channel.ID)
	if p.scope == viaDeputy {
		d, members := n.deputy(p.channel.ID, int(p.bits))
		n.wedges.deputed = append(n.wedges.deputed, deputed{p.channel.ID, p.bits, d, members})
	}
}

func (n *planner) forgetDeputy(channel engine.ID) {
	n.wedges.deputed = slices.DeleteFunc(n.wedges.deputed, func(d deputed) bool { return d.channel == channel })
}

// deputeAgain has those wedges that are led from outside led by the contacts that are closest now, and their slots
// divided by how many members there are.
func (n *planner) deputeAgain() {
	for i := range n.wedges.deputed {
		w := &n.wedges.deputed[i]
		d, members := n.deputy(w.channel, int(w.bits))
		switch {
		case d != w.deputy:
			if w.deputy != nil && n.contactOf(w.deputy.peer.ID) == w.deputy {
				n.queueDigest(w.deputy) // that it is the deputy no more
			}
			n.Pass(n.Polled(w.channel), assigned)
		case members != w.members:
			n.Pass(n.Polled(w.channel), moved)
		}
		w.deputy, w.members = d, members
	}
}

// deputedTo returns the sum of the assignments of wedges that a contact hands down in this node's place.
func (n *planner) deputedTo(c *contact) (sum uint64) {
	for _, w := range n.wedges.deputed {
		if w.deputy == c {
			sum += assignmentSum(w.channel, w.bits)
		}
	}
	return sum
}
