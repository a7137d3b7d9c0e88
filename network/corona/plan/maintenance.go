package plan

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

func (s *duties) receiveMaintenance(from engine.Peer, m *Maintenance) {
	var unknown []engine.ID
	for i := range m.Assignments {
		if !s.acceptAssignment(from, &m.Assignments[i]) {
			unknown = append(unknown, m.Assignments[i].Channel)
		}
	}
	if len(unknown) > 0 {
		s.Env.Send(from, &Unknown{Channels: unknown})
	}
}

// pending is an assignment that waits for a proof of the channel's readers.
type pending struct {
	from engine.Peer
	Assignment
	at moment // when it arrived
}

// maxPending is how many assignments wait at a time. Others are refused: their senders' digests repeat them.
const maxPending = 1 << 15

// Unproved reports that this node was assigned a channel without proof that it has so many readers.
type Unproved struct {
	Channel engine.ID
	From    engine.ID
}

// acceptAssignment follows a valid assignment, or keeps it until the channel's readers are proved. It returns false if
// the channel's URL is missing.
func (s *duties) acceptAssignment(from engine.Peer, a *Assignment) bool {
	old, channel := s.find(a.Channel), machine.Channel{ID: a.Channel, URL: a.URL}
	if a.Stop {
		s.acceptStop(from, a.Channel)
		return true
	}
	self := s.Env.Self().ID
	arc := machine.ArcOf(a.Channel, a.Size)
	switch {
	case !a.Size.Valid() || arc.Overlap(self, int(scopeOf(self, from.ID, s.config.Digit))) == 0:
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
	if old != nil {
		channel = old.channel
		if by := &s.parents[old.parent]; a.Term < old.term && by.peer.ID != from.ID &&
			s.Env.Now() < by.confirmedAt+s.config.Maintenance*3/2 {
			return true // it is outdated
		}
	}
	if s.host.Proved(channel, a.Size) {
		delete(s.pending, a.Channel)
		s.follow(from, channel, a)
		return true
	}
	_, waits := s.pending[a.Channel]
	switch {
	case !s.host.Asking(a.Channel):
		s.refuse(from, a.Channel)
	case !waits && len(s.pending) >= maxPending:
		s.LimitHit("maxPending", maxPending)
		s.refuse(from, a.Channel)
	default:
		s.pending[a.Channel] = pending{from, *a, s.Env.Now()}
	}
	return true
}

// scopeOf returns how many first bits all nodes share that a sender of assignments answers for through a node: a digit
// more than it shares with that node.
func scopeOf(node, from engine.ID, digit int) uint8 {
	return uint8(min(engine.Bits, (node.CommonBits(from)/digit+1)*digit))
}

// acceptStop ends what a node has assigned.
func (s *duties) acceptStop(from engine.Peer, channel engine.ID) {
	if w, waits := s.pending[channel]; waits && w.from.ID == from.ID {
		delete(s.pending, channel)
		if s.find(channel) == nil {
			s.host.Ended(channel)
		}
	}
	if old := s.find(channel); old != nil && s.parents[old.parent].peer.ID == from.ID {
		s.stopBelow(old, nil)
		s.drop(channel)
	}
}

// refuse drops an assignment without proof.
func (s *duties) refuse(from engine.Peer, channel engine.ID) {
	s.Env.Trace(Unproved{channel, from.ID})
	delete(s.pending, channel)
	if s.find(channel) == nil {
		s.host.Ended(channel)
	}
}

// follow follows an assignment.
func (s *duties) follow(from engine.Peer, channel machine.Channel, a *Assignment) {
	position, ok := s.parentOf(from)
	if !ok {
		return
	}
	old := s.find(a.Channel)
	d, l := s.dutyBy(position, a), s.limitsOf(a)
	d.channel, d.scope = channel, scopeOf(s.Env.Self().ID, from.ID, s.config.Digit)
	d.member = machine.ArcOf(a.Channel, a.Size).Contains(s.Env.Self().ID)
	if old != nil && l.Interval == s.limits[a.Channel].Interval && s.aboutSame(old, &d, s.period(l)) {
		d.slot = old.slot
	}
	d.waits = d.member && !s.host.MayJoin(d.channel, a.Size)
	s.learnVersion(a.Channel, a.Version)
	s.put(d, l, a.asked())
	if a.Version > 0 && d.polls() {
		s.host.Learned(from, a.Channel, a.Version)
	}
}

// proved follows or refuses an assignment that has waited for a proof.
func (s *duties) proved(channel engine.ID) {
	w, waits := s.pending[channel]
	if !waits || s.host.Asking(channel) {
		return
	}
	late := uint32((s.Env.Now() - w.at) / time.Millisecond)
	period := max(1, uint32(s.period(s.limitsOf(&w.Assignment))/time.Millisecond))
	w.Start = (w.Start%period + period - late%period) % period
	if s.acceptAssignment(w.from, &w.Assignment); s.find(channel) == nil {
		s.refuse(w.from, channel)
	}
}

// Joins reports that Host.Proved or Host.MayJoin may return something else for a channel.
func (p *Plan) Joins(channel engine.ID) {
	p.duties.proved(channel)
	p.duties.join(channel)
}

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
	start, width := s.Env.Now()+machine.Milliseconds(a.Start), machine.Milliseconds(a.Width)
	return duty{slot: newSlot(start, width, period), parent: position, round: s.parents[position].round, size: a.Size,
		term: a.Term}
}
