package spread

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// link is a link to a neighbour. But for the topics that it shares, its size does not depend on topics or events.
type link struct {
	peer   engine.Peer
	shared []engine.ID // topics that may be sent over it, sorted
	news   news

	intake engine.Bucket // messages that will be handled
	serve  engine.Bucket // bytes of requested events that will be sent

	wanted int // missing events that it has announced
	asked  int // missing events that it is asked for

	broken   int           // promises that the neighbour broke, since it kept one
	brokenAt time.Duration // when it broke one that counts
}

// link returns the link to a neighbour; nil: there is none.
func (s *Spread) link(id engine.ID) *link {
	for _, l := range s.links {
		if l.peer.ID == id {
			return l
		}
	}
	return nil
}

// shares reports whether events of a topic may be sent over the link.
func (l *link) shares(topic engine.ID) bool { return has(l.shared, topic) }

func has(sorted []engine.ID, id engine.ID) bool {
	_, found := slices.BinarySearchFunc(sorted, id, engine.ID.Compare)
	return found
}

// share replaces the topics of a link. What the neighbour had of those that are new, it may have forgotten.
func (s *Spread) share(l *link, shared []engine.ID, why string) {
	before := l.shared
	l.shared = slices.SortedFunc(slices.Values(shared), engine.ID.Compare)
	for _, id := range before {
		if !l.shares(id) {
			s.prune(id, l, why)
		}
	}
	isNew := func(id engine.ID) bool { return l.shares(id) && !has(before, id) }
	for _, e := range s.cache.list {
		if isNew(e.topic.id) {
			e.forget(l)
		}
	}
	if slices.ContainsFunc(l.shared, isNew) {
		s.announceAnew(l)
	}
}

// strike records that a neighbour broke a promise. It announced an event and did not send it, or sent what is no event.
// Several within Config.Answer count as one: a single lost message can carry many.
func (s *Spread) strike(l *link, why string) {
	now := s.env.Now()
	if now-l.brokenAt < s.config.Answer {
		return
	}
	l.brokenAt = now
	if l.broken++; l.broken == s.config.Strikes {
		s.suspect(l, why)
	}
}

// suspects reports whether a neighbour is asked last.
func (s *Spread) suspects(l *link) bool { return l.broken >= s.config.Strikes }

// suspect reports to the router, when the call at hand has returned.
func (s *Spread) suspect(l *link, why string) {
	p := l.peer
	s.env.Trace(Suspected{p, why})
	s.env.After(0, func() { s.onSuspect(p) })
}
