package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// session is the joining of trees at the beginning (section 5). It goes by way of friends that have joined the topic,
// and otherwise at the roots. The roots are joined one after the other as long as there are no friends, so that these
// can be found meanwhile.
type session struct {
	*core
	queue  []engine.ID // topics with trees to be joined
	probed bool        // friends of the session before were asked
	found  bool        // one of them is a friend again: this is no virgin session
	until  time.Duration
	next   time.Duration // when the next is joined at its root
	joins  int           // how many were
}

// add inserts a topic at a random place in the queue.
func (s *session) add(topic engine.ID) {
	at := s.env.Rand().IntN(len(s.queue) + 1)
	s.queue = slices.Insert(s.queue, at, topic)
}

// attached notes that a topic's tree was joined: the nodes that were met are examined now, if there are others to be
// joined.
func (s *session) attached(topic engine.ID) {
	if s.remove(topic); s.eager() {
		s.wake(s.now())
	}
}

func (s *session) remove(topic engine.ID) {
	s.queue = slices.DeleteFunc(s.queue, func(t engine.ID) bool { return t == topic })
}

// run joins what can be joined, by enter, and returns when something will be due.
func (s *session) run(now time.Duration, enter func(topic engine.ID)) time.Duration {
	f := s.friends
	if !s.probed {
		s.probed = true
		if f.recall() {
			s.until = now + s.config.JoinTimeout
		}
	}
	if s.joins == 0 && len(f.list) > 0 {
		s.found = true
	}
	for _, topic := range slices.Clone(s.queue) {
		if len(f.covering(topic)) > 0 {
			s.remove(topic)
			enter(topic)
		}
	}
	if now < s.until && !f.recalled() {
		return s.until
	}
	for len(s.queue) > 0 && (now >= s.next || !s.staggers()) {
		topic := s.queue[0]
		s.queue = s.queue[1:]
		s.joins++
		s.next = now + s.config.Stagger
		enter(topic)
	}
	if len(s.queue) > 0 {
		return s.next
	}
	if s.joins > 0 || s.found {
		s.joins = s.config.StaggeredJoins // what is joined later is joined at once (section 5.1)
	}
	return never
}

// staggers reports whether joins at roots are kept apart: in a virgin session, up to a number of them.
func (s *session) staggers() bool {
	return !s.found && s.joins > 0 && s.joins < s.config.StaggeredJoins
}

// eager reports whether trees are still to be joined: friends are looked for without pause then (section 5.2).
func (s *session) eager() bool { return len(s.queue) > 0 }
