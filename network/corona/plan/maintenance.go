package plan

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

func (s *duties) receiveMaintenance(from engine.Peer, m *Maintenance) {
	s.host.Check(m.Assignments, func(verdict func(int) Verdict) {
		var unknown []engine.ID
		for i := range m.Assignments {
			if !s.acceptAssignment(from, &m.Assignments[i], func() Verdict { return verdict(i) }) {
				unknown = append(unknown, m.Assignments[i].Channel)
			}
		}
		if len(unknown) > 0 {
			s.Env.Send(from, &Unknown{Channels: unknown})
		}
	})
}

// Uncertified reports that this node was assigned a channel without proof that its host's owners permit it.
type Uncertified struct {
	Channel engine.ID
	From    engine.ID
}

// acceptAssignment follows a valid assignment. It returns false if the channel's URL is missing, or its certificate.
func (s *duties) acceptAssignment(from engine.Peer, a *Assignment, verdict func() Verdict) bool {
	old, channel := s.find(a.Channel), machine.Channel{ID: a.Channel, URL: a.URL}
	if a.Stop {
		if old != nil && s.parents[old.parent].peer.ID == from.ID {
			s.stopBelow(old, nil)
			s.drop(a.Channel)
		}
		return true
	}
	self := s.Env.Self().ID
	// The sender answers for all that share a digit less with this node.
	scope := uint8(min(engine.Bits, (self.CommonBits(from.ID)/s.config.Digit+1)*s.config.Digit))
	arc := machine.ArcOf(a.Channel, a.Size)
	switch {
	case !a.Size.Valid() || arc.Overlap(self, int(scope)) == 0:
		return true // it is for no node here
	case old != nil && old.parent == byself:
		return true // this node is the one to send assignments
	case old == nil && a.URL == "":
		return false
	case a.URL != "" && !channel.Genuine():
		return true
	case old == nil && s.table.length >= s.config.MaxPolled:
		return !s.LimitHit("MaxPolled", s.config.MaxPolled)
	}
	if old != nil && a.Term < old.term {
		if by := &s.parents[old.parent]; by.peer.ID != from.ID &&
			s.Env.Now() < by.confirmedAt+s.config.Maintenance*3/2 {
			return true // it is outdated
		}
	}
	allowed := verdict()
	if allowed < Allowed {
		s.Env.Trace(Uncertified{a.Channel, from.ID})
		return allowed == Refused || a.URL != "" // its sender has no certificate either: it has sent all that it could
	}
	position, ok := s.parentOf(from)
	if !ok {
		return true
	}
	d, l := s.dutyBy(position, a), s.limitsOf(a)
	d.channel, d.scope, d.member = channel, scope, arc.Contains(self)
	if old != nil {
		d.channel = old.channel
		if a.Random || l.Interval == s.limits[a.Channel].Interval && s.aboutSame(old, &d, s.period(l)) {
			d.slot = old.slot
		}
	}
	d.waits = d.member && !s.host.MayJoin(d.channel, a.Size)
	s.learnVersion(a.Channel, a.Version)
	placed := s.put(d, l, a.asked())
	if allowed == Renewed {
		s.pass(placed, certified)
	}
	if a.Version > 0 && d.polls() {
		s.host.Learned(from, a.Channel, a.Version)
	}
	return true
}

// Joins reports that Host.MayJoin may return something else for a channel.
func (p *Plan) Joins(channel engine.ID) { p.duties.join(channel) }

// join begins to poll a channel, or ends it, as its host allows.
func (s *duties) join(channel engine.ID) {
	d := s.find(channel)
	if d == nil || d.parent == byself || !d.member {
		return
	}
	waits := !s.host.MayJoin(d.channel, d.size)
	if waits == d.waits {
		return
	}
	d.waits = waits
	if waits {
		s.poller.Stop(channel)
		return
	}
	s.poll(d)
	if version := s.latest(channel); version > 0 {
		s.host.Learned(s.parents[d.parent].peer, channel, version)
	}
}

// dutyBy returns the duty of an assignment.
func (s *duties) dutyBy(position uint16, a *Assignment) duty {
	period := s.period(s.limitsOf(a))
	start, width := s.Env.Now()+milliseconds(a.Start), milliseconds(a.Width)
	if a.Random {
		start, width = s.Chance(period), 0
	}
	return duty{slot: newSlot(start, width, period), parent: position, round: s.parents[position].round, size: a.Size,
		term: a.Term}
}
