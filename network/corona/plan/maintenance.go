package plan

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

func (s *duties) takeMaintenance(from engine.Peer, m *Maintenance) {
	s.host.Check(m.Assignments, func(verdict func(int) Verdict) {
		var unknown []engine.ID
		for i := range m.Assignments {
			if !s.take(from, &m.Assignments[i], func() Verdict { return verdict(i) }) {
				unknown = append(unknown, m.Assignments[i].Channel)
			}
		}
		if len(unknown) > 0 {
			s.Env.Send(from, &Unknown{Channels: unknown})
		}
	})
}

// Uncertified says that this node was told to poll a channel without proof that its host's owners let it.
type Uncertified struct {
	Channel engine.ID
	From    engine.ID
}

// take takes an assignment. It returns false if it is of a channel whose URL is missing, or its certificate.
func (s *duties) take(from engine.Peer, a *Assignment, verdict func() Verdict) bool {
	old, channel := s.find(a.Channel), machine.Channel{ID: a.Channel, URL: a.URL}
	if a.Stop {
		if old != nil && s.parents[old.parent].peer.ID == from.ID {
			s.stopBelow(old, nil)
			s.drop(a.Channel)
		}
		return true
	}
	self := s.Env.Self().ID
	// Who gives it answers for all that share a digit less with this node.
	scope := uint8(min(engine.Bits, (self.CommonBits(from.ID)/s.config.Digit+1)*s.config.Digit))
	arc := machine.ArcOf(a.Channel, a.Size)
	switch {
	case !a.Size.Valid() || arc.Overlap(self, int(scope)) == 0:
		return true // it is for nobody here
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
		if by := &s.parents[old.parent]; by.peer.ID != from.ID && s.Env.Now() < by.heard+s.config.Maintenance*3/2 {
			return true // it is out of date
		}
	}
	allowed := verdict()
	if allowed < Allowed {
		s.Env.Trace(Uncertified{a.Channel, from.ID})
		return allowed == Refused || a.URL != "" // its sender has no certificate either: it has said all that it could
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
	s.tell(a.Channel, a.Version)
	placed := s.put(d, l, a.asked())
	if allowed == Renewed {
		s.pass(placed, certified)
	}
	if a.Version > 0 && d.polls() {
		s.host.Heard(from, a.Channel, a.Version)
	}
	return true
}

// Joins says that Host.MayJoin may return something else for a channel.
func (p *Plan) Joins(channel engine.ID) { p.duties.join(channel) }

// join has this node poll a channel, or no longer, as its host allows.
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
		s.host.Heard(s.parents[d.parent].peer, channel, version)
	}
}

// dutyBy returns what an assignment comes to.
func (s *duties) dutyBy(position uint16, a *Assignment) duty {
	period := s.period(s.limitsOf(a))
	start, width := s.Env.Now()+milliseconds(a.Start), milliseconds(a.Width)
	if a.Random {
		start, width = s.Chance(period), 0
	}
	return duty{slot: newSlot(start, width, period), parent: position, round: s.parents[position].round, size: a.Size, term: a.Term}
}
