package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Why a node looks for a parent.
const (
	fresh_   = "joins"
	orphaned = "orphaned"
	rejoins  = "rejoins"
	sent     = "sent"  // by its parent
	uprooted = "moved" // the root, or a coordinate, is another
	circled  = "circle"
	blames   = "blames"
)

// seeking is the search for a parent (section 4.2): whom to ask, one after the other. The parent at hand, if there is one, stays
// until another is found.
type seeking struct {
	*tree
	why     string // "": no search is on
	number  uint32
	target  engine.Peer
	until   time.Duration // when the target's answer is overdue; 0: nobody is asked
	hops    int
	via     engine.Peer   // who sent this node to the target; zero: nobody
	plan    []engine.Peer // to ask next
	visited []engine.ID   // by this Join, so that nobody is asked twice
	better  uint32        // see Join
	dead    engine.ID     // the parent that was lost
	blamed  []engine.ID   // parents that lied, or do not believe this node; at most maxAvoided-1

	pause   time.Duration // before the next rejoin
	retryAt time.Duration // when a search begins anew; 0: not at all
	backoff time.Duration
}

// seek begins a search, in the place of the one that may be on. The root is asked when none of the others takes the node
// in.
func (s *seeking) seek(why string, first ...engine.Peer) {
	if s.top || s.leaving > 0 {
		return
	}
	s.why, s.hops, s.better, s.retryAt, s.until = why, 0, 0, 0, 0
	s.plan = append(s.plan[:0], first...)
	if why == rejoins && s.config.Improve {
		s.better = max(micros(s.path()), 1)
	}
	if root := s.root(); why != rejoins && !root.IsZero() {
		s.plan = append(s.plan, root)
	}
	s.visited = s.visited[:0]
	s.askNext()
}

// askNext asks the next of the plan. If there is none, the search is over: for good if there is a parent.
func (s *seeking) askNext() {
	s.via = engine.Peer{}
	for len(s.plan) > 0 {
		to := s.plan[0]
		s.plan = s.plan[1:]
		if !to.IsZero() && to.ID != s.id() && !slices.Contains(s.visited, to.ID) && !slices.Contains(s.blamed, to.ID) && s.ask(to) {
			return
		}
	}
	again := !s.inTree() || s.why != rejoins && s.why != sent
	s.until, s.target, s.hops = 0, engine.Peer{}, 0
	if !again {
		s.why = ""
		return
	}
	s.blamed = nil // nobody else is left
	s.backoff = min(max(2*s.backoff, s.config.JoinRetry), s.config.JoinSlow)
	s.retryAt = s.now() + s.around(s.backoff)
	s.wake(s.retryAt)
}

// ask sends a Join. It reports whether it did.
func (s *seeking) ask(to engine.Peer) bool {
	if !s.self.locateFirst(s.seams.Coordinates) {
		return false
	}
	s.visited = append(s.visited, to.ID)
	s.number = s.env.Rand().Uint32()
	s.target, s.until = to, s.now()+s.config.JoinTimeout
	m := &Join{Topic: s.topic, Attempt: s.number, Coordinate: s.self.coordinate, Have: s.feed.Have, Better: s.better, Avoid: s.avoided(), Gentle: s.better > 0 && s.pause >= s.config.Rejoin}
	s.env.Trace(Asked{s.topic, to, s.why})
	s.env.Send(to, m)
	s.wake(s.until)
	return true
}

// avoid has a node left out for the rest of the search.
func (s *seeking) avoid(id engine.ID) {
	if len(s.blamed) == maxAvoided-1 {
		s.blamed = slices.Delete(s.blamed, 0, 1)
	}
	s.blamed = append(s.blamed, id)
}

// isAnswer reports whether an answer is that of who was asked.
func (s *seeking) isAnswer(from engine.Peer, attempt uint32) bool {
	return s.until > 0 && s.number == attempt && s.target.ID == from.ID
}

