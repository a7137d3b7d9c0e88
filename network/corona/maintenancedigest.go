package corona

import (
	"time"

	"tidings/network/engine"
)

// The assignments in force are summed up, so that children find out which they lack.
const (
	digestAfter = 10 * time.Second // a MaintenanceDigest after assignments: some may have been lost
	digestAgain = time.Minute      // another: that one may have been, or what it brought about
	digestTimes = 3
	pullEvery   = 10 * time.Second // all assignments, to one contact
)

// queueDigestsBelow has digests sent to the contacts below soon, as a channel is no longer polled here.
func (n *planner) queueDigestsBelow(p *polled) {
	for _, c := range n.Beneath(p) {
		if c.digestDue == 0 || c.digestsSent > 0 {
			n.queueDigest(c)
		}
	}
}

// queueDigest has digestTimes digests sent to a contact, as something has changed.
func (n *planner) queueDigest(c *contact) {
	c.digestDue, c.digestsSent = n.Env.Now()+digestAfter, 0
	n.scheduleDigests()
}

func (n *planner) scheduleDigests() {
	if !n.wedges.telling {
		n.wedges.telling = true
		n.Env.After(digestAfter, n.sendDueDigests)
	}
}

// sendDueDigests sends the MaintenanceDigests that are due.
func (n *planner) sendDueDigests() {
	w := &n.wedges
	w.telling = false
	for _, p := range w.dismissed {
		if n.contactOf(p.ID) == nil {
			n.Env.Send(p, &MaintenanceDigest{})
		}
	}
	w.dismissed = nil
	for _, c := range n.aggregation.contacts {
		switch {
		case c.digestDue == 0:
		case c.digestDue > n.Env.Now():
			n.scheduleDigests()
		default:
			told := c.digestsSent + 1
			n.sendDigest(c, false)
			if told < digestTimes {
				c.digestsSent, c.digestDue = told, n.Env.Now()+digestAgain
				n.scheduleDigests()
			}
		}
	}
}

// sendDigest sends a MaintenanceDigest.
func (n *planner) sendDigest(c *contact, repeated bool) {
	if !repeated { // what was repeated may be lost as well
		c.digestDue, c.digestsSent = 0, 0
	}
	n.Env.Send(c.peer, &MaintenanceDigest{Sum: n.sumFor(c), Repeated: repeated})
}

// sumFor returns the sum of all assignments that concern a contact.
func (n *planner) sumFor(c *contact) (sum uint64) {
	for _, s := range n.wedges.below[:c.bits+1] {
		sum += s
	}
	return sum + n.deputedTo(c)
}

func (n *planner) takeMaintenanceDigest(from engine.Peer, m *MaintenanceDigest) {
	position, p := n.knownParent(from.ID)
	if p == nil {
		if m.Sum != 0 && !m.Repeated {
			n.Env.Send(from, &MaintenancePull{})
		}
		return
	}
	p.heard = n.Env.Now()
	switch {
	case p.sum == m.Sum:
		p.doubted = false
	case m.Repeated:
		n.dropUnrepeated(position, m.Sum)
	default:
		p.round, p.doubted = p.round+1, true
		n.Env.Send(from, &MaintenancePull{})
	}
}

// dropUnrepeated drops what a node assigned once and did not repeat, if all that it should have
// repeated came.
func (n *planner) dropUnrepeated(position uint16, sum uint64) {
	p := &n.wedges.parents[position]
	if !p.doubted {
		return
	}
	old := func(q *polled) bool { return q.round != p.round }
	for i := range n.wedges.polled.length {
		if q := n.wedges.polled.at(i); q.parent == position && !old(q) {
			sum -= assignmentSum(q.channel.ID, q.bits)
		}
	}
	if sum != 0 {
		return
	}
	p.doubted = false
	n.dropAllOf(position, old)
}

// answerMaintenancePull sends all assignments again.
func (n *planner) answerMaintenancePull(from engine.Peer) {
	c := n.contactOf(from.ID)
	if c == nil {
		n.Env.Send(from, &MaintenanceDigest{Repeated: true})
		return
	}
	now := n.Env.Now()
	if c.repeated != 0 && now < c.repeated+pullEvery {
		return
	}
	c.repeated = now
	var out bundles
	n.addAll(&out, c, moved)
	out.send(n)
	n.sendDigest(c, true)
}

// confirmAssignments confirms to all contacts the assignments in force, and drops what nobody has confirmed here.
func (n *planner) confirmAssignments() {
	n.node.budget.DropUncertified()
	n.flush() // what is new is in the sums
	for _, c := range n.aggregation.contacts {
		n.sendDigest(c, false)
	}
	last := n.Env.Now() - time.Duration(n.config.AssignmentsLast)*n.config.Maintenance
	for i := range n.wedges.parents {
		if p := &n.wedges.parents[i]; i != byself && p.count > 0 && p.heard < last {
			n.dropAllOf(uint16(i), func(*polled) bool { return true })
		}
	}
}
