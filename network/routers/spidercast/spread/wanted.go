package spread

import (
	"cmp"
	"slices"
	"time"
)

// want is an event of a joined topic that was announced and has not come. There are at most Config.MaxWanted of each
// link.
type want struct {
	topic  *topic
	digest uint64
	// in the order in which they are asked; at most maxAnnouncers; none: it has come, or was given up
	announcers []*link
	asked      *link         // the one that is to send it; nil: none at the moment
	tries      int           // how often it was asked for
	due        time.Duration // when it is to be asked for, or the answer is late
}

// maxAnnouncers is how many neighbours are remembered for a missing event.
const maxAnnouncers = 8

// grain rounds the times at which events are requested. So those due at about the same time share a message.
const grain = 50 * time.Millisecond

// want records that a neighbour has announced a missing event, and reports whether there was room. now requests it at
// once. It is for two cases: the event should have arrived over the same link before its name, or there is no tree by
// which it could arrive.
func (s *Spread) want(l *link, t *topic, digest uint64, now bool) bool {
	a := t.wanted[digest]
	if a != nil && (slices.Contains(a.announcers, l) || len(a.announcers) == maxAnnouncers) {
		return true
	}
	if l.wanted == s.config.MaxWanted {
		s.env.Trace(LimitHit{"MaxWanted", s.config.MaxWanted})
		return false
	}
	if a == nil {
		a = &want{topic: t, digest: digest, due: s.env.Now() + s.config.Wait}
		t.wanted[digest] = a
		s.wanted = append(s.wanted, a)
	}
	l.wanted++
	if now && a.tries == 0 && !s.suspects(l) {
		a.announcers = slices.Insert(a.announcers, 0, l)
		a.due = s.env.Now()
	} else {
		a.announcers = append(a.announcers, l)
	}
	s.askAt(a.due)
	return true
}

// end removes an event from those that are missing.
func (a *want) end() {
	delete(a.topic.wanted, a.digest)
	a.unask()
	for _, l := range a.announcers {
		l.wanted--
	}
	a.announcers = nil
}

func (a *want) unask() {
	if a.asked != nil {
		a.asked.asked--
		a.asked = nil
	}
}

// giveUp ends the wait for an event that does not come.
func (s *Spread) giveUp(a *want) {
	s.env.Trace(GaveUp{a.topic.id, a.digest})
	a.end()
}

func (s *Spread) askAt(due time.Duration) {
	s.asking.Soon(s.env, (due+grain-1)/grain*grain, s.ask)
}

// graft is a message that is about to be sent.
type graft struct {
	to      *link
	message *Graft
}

// ask requests everything that is due, in the least number of messages that it fits in.
func (s *Spread) ask() {
	now := s.env.Now()
	var grafts []graft
	s.wanted = slices.DeleteFunc(s.wanted, func(a *want) bool {
		if len(a.announcers) > 0 && a.due <= now && s.askNext(a) {
			i := slices.IndexFunc(grafts,
				func(g graft) bool { return g.to == a.asked && g.message.Topic == a.topic.id })
			if i < 0 {
				i = len(grafts)
				grafts = append(grafts, graft{a.asked, &Graft{Topic: a.topic.id}})
			}
			grafts[i].message.Digests = append(grafts[i].message.Digests, a.digest) // at most Config.MaxAsked
		}
		return len(a.announcers) == 0
	})
	for _, g := range grafts {
		s.env.Send(g.to.peer, g.message)
	}
	if len(s.wanted) > 0 {
		s.askAt(slices.MinFunc(s.wanted, func(a, b *want) int { return cmp.Compare(a.due, b.due) }).due)
	}
}

// askNext chooses which is asked for an event, another neighbour when it did not come, and reports whether one is. It
// becomes part of the tree: as that was, it has failed to bring the event.
func (s *Spread) askNext(a *want) bool {
	if l := a.asked; l != nil {
		a.unask()
		s.strike(l, "does not give what it announces")
	}
	if a.tries == s.config.Tries {
		s.giveUp(a)
		return false
	}
	l := s.next(a)
	if l.asked == s.config.MaxAsked {
		a.due = s.env.Now() + grain
		return false
	}
	a.asked = l
	l.asked++
	a.tries++
	a.due = s.env.Now() + backoff(s.config.Answer, (a.tries-1)/len(a.announcers))
	s.env.Trace(Missed{a.topic.id, a.digest, l.peer, a.tries})
	s.graft(a.topic, l, "missed")
	return true
}

// next returns which is to be asked: one after the other, those that are suspected only where there is no other.
func (s *Spread) next(a *want) *link {
	for i := range a.announcers {
		if l := a.announcers[(a.tries+i)%len(a.announcers)]; !s.suspects(l) {
			return l
		}
	}
	return a.announcers[a.tries%len(a.announcers)]
}

// expectNothing ends what was expected of a link that is down.
func (s *Spread) expectNothing(l *link) {
	for _, a := range s.wanted {
		s.expectElsewhere(l, a)
	}
}

// expectElsewhere asks others for an event that a link does not send, at once if it was asked; without others the event
// is given up. a may be nil.
func (s *Spread) expectElsewhere(l *link, a *want) {
	if a == nil {
		return
	}
	i := slices.Index(a.announcers, l)
	if i < 0 {
		return
	}
	if len(a.announcers) == 1 {
		s.giveUp(a)
		return
	}
	if a.asked == l {
		a.unask()
		a.due = s.env.Now()
		s.askAt(a.due)
	}
	a.announcers = slices.Delete(a.announcers, i, i+1)
	l.wanted--
}
