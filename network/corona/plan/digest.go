package plan

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

// queueDigest has digestTimes digests sent to a contact, as something has changed.
func (s *duties) queueDigest(c *contact) {
	c.digestDue, c.digestsSent = s.Env.Now()+digestAfter, 0
	s.scheduleDigests()
}

func (s *duties) scheduleDigests() {
	if !s.telling {
		s.telling = true
		s.Env.After(digestAfter, s.sendDueDigests)
	}
}

// sendDueDigests sends the digests that are due.
func (s *duties) sendDueDigests() {
	s.telling = false
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
			s.sendDigest(c, false)
			if sent < digestTimes {
				c.digestsSent, c.digestDue = sent, s.Env.Now()+digestAgain
				s.scheduleDigests()
			}
		}
	}
}

func (s *duties) sendDigest(c *contact, repeated bool) {
	if !repeated { // what was repeated may be lost as well
		c.digestDue, c.digestsSent = 0, 0
	}
	s.Env.Send(c.peer, &MaintenanceDigest{Sum: c.sums, Repeated: repeated})
}

func (s *duties) takeDigest(from engine.Peer, m *MaintenanceDigest) {
	position, p := s.knownParent(from.ID)
	if p == nil {
		if m.Sum != 0 && !m.Repeated {
			s.Env.Send(from, &MaintenancePull{})
		}
		return
	}
	p.heard = s.Env.Now()
	switch {
	case p.sum == m.Sum:
		p.doubted = false
	case m.Repeated:
		s.dropUnrepeated(position, m.Sum)
	default:
		p.round, p.doubted = p.round+1, true
		s.Env.Send(from, &MaintenancePull{})
	}
}

// dropUnrepeated drops what a node assigned once and did not repeat, if all that it should have repeated came.
func (s *duties) dropUnrepeated(position uint16, sum uint64) {
	p := &s.parents[position]
	if !p.doubted {
		return
	}
	for i := range s.table.length {
		if d := s.table.at(i); d.parent == position && d.round == p.round {
			sum -= assignmentSum(d.channel.ID, d.size)
		}
	}
	if sum != 0 {
		return
	}
	p.doubted = false
	s.dropIf(func(d *duty) bool { return d.parent == position && d.round != p.round })
}

// answerPull sends all assignments again.
func (s *duties) answerPull(from engine.Peer) {
	c := s.view.contact(from.ID)
	if c == nil {
		s.Env.Send(from, &MaintenanceDigest{Repeated: true})
		return
	}
	now := s.Env.Now()
	if c.repeated != 0 && now < c.repeated+pullEvery {
		return
	}
	c.repeated = now
	var out bundles
	s.addAll(&out, c, moved)
	out.send(s)
	s.sendDigest(c, true)
}

// confirm confirms to all contacts the assignments in force, and drops what may not be polled any longer, and what nobody has confirmed here.
func (s *duties) confirm() {
	s.dropIf(func(d *duty) bool { return !s.host.MayPoll(d.channel.ID) })
	s.flush() // what is new is in the sums
	for _, c := range s.view.contacts {
		s.sendDigest(c, false)
	}
	last := s.Env.Now() - time.Duration(s.config.AssignmentsLast)*s.config.Maintenance
	for i := range s.parents {
		if p := &s.parents[i]; i != byself && p.count > 0 && p.heard < last {
			s.dropIf(func(d *duty) bool { return int(d.parent) == i })
		}
	}
}
