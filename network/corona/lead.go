package corona

import (
	"time"

	"tidings/network/engine"
)

// ownedChanged follows what becomes of a channel that this node owns.
func (n *planner) ownedChanged(o *owned) {
	switch leads := n.Leads(o.channel.ID); {
	case o.primary && o.readers.total > 0:
		if leads || o.informed {
			n.beginToLead(o)
		}
	case leads && (o.primary || o.gone): // nobody subscribes any more
		n.disband(o.channel.ID)
	case leads:
		n.unlead(o)
	}
}

// leads reports whether this node sends the assignments for a channel.
func (n *planner) Leads(channel engine.ID) bool {
	p := n.Polled(channel)
	return p != nil && p.parent == byself
}

// beginToLead has this node send the assignments for a channel, if it does not yet. It goes on at the
// level and the slot that the primary before had, if there was one.
func (n *planner) beginToLead(o *owned) {
	if o.slot == 0 {
		n.planSoon()
		o.slot = n.Env.Now() + n.Chance(n.config.Interval)
	}
	n.Lead(o)
}

// lead has this node, as primary, send the assignments for a channel: it is new here, or its level or
// limits have changed. Where the load of hosts is bounded it waits for a permit.
func (n *planner) Lead(o *owned) {
	o.bits = min(o.bits, alone)
	if n.node.budget.Hosted() {
		n.node.budget.PermitFor(o)
		c := n.node.budget.CertificateOf(o)
		if c == nil {
			return
		}
		n.node.budget.CertifyPolled(o.channel.ID, c)
	}
	bits, limit := uint8(n.node.budget.PollBits(o)), n.node.budget.Heeded(o)
	period := n.Period(limit)
	n.put(polled{
		channel: o.channel, slot: newSlot(n.node.budget.StartOf(o, limit), period, period), parent: byself, bits: bits, scope: n.scopeAt(o.channel.ID, bits),
	}, limit)
}

// unlead ends what lead began, as another node has become primary. This node polls on, as if that
// one had assigned it, and so do those below, until that one's assignments have found their way.
func (n *planner) unlead(o *owned) {
	p := n.Polled(o.channel.ID)
	if p == nil || p.parent != byself {
		return
	}
	if len(o.others) > 0 {
		if position, ok := n.parentOf(o.others[0]); ok {
			n.account(p, -1)
			p.parent, p.round = position, n.wedges.parents[position].round
			n.account(p, 1)
			if p.scope >= alone {
				n.Env.After(handingOver, func() { n.leaveWedge(o.channel.ID) })
			}
			return
		}
	}
	n.Drop(o.channel.ID)
}

// handingOver is how long a node that was primary goes on polling though it is not in the wedge, where nobody is going
// to send it assignments.
const handingOver = 30 * time.Second

// leaveWedge ends the polling of a channel that this node was primary of, is no more, and is in no wedge of.
func (n *planner) leaveWedge(channel engine.ID) {
	if p := n.Polled(channel); p != nil && p.parent != byself && p.scope >= alone {
		n.Drop(channel)
	}
}

// disband ends the polling of a channel that nobody subscribes to any more.
func (n *planner) disband(channel engine.ID) {
	if p := n.Polled(channel); p != nil && p.parent == byself {
		n.stopBelow(p, engine.Bits+1)
		n.Drop(channel)
	}
}

// setLevel has the channel polled at a level. The other owners hear of it, at leisure: they may
// have to go on from there.
func (n *planner) SetLevel(o *owned, bits int) {
	if bits != o.bits {
		o.bits = bits
		n.Restate(o)
	}
	n.Lead(o)
}

// restate has the other owners hear, at leisure, of what the primary has changed.
func (n *planner) Restate(o *owned) {
	o.stamp++
	o.equal, o.tries = 0, 0
	n.node.roster.SyncAt(o, n.Env.Now()+n.Chance(n.config.Maintenance/8+1))
}
