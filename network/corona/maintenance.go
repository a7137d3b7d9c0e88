package corona

import (
	"time"

	"tidings/network/engine"
)

func (n *planner) takeMaintenance(from engine.Peer, m *Maintenance) {
	n.node.budget.CheckCertificates(m, func(certificates []*certificate) { n.follow(from, m, certificates) })
}

func (n *planner) follow(from engine.Peer, m *Maintenance, certificates []*certificate) {
	var unknown []engine.ID
	for i := range m.Assignments {
		if !n.takeAssignment(from, &m.Assignments[i], certificates[i]) {
			unknown = append(unknown, m.Assignments[i].Channel)
		}
	}
	if len(unknown) > 0 {
		n.Env.Send(from, &Unknown{Channels: unknown})
	}
}

// takeAssignment returns false if the assignment is of a channel whose URL is missing, or its certificate.
func (n *planner) takeAssignment(from engine.Peer, o *Assignment, c *certificate) bool {
	old := n.Polled(o.Channel)
	if o.Stop {
		if old != nil && n.wedges.parents[old.parent].peer.ID == from.ID {
			n.stopBelow(old, engine.Bits+1)
			n.Drop(o.Channel)
		}
		return true
	}
	self := n.Env.Self().ID
	switch {
	case self.CommonBits(o.Channel) < int(o.Bits):
		return true // it is not for this node
	case old != nil && old.parent == byself:
		return true // this node is the one to send assignments
	case old == nil && o.URL == "":
		return false
	case o.URL != "" && !(Channel{ID: o.Channel, URL: o.URL}).Genuine():
		return true
	case n.node.budget.Hosted() && !n.node.budget.MayAssign(from, o):
		n.Env.Trace(Uncertified{o.Channel, from.ID})
		return true
	case old == nil && n.wedges.polled.length >= n.config.MaxPolled:
		n.LimitHit("MaxPolled", n.config.MaxPolled)
		return true
	}
	permit, ok := n.node.budget.CertificateFor(o, c)
	if !ok {
		n.Env.Trace(Uncertified{o.Channel, from.ID})
		return o.URL != ""
	}
	position, ok := n.parentOf(from)
	if !ok {
		return true
	}
	p, l := n.polledBy(position, o), n.limitsOf(o)
	p.scope = n.scopeFrom(from.ID, o)
	if old != nil {
		p.channel = old.channel
		if o.Random || l.interval == n.wedges.limits[o.Channel].interval && n.aboutSame(old, &p, n.Period(l)) {
			p.slot = old.slot
		}
	}
	n.node.budget.CertifyPolled(o.Channel, permit)
	n.put(p, l)
	if o.Version > 0 {
		n.node.version.MaybeBehind(from, o.Channel, o.Version)
	}
	return true
}

// polledBy returns what an assignment comes to, but for its scope.
func (n *planner) polledBy(position uint16, o *Assignment) polled {
	period := n.Period(n.limitsOf(o))
	start, width := n.Env.Now()+milliseconds(o.Start), milliseconds(o.Width)
	if o.Random {
		start, width = n.Chance(period), 0
	}
	return polled{
		channel: Channel{ID: o.Channel, URL: o.URL}, slot: newSlot(start, width, period),
		parent: position, round: n.wedges.parents[position].round, bits: o.Bits,
	}
}

// limitsOf returns the limits that an assignment tells of.
func (n *planner) limitsOf(o *Assignment) limits {
	l := limits{interval: time.Duration(o.Interval) * time.Second}
	if o.Wait > 0 {
		l.notBefore = n.Env.Now() + time.Duration(o.Wait)*time.Second
	}
	return l
}

// scopeFrom returns the scope of an assignment: who gives it answers for all that share one digit less
// with this node. One that is outside the wedge hands it over as a whole.
func (n *planner) scopeFrom(from engine.ID, o *Assignment) uint8 {
	if from.CommonBits(o.Channel) < int(o.Bits) {
		return o.Bits
	}
	return uint8(min(engine.Bits, (n.Env.Self().ID.CommonBits(from)/n.config.Digit+1)*n.config.Digit))
}
