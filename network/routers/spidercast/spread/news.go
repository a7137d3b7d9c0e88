package spread

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// news is a link's position in the list of kept events. One announcement at a time is under way; it covers the events
// with numbers above announced, up to end.
type news struct {
	announced uint64 // the neighbour knows of all events up to here that it shares
	end       uint64
	full      bool   // there was no room for more
	number    uint32 // of the announcement that is, or was last, under way
	sent      int    // how often; 0: none is under way
	alarm     engine.Alarm
}

// maxBatch bounds the names of one announcement.
const maxBatch = 256

// announceSoon announces to a link's neighbour what is new, when more has been gathered.
func (s *Spread) announceSoon(l *link) {
	if l.news.sent == 0 {
		l.news.alarm.Soon(s.env, s.env.Now()+s.config.Announce, func() { s.announce(l) })
	}
}

// announceAnew announces to a link's neighbour all that is kept and that it does not know of, at once.
func (s *Spread) announceAnew(l *link) {
	l.news.announced, l.news.sent = 0, 0
	l.news.alarm.Set(s.env, s.env.Now(), func() { s.announce(l) })
}

// announce sends a neighbour what is new, or once more what it has not acknowledged.
func (s *Spread) announce(l *link) {
	n := &l.news
	if n.sent == 0 {
		n.number++
		n.end, n.full = s.cache.number, false
	}
	m := s.gather(l)
	if len(m.Topics) == 0 {
		s.announced(l)
		return
	}
	s.env.Send(l.peer, m)
	n.sent++
	if n.sent%s.config.Silent == 0 {
		s.suspect(l, "does not acknowledge")
	}
	n.alarm.Set(s.env, s.env.Now()+backoff(s.config.Resend, n.sent-1), func() { s.announce(l) })
}

// gather returns the announcement under way, empty if the neighbour knows of everything by now. Where not all fits,
// end comes nearer.
func (s *Spread) gather(l *link) *Announce {
	m := &Announce{Number: l.news.number}
	names := 0
	for _, e := range s.cache.between(l.news.announced, l.news.end) {
		if e.knownTo(l) || !l.shares(e.topic.id) || s.isWithdrawn(e) {
			continue
		}
		i := slices.IndexFunc(m.Topics, func(of Announced) bool { return of.Topic == e.topic.id })
		if names == maxBatch || i < 0 && len(m.Topics) == maxTopics {
			l.news.end, l.news.full = e.number-1, true
			break
		}
		if i < 0 {
			i = len(m.Topics)
			m.Topics = append(m.Topics, Announced{Topic: e.topic.id})
		}
		m.Topics[i].Names = append(m.Topics[i].Names, Name{e.digest, e.message.Hops}) // at most Config.Kept
		names++
	}
	return m
}

// onAcknowledge notes what the neighbour knows of, and goes on.
func (s *Spread) onAcknowledge(l *link, m *Acknowledge) {
	n := &l.news
	if n.sent == 0 || m.Number != n.number {
		return // it was repeated, and this answers the first
	}
	for _, e := range s.cache.between(n.announced, n.end) {
		if l.shares(e.topic.id) {
			e.noteKnown(l)
		}
	}
	n.alarm.Stop()
	s.announced(l)
}

// announced ends the announcement under way. What it had no room for follows at once, what is new when more has been
// gathered.
func (s *Spread) announced(l *link) {
	n := &l.news
	n.announced, n.sent = n.end, 0
	switch {
	case n.full:
		s.announce(l)
	case n.announced < s.cache.number:
		s.announceSoon(l)
	}
}

// backoff returns the k-th wait of a row. It begins with first and doubles every other time, up to sixteen times as
// long.
func backoff(first time.Duration, k int) time.Duration { return first << min(k/2, 4) }
