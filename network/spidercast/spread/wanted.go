package spread

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// key tells events of all topics apart.
type key struct {
	topic  *topic
	digest uint64
}

// want is an event that was announced and has not come.
type want struct {
	key
	announcers []*link       // in the order in which they are asked; at most maxAnnouncers; none: it has come, or was given up
	asked      *link         // who is to send it; nil: nobody at the moment
	tries      int           // how often it was asked for
	due        time.Duration // when it is to be asked for, or the answer is late
}

// maxAnnouncers is how many neighbours are remembered for a missing event.
const maxAnnouncers = 8

// wanted is all events that are missing, of topics that are joined: at most Config.MaxWanted of each link.
type wanted struct {
	of    map[key]*want
	list  []*want // in the order in which they were announced; those that are over are swept out now and then
	alarm engine.Alarm
}

// grain rounds the times at which events are asked for, so that those due at about the same time share a message.
const grain = 50 * time.Millisecond

// want records that a neighbour has announced an event that is missing, and reports whether there was room. now asks for it at
// once: it should have arrived over the same link before its name, or there is no tree that it could arrive over.
func (s *Spread) want(l *link, k key, now bool) bool {
	a := s.wanted.of[k]
	if a != nil && (slices.Contains(a.announcers, l) || len(a.announcers) == maxAnnouncers) {
		return true
	}
	if l.wanted == s.config.MaxWanted {
		s.env.Trace(LimitHit{"MaxWanted", s.config.MaxWanted})
		return false
	}
	if a == nil {
		a = &want{key: k, due: s.env.Now() + s.config.Wait}
		s.wanted.of[k] = a
		s.wanted.list = append(s.wanted.list, a)
	}
	l.wanted++
	if now && a.tries == 0 && !l.suspected {
		a.announcers = slices.Insert(a.announcers, 0, l)
		a.due = s.env.Now()
	} else {
		a.announcers = append(a.announcers, l)
	}
	s.askAt(a.due)
	return true
}

func (s *Spread) askAt(due time.Duration) {
	s.wanted.alarm.Soon(s.env, (due+grain-1)/grain*grain, s.ask)
}

// end removes an event from those that are missing.
func (w *wanted) end(a *want) {
	delete(w.of, a.key)
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
	s.wanted.end(a)
}

// ask asks for everything that is due.
func (s *Spread) ask() {
	now := s.env.Now()
	var grafts []graft
	s.wanted.list = slices.DeleteFunc(s.wanted.list, func(a *want) bool {
		if len(a.announcers) > 0 && a.due <= now {
			grafts = s.askNext(a, grafts)
		}
		return len(a.announcers) == 0
	})
	for _, g := range grafts {
		s.env.Send(g.to.peer, g.message)
	}
	if len(s.wanted.list) > 0 {
		s.askAt(slices.MinFunc(s.wanted.list, func(a, b *want) int { return int(a.due - b.due) }).due)
	}
}

// askNext asks for an event, or asks another neighbour when it did not come. Who is asked becomes part of the tree: as it was
// the tree has failed to bring the event.
func (s *Spread) askNext(a *want, grafts []graft) []graft {
	if l := a.asked; l != nil {
		a.unask()
		s.strike(l, "does not give what it announces")
	}
	if a.tries == s.config.Tries {
		s.giveUp(a)
		return grafts
	}
	l := a.next()
	if l.asked == s.config.MaxAsked {
		a.due = s.env.Now() + grain
		return grafts
	}
	a.asked = l
	l.asked++
	a.tries++
	a.due = s.env.Now() + backoff(s.config.Answer, (a.tries-1)/len(a.announcers))
	s.env.Trace(Missed{a.topic.id, a.digest, l.peer, a.tries})
	s.graft(a.topic, l, "missed")
	return with(grafts, l, a.key)
}

// next returns who is to be asked: one after the other, those that are suspected only where there is nobody else.
func (a *want) next() *link {
	for i := range a.announcers {
		if l := a.announcers[(a.tries+i)%len(a.announcers)]; !l.suspected {
			return l
		}
	}
	return a.announcers[a.tries%len(a.announcers)]
}

// expectNothing ends what was expected of a link that is down.
func (s *Spread) expectNothing(l *link) {
	for _, a := range s.wanted.list {
		i := slices.Index(a.announcers, l)
		switch {
		case i < 0:
			continue
		case len(a.announcers) == 1:
			s.giveUp(a)
			continue
		case a.asked == l:
			a.asked, a.due = nil, s.env.Now()
			s.askAt(a.due)
		}
		a.announcers = slices.Delete(a.announcers, i, i+1)
	}
}

// drop ends the wait for the events of a topic.
func (w *wanted) drop(t *topic) {
	for _, a := range w.list {
		if a.topic == t && len(a.announcers) > 0 {
			w.end(a)
		}
	}
}

// graft is a message that is about to be sent.
type graft struct {
	to      *link
	message *Graft
}

// with adds an event to the messages that ask for events at one moment, which are as few as they fit in.
func with(grafts []graft, l *link, k key) []graft {
	i := slices.IndexFunc(grafts, func(g graft) bool {
		return g.to == l && g.message.Topic == k.topic.id && len(g.message.Digests) < maxNames
	})
	if i < 0 {
		i = len(grafts)
		grafts = append(grafts, graft{l, &Graft{Topic: k.topic.id}})
	}
	grafts[i].message.Digests = append(grafts[i].message.Digests, k.digest)
	return grafts
}
