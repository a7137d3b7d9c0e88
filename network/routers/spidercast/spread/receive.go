package spread

import (
	"slices"

	"tidings/network"
	"tidings/network/engine"
)

// onEvent receives an event that came over a link.
func (s *Spread) onEvent(l *link, m *Event) {
	t := s.joined(m.Topic)
	if t == nil {
		s.env.Trace(Refused{m.Topic, l.peer, "not joined"})
		s.env.Send(l.peer, &Prune{Topic: m.Topic})
		return
	}
	digest, bytes, ok := s.member.Admit(m.Topic, m.Event, l.peer)
	switch {
	case !ok && digest != 0: // it was kept there since it was new
		s.env.Trace(Refused{m.Topic, l.peer, "too old"})
		t.pass(digest, l, s.config.Remembered)
		return
	case !ok:
		s.env.Trace(Refused{m.Topic, l.peer, "not admitted"})
		if digest, doubted := network.Doubted(s.member, m.Topic, m.Event); doubted {
			s.expectElsewhere(l, t.wanted[digest])
			return
		}
		s.strike(l, "sends what is not admitted")
		return
	}
	if t.seen.has(digest) {
		s.onRepeated(l, t, digest)
		return
	}
	e := &entry{
		topic: t, digest: digest, bytes: bytes, from: l,
		message: &Event{Topic: t.id, Event: m.Event, Hops: min(m.Hops, 254) + 1},
	}
	e.noteKnown(l)
	asked := false
	if a := t.wanted[digest]; a != nil {
		asked = a.tries > 0
		for _, announcer := range a.announcers {
			e.noteKnown(announcer)
		}
		a.end()
		l.broken = 0
	}
	s.env.Trace(Came{t.id, digest, l.peer, m.Hops, asked})
	t.grown = t.grown || asked // the sender is in the tree, and the others announce what they have
	s.accept(e, l.peer)
	s.graft(t, l, "gave an event")
}

// pass has an event that a neighbour has sent, and that is too old, not be asked for again.
func (t *topic) pass(digest uint64, l *link, remembered int) {
	t.seen.add(digest, remembered)
	if a := t.wanted[digest]; a != nil {
		a.end()
		l.broken = 0
	}
}

// onRepeated prunes a link over which an event arrives that arrived over another before: there is a cycle. An event
// that arrives over the same link again was asked for twice, or duplicated on its way.
func (s *Spread) onRepeated(l *link, t *topic, digest uint64) {
	s.env.Trace(Repeated{t.id, digest, l.peer})
	e := t.find(digest)
	if e != nil {
		e.noteKnown(l)
		if e.from == l || !t.decides(e) {
			return
		}
	}
	s.prune(t.id, l, "repeated")
	s.env.Send(l.peer, &Prune{Topic: t.id})
}

// accept delivers an event that is new, sends it on, and has it announced.
func (s *Spread) accept(e *entry, from engine.Peer) {
	t := e.topic
	e.at = s.env.Now()
	t.seen.add(e.digest, s.config.Remembered)
	t.moved++
	s.cache.add(e)
	for _, l := range s.eager(e) {
		s.env.Send(l.peer, e.message)
		s.graft(t, l, "no tree yet")
	}
	t.grown = t.joined
	for _, l := range s.links {
		if l.shares(t.id) && !e.knownTo(l) {
			s.announceSoon(l)
		}
	}
	if t.joined {
		s.env.Trace(Delivered{t.id, e.digest, e.message.Event})
		s.member.Deliver(t.id, e.message.Event, from)
	}
}

// onAnnounce records what a neighbour has, and what is missing here. An announcement for which there is no room is not
// acknowledged, so that it is sent again.
func (s *Spread) onAnnounce(l *link, m *Announce) {
	for _, of := range m.Topics {
		t := s.topics[of.Topic]
		if t == nil {
			continue
		}
		for _, n := range of.Names {
			if e := t.find(n.Digest); e != nil {
				e.noteKnown(l)
				s.maybeMove(e, l, n.Hops)
				continue
			}
			lacking := t.joined && !t.seen.has(n.Digest)
			if lacking && !s.want(l, t, n.Digest, slices.Contains(t.tree, l) || len(t.tree) == 0) {
				return
			}
		}
	}
	s.env.Send(l.peer, &Acknowledge{Number: m.Number})
}

// onGraft makes the link part of the tree, and sends those of the requested events that are still kept.
func (s *Spread) onGraft(l *link, m *Graft) {
	t := s.topics[m.Topic]
	if t == nil || !l.shares(m.Topic) {
		return
	}
	s.graft(t, l, "asked")
	for _, digest := range m.Digests {
		e := t.find(digest)
		if e == nil || s.isWithdrawn(e) {
			continue
		}
		if !l.serve.Take(e.bytes+overhead, s.env.Now()) {
			s.env.Trace(LimitHit{"Serve", s.config.Serve})
			return
		}
		s.env.Send(l.peer, e.message)
	}
}

// isWithdrawn reports whether an event was withdrawn since it came: it is announced and sent no more.
func (s *Spread) isWithdrawn(e *entry) bool {
	return network.IsWithdrawn(s.member, e.topic.id, e.message.Event)
}

// overhead is what sending an event costs in bytes, besides its length.
const overhead = 100
