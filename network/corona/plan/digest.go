package plan

import (
	"math"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// The assignments in force are summed up, so that receivers find out which they lack.
const (
	digestAfter = 10 * time.Second // a MaintenanceDigest after assignments: some may have been lost
	digestAgain = time.Minute      // another: the first may have been lost, or its consequences
	digestTimes = 3
	pullEvery   = 10 * time.Second // between repetitions to one contact
)

// parts is into how many parts the assignments to a contact are divided, by channel: whole parts are repeated.
const parts = 32

func partOf(d *duty) int { return int(d.channel.ID[engine.Bits/8-1]) % parts }

// queueDigest schedules digestTimes digests to a contact, after a change.
func (s *duties) queueDigest(c *contact) {
	c.digestDue, c.digestsSent = s.Env.Now()+digestAfter, 0
	s.scheduleDigests()
}

func (s *duties) scheduleDigests() {
	if !s.digesting {
		s.digesting = true
		s.Env.After(digestAfter, s.sendDueDigests)
	}
}

// sendDueDigests sends the digests that are due.
func (s *duties) sendDueDigests() {
	s.digesting = false
	for _, p := range s.dismissed {
		if s.view.contact(p.ID) == nil {
			s.Env.Send(p, &MaintenanceDigest{})
		}
	}
	s.dismissed = nil
	for _, c := range s.view.contacts {
		switch {
		case c.digestDue == 0:
		case c.digestDue > s.Env.Now():
			s.scheduleDigests()
		default:
			sent := c.digestsSent + 1
			s.sendDigest(c, 0)
			if sent < digestTimes {
				c.digestsSent, c.digestDue = sent, s.Env.Now()+digestAgain
				s.scheduleDigests()
			}
		}
	}
}

func (s *duties) sendDigest(c *contact, repeated uint32) {
	if repeated == 0 { // repetitions may be lost as well
		c.digestDue, c.digestsSent = 0, 0
	}
	s.Env.Send(c.peer, &MaintenanceDigest{Sum: c.sums, Repeated: repeated})
}

func (s *duties) receiveDigest(from engine.Peer, m *MaintenanceDigest) {
	position, p := s.knownParent(from.ID)
	if p == nil {
		if m.Sum != 0 && m.Repeated == 0 {
			s.Env.Send(from, &MaintenancePull{})
		}
		return
	}
	p.confirmedAt = s.Env.Now()
	switch {
	case p.sum == m.Sum:
		p.doubted = false
	case m.Repeated != 0:
		s.dropUnrepeated(position, m)
	default:
		p.round, p.doubted = p.round+1, true
		s.Env.Send(from, &MaintenancePull{s.sumsBy(position)})
	}
}

// sumsBy sums up what a node has assigned, by part.
func (s *duties) sumsBy(position uint16) []uint64 {
	sums := make([]uint64, parts)
	for i := range s.table.length {
		if d := s.table.at(i); d.parent == position {
			sums[partOf(d)] += assignmentSum(d.channel.ID, d.size)
		}
	}
	return sums
}

// dropUnrepeated drops a node's old assignments that it did not repeat, if all repetitions came.
func (s *duties) dropUnrepeated(position uint16, m *MaintenanceDigest) {
	p := &s.parents[position]
	if !p.doubted {
		return
	}
	unrepeated := func(d *duty) bool {
		return d.parent == position && d.round != p.round &&
			m.Repeated>>partOf(d)&1 == 1
	}
	sum := p.sum
	for i := range s.table.length {
		if d := s.table.at(i); unrepeated(d) {
			sum -= assignmentSum(d.channel.ID, d.size)
		}
	}
	if sum != m.Sum {
		return
	}
	p.doubted = false
	s.dropIf(unrepeated)
}

// answerPull repeats the assignments of the parts that differ.
func (s *duties) answerPull(from engine.Peer, m *MaintenancePull) {
	c := s.view.contact(from.ID)
	if c == nil {
		if c := s.view.inSlot(from.ID); c != nil && c.former.ID == from.ID {
			return // it continues until it is dismissed
		}
		s.Env.Send(from, &MaintenanceDigest{Repeated: math.MaxUint32})
		return
	}
	now := s.Env.Now()
	if c.repeated != 0 && now < c.repeated+pullEvery {
		return
	}
	c.repeated = now
	sums := make([]uint64, parts)
	s.each(c, func(d *duty, _ machine.Arc) { sums[partOf(d)] += assignmentSum(d.channel.ID, d.size) })
	differ := uint32(0)
	for i, sum := range sums {
		if i >= len(m.Sums) || sum != m.Sums[i] {
			differ |= 1 << i
		}
	}
	var out bundles
	s.each(c, func(d *duty, _ machine.Arc) {
		if differ>>partOf(d)&1 == 1 {
			s.addOne(&out, c, d, moved)
		}
	})
	out.sendRest(s) // with more digests, refused assignments would be requested, and repeated, again and again
	s.sendDigest(c, differ)
}

// confirm confirms to all contacts the assignments in force. It drops those that were not confirmed here.
func (s *duties) confirm() {
	s.flush() // the sums include the news
	for _, c := range s.view.contacts {
		if c.sums != 0 || c.digestDue != 0 { // else nothing is in force, and the contact knows
			s.sendDigest(c, 0)
		}
	}
	last := s.Env.Now() - time.Duration(s.config.AssignmentsLast)*s.config.Maintenance
	for i := range s.parents {
		if p := &s.parents[i]; i != byself && p.count > 0 && p.confirmedAt < last {
			s.dropIf(func(d *duty) bool { return int(d.parent) == i })
		}
	}
}