func (s *seeking) onJoinOK(from engine.Peer, m *JoinOK) {
	if !s.isAnswer(from, m.Attempt) {
		if !s.isParent(from.ID) && (s.until == 0 || from.ID != s.target.ID) {
			s.env.Send(from, &Leave{Topic: s.topic})
		}
		return
	}
	if wrong := s.fits(from, m.Place); wrong != "" {
		s.env.Trace(Refused{s.topic, from, wrong})
		s.env.Send(from, &Leave{Topic: s.topic})
		s.askNext()
		return
	}
	why := s.why
	s.why, s.until, s.retryAt, s.backoff, s.plan, s.dead = "", 0, 0, 0, nil, engine.ID{}
	if len(m.Place.Chain) == 0 && s.feed.Epoch > 0 && m.Epoch != s.feed.Epoch {
		s.giveRecent() // another root, or one that has forgotten
	}
	s.attach(from, m.Place)
	if why != rejoins && why != sent {
		s.pause = 0
	}
	s.scheduleRejoin()
	if s.feed.Epoch == 0 {
		s.feed.begin(m.Epoch, min(m.First, m.Last))
	}
	s.feed.heardOf(from, m.Epoch, m.Last)
}

func (s *seeking) onJoinForward(from engine.Peer, m *JoinForward) {
	if !s.isAnswer(from, m.Attempt) {
		return
	}
	s.friends.met(m.To)
	s.hops++
	s.via = from
	s.plan = append(slices.Clone(m.Others), s.plan...)
	if slices.Contains(s.visited, m.To.ID) && m.To.ID != s.id() && s.dead != from.ID && s.hops <= s.config.Forwards {
		s.dead = from.ID // it is sent back: one of the two does not know where the other lies
		if s.ask(m.To) {
			return
		}
	}
	if s.isParent(m.To.ID) && s.why == rejoins || // it is where it was
		s.hops > s.config.Forwards || m.To.IsZero() || m.To.ID == s.id() || slices.Contains(s.visited, m.To.ID) || slices.Contains(s.blamed, m.To.ID) || !s.ask(m.To) {
		s.askNext()
	}
}

func (s *seeking) onJoinDeny(from engine.Peer, m *JoinDeny) {
	if !s.isAnswer(from, m.Attempt) {
		return
	}
	s.env.Trace(Refusal{s.topic, from, m.Why})
	switch {
	case m.Why == NotMember:
		s.friends.denied(from, s.topic)
	case m.Why == Invalid && !s.via.IsZero() && s.hops <= s.config.Forwards:
		// The coordinate of this node fits badly to round trips from there, and is not believed: who sent it there is to send it elsewhere.
		s.avoid(from.ID)
		via := s.via
		s.visited = slices.DeleteFunc(s.visited, func(id engine.ID) bool { return id == via.ID })
		s.plan = append([]engine.Peer{via}, s.plan...)
	}
	s.askNext()
}

// targetFailed takes note that who was asked does not answer.
func (s *seeking) targetFailed(id engine.ID) {
	if s.until > 0 && s.target.ID == id {
		s.until, s.dead = 0, id // whoever is asked next does not send this node there again
		s.askNext()
	}
}

// enter begins the search of a new member: friends that are in the tree first, then the root (section 5.1).
func (s *seeking) enter() { s.seek(fresh_, s.friends.covering(s.topic)...) }

// avoided returns whom the node does not want to be sent to.
func (s *seeking) avoided() (list []engine.ID) {
	if s.dead != (engine.ID{}) {
		list = append(list, s.dead)
	}
	return append(list, s.blamed...)
}

// runSearch does what is due of a search, and returns when something will be.
func (s *seeking) runSearch(now time.Duration) time.Duration {
	if s.until > 0 && now >= s.until {
		s.targetFailed(s.target.ID)
	}
	if s.retryAt > 0 && now >= s.retryAt {
		s.retryAt = 0
		s.seek(s.why, s.friends.covering(s.topic)...)
	}
	switch {
	case s.until > 0:
		return s.until
	case s.retryAt > 0:
		return s.retryAt
	}
	return never
}
