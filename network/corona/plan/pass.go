package plan

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Assignments go down. New ones go out within passWithin, many in one message. Unchanged ones are not repeated: a
// MaintenanceDigest sums them up.
const (
	passWithin     = 100 * time.Millisecond
	maxLeft        = 64  // dismissed contacts that are to be notified
	maxAssignments = 256 // in a message
)

// pass sends a channel's news to the contacts below.
func (s *duties) pass(d *duty, what news) {
	if d.news == 0 {
		s.changed = append(s.changed, d.channel.ID)
	}
	d.news |= what
	s.flushSoon()
}

func (s *duties) flushSoon() {
	if !s.flushing {
		s.flushing = true
		s.Env.After(passWithin, s.flush)
	}
}

// stopBelow stops the contacts below that are no longer below the channel as it is now, or all, if now is nil.
func (s *duties) stopBelow(d, now *duty) {
	still := func(c *contact) bool {
		return now != nil && int(now.scope) <= s.Env.Self().ID.CommonBits(c.peer.ID) &&
			machine.ArcOf(now.channel.ID, now.size).Overlap(c.peer.ID, c.bits) > 0
	}
	s.below(d, func(c *contact, _ machine.Arc) {
		if !still(c) {
			s.stops = append(s.stops, stop{c, d.channel.ID})
			s.flushSoon()
		}
	})
}

// greet sends a contact all assignments that concern it.
func (s *duties) greet(c *contact) {
	c.greeted, c.sums = false, 0
	s.each(c, func(d *duty, _ machine.Arc) { c.sums += assignmentSum(d.channel.ID, d.size) })
	s.flushSoon()
}

// dismiss notifies a node that it no longer has assignments from this one.
func (s *duties) dismiss(p engine.Peer) {
	if len(s.dismissed) == maxLeft {
		s.dismissed = s.dismissed[1:]
	}
	s.dismissed = append(s.dismissed, p)
	s.scheduleDigests()
}

// flush sends the news.
func (s *duties) flush() {
	s.flushing = false
	if s.redivide {
		s.redivide = false
		s.divideAgain()
	}
	var out bundles
	for _, stop := range s.stops {
		out.add(s, stop.to, Assignment{Channel: stop.channel, Stop: true})
	}
	s.stops = nil
	for _, id := range s.changed {
		if d := s.find(id); d != nil && d.news != 0 {
			s.passOn(&out, d)
		}
	}
	s.changed = nil
	for _, c := range s.view.contacts {
		if !c.greeted {
			c.greeted = true
			s.addAll(&out, c, assigned)
		}
	}
	out.send(s)
}

func (s *duties) passOn(out *bundles, d *duty) {
	with := d.news
	d.news = 0
	_, shares := s.shares(d, s.view.scratch[:0])
	for _, part := range shares {
		if part.contact.greeted {
			out.add(s, part.contact, s.assignment(d, part, with))
		}
	}
	s.view.scratch = shares
}

// addAll adds all assignments that concern a contact.
func (s *duties) addAll(out *bundles, c *contact, with news) {
	s.each(c, func(d *duty, _ machine.Arc) { s.addOne(out, c, d, with) })
}

func (s *duties) addOne(out *bundles, c *contact, d *duty, with news) {
	_, shares := s.shares(d, s.view.scratch[:0])
	for _, part := range shares {
		if part.contact == c {
			out.add(s, c, s.assignment(d, part, with))
		}
	}
	s.view.scratch = shares
}

// assignment returns the assignment for a share's contact.
func (s *duties) assignment(d *duty, part share, with news) Assignment {
	now, l := s.Env.Now(), s.limits[d.channel.ID]
	a := Assignment{Channel: d.channel.ID, Size: d.size, Term: d.term, Version: s.latest(d.channel.ID)}
	if with&assigned != 0 {
		a.URL = d.channel.URL
	}
	from := d.start.time() + time.Duration(part.from*float64(d.width.time()))
	a.Start = uint32((nextTime(from, s.period(l), now) - now) / time.Millisecond)
	a.Width = uint32((part.to - part.from) * float64(d.width))
	if asked, ok := s.asked[d.channel.ID]; ok {
		a.Asked = []Asked{asked}
	}
	if wait := l.NotBefore - now; wait > 0 {
		a.Wait = uint32((wait + time.Second - 1) / time.Second)
	}
	return a
}

// bundles gathers assignments by contact, those for the first one first. A full message is sent at once.
type bundles struct {
	to          []*contact
	assignments [][]Assignment // fewer than maxAssignments each
}

func (b *bundles) add(s *duties, c *contact, a Assignment) {
	i := c.bundle
	if i >= len(b.to) || b.to[i] != c {
		i = len(b.to)
		c.bundle = i
		b.to = append(b.to, c)
		b.assignments = append(b.assignments, nil)
	}
	if b.assignments[i] = append(b.assignments[i], a); len(b.assignments[i]) == maxAssignments {
		s.Env.Send(c.peer, &Maintenance{Assignments: b.assignments[i]})
		b.assignments[i] = nil
	}
}

// send sends the rest, and schedules digests.
func (b *bundles) send(s *duties) {
	b.sendRest(s)
	for _, c := range b.to {
		s.queueDigest(c)
	}
}

func (b *bundles) sendRest(s *duties) {
	for i, c := range b.to {
		if len(b.assignments[i]) > 0 {
			s.Env.Send(c.peer, &Maintenance{Assignments: b.assignments[i]})
		}
	}
}

// explain sends assignments with their URLs.
func (s *duties) explain(from engine.Peer, m *Unknown) {
	c := s.view.contact(from.ID)
	if c == nil {
		return
	}
	var out bundles
	for _, id := range m.Channels {
		if d := s.find(id); d != nil && int(d.scope) <= s.Env.Self().ID.CommonBits(c.peer.ID) {
			s.addOne(&out, c, d, assigned)
		}
	}
	// with a digest, refused assignments would be requested again; the next regular one shows what was lost
	out.sendRest(s)
}
