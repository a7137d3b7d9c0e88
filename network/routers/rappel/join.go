package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Why a node looks for a parent.
const (
	joins    = "joins"
	orphaned = "orphaned"
	rejoins  = "rejoins"
	sent     = "sent"  // by its parent
	uprooted = "moved" // the root, or a coordinate, is another
	circled  = "circle"
	blames   = "blames"
)

// seeking is the search for a parent (section 4.2): which nodes to ask, one after the other. The parent at hand, if
// there is one, stays until another is found.
type seeking struct {
	*tree
	why     string // "": no search is on
	number  uint32
	target  engine.Peer
	until   time.Duration // when the target's answer is overdue; 0: nobody is asked
	hops    int
	via     engine.Peer   // the one that sent this node to the target; zero: none
	plan    []engine.Peer // to ask next
	visited []engine.ID   // by this Join, so that nobody is asked twice
	better  uint32        // see Join
	// the parent that was lost, or another to which the node that is asked next is not to send this one
	dead   engine.ID
	blamed []engine.ID // parents that lied, or do not believe this node; at most maxAvoided-1

	retryAt time.Duration // when a search begins anew; 0: not at all
	backoff time.Duration

	rejoinAt time.Duration // when a better place is looked for
	pause    time.Duration // before the rejoin after that
}

// seek begins a search, in the place of the one that may be on. The root is asked when none of the others admits the
// node in.
func (s *seeking) seek(why string, first ...engine.Peer) {
	if s.top || s.leaving > 0 {
		return
	}
	s.why, s.hops, s.better, s.retryAt, s.until = why, 0, 0, 0, 0
	s.plan = append(s.plan[:0], first...)
	if why != rejoins {
		s.plan = append(s.plan, s.root())
	} else if s.config.Improve {
		s.better = max(micros(s.path()), 1)
	}
	s.visited = s.visited[:0]
	s.askNext()
}

// askNext asks the next of the plan. If there is none, the search is over: for good if there is a parent.
func (s *seeking) askNext() {
	s.via = engine.Peer{}
	if !s.self.locateFirst(s.seams.Coordinates) {
		s.plan = nil // there is nothing to be asked for yet
	}
	for len(s.plan) > 0 {
		to := s.plan[0]
		if s.plan = s.plan[1:]; s.askable(to) {
			s.ask(to)
			return
		}
	}
	s.until, s.target = 0, engine.Peer{}
	if s.inTree() && (s.why == rejoins || s.why == sent) {
		s.why = ""
		return
	}
	s.blamed = nil // nobody else is left
	s.backoff = min(max(2*s.backoff, s.config.JoinRetry), s.config.JoinSlow)
	s.retryAt = s.now() + s.around(s.backoff)
	s.wake(s.retryAt)
}

// askable reports whether a node can be asked that was not asked yet.
func (s *seeking) askable(p engine.Peer) bool {
	return !p.IsZero() && p.ID != s.id() && !slices.Contains(s.visited, p.ID) && !slices.Contains(s.blamed, p.ID)
}

// ask sends a Join.
func (s *seeking) ask(to engine.Peer) {
	s.visited = append(s.visited, to.ID)
	s.number = s.env.Rand().Uint32()
	s.target, s.until = to, s.now()+s.config.JoinTimeout
	s.env.Trace(Asked{s.topic, to, s.why})
	s.env.Send(to, &Join{
		Topic: s.topic, Attempt: s.number, Coordinate: s.self.coordinate, Have: s.feed.Have,
		Better: s.better, Avoid: s.avoided(), Gentle: s.better > 0 && s.pause >= s.config.Rejoin,
	})
	s.wake(s.until)
}

// avoid has a node left out for the rest of the search.
func (s *seeking) avoid(id engine.ID) { s.blamed = remember(s.blamed, id, maxAvoided-1) }

// avoided returns the node that this one does not want to be sent to.
func (s *seeking) avoided() (list []engine.ID) {
	if s.dead != (engine.ID{}) {
		list = append(list, s.dead)
	}
	return append(list, s.blamed...)
}

// isAnswer reports whether an answer is that of the node that was asked.
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
	if s.why != rejoins && s.why != sent {
		s.pause = 0
	}
	*s = seeking{tree: s.tree, blamed: s.blamed, rejoinAt: s.rejoinAt, pause: s.pause}
	if len(m.Place.Chain) == 0 && s.feed.Epoch > 0 && m.Epoch != s.feed.Epoch {
		s.giveRecent() // another root, or one that has forgotten
	}
	s.attach(from, m.Place)
	s.scheduleRejoin()
	if s.feed.Epoch == 0 {
		s.feed.Begin(m.Epoch, min(m.First, m.Last))
	}
	s.feed.noteNumber(from, m.Epoch, m.Last)
}

func (s *seeking) onJoinForward(from engine.Peer, m *JoinForward) {
	if !s.isAnswer(from, m.Attempt) {
		return
	}
	s.friends.met(m.To)
	s.hops++
	s.plan = append(slices.Clone(m.Others), s.plan...)
	here := s.why == rejoins && s.isParent(m.To.ID)
	switch {
	case s.hops > s.config.Forwards:
		s.askNext()
	case slices.Contains(s.visited, m.To.ID) && !slices.Contains(s.blamed, m.To.ID) && s.dead != from.ID:
		s.dead = from.ID // it is sent back: one of the two does not know where the other lies
		s.ask(m.To)
		s.via = from
	case !here && s.askable(m.To):
		s.ask(m.To)
		s.via = from
	default: // it is there already, or has been
		s.askNext()
	}
}

func (s *seeking) onJoinDeny(from engine.Peer, m *JoinDeny) {
	if !s.isAnswer(from, m.Attempt) {
		return
	}
	s.env.Trace(Refusal{s.topic, from, m.Why})
	switch via := s.via; {
	case m.Why == NotMember:
		s.friends.denied(from, s.topic)
	case m.Why == Invalid && !via.IsZero() && s.hops <= s.config.Forwards:
		// The coordinate of this node fits badly to round trips from there, and is not believed: the node that sent it
		// there is to send it elsewhere.
		s.avoid(from.ID)
		s.visited = slices.DeleteFunc(s.visited, func(id engine.ID) bool { return id == via.ID })
		s.plan = append([]engine.Peer{via}, s.plan...)
	}
	s.askNext()
}

// targetFailed notes that a node does not answer. If it was asked, the next one that is asked does not send this node
// there again.
func (s *seeking) targetFailed(id engine.ID) {
	if s.until > 0 && s.target.ID == id {
		s.dead = id
		s.askNext()
	}
}

// runSearch does what is due of a search, and returns when something will be.
func (s *seeking) runSearch(now time.Duration) time.Duration {
	if s.until > 0 && now >= s.until {
		s.targetFailed(s.target.ID)
	}
	if s.retryAt > 0 && now >= s.retryAt {
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

// scheduleRejoin sets when a better place is looked for: between half a pause and one and a half from now. Pauses
// double while the node stays where it is.
func (s *seeking) scheduleRejoin() {
	s.pause = min(max(2*s.pause, s.config.RejoinSoon), s.config.Rejoin)
	s.rejoinAt = s.now() + s.around(s.pause)
	s.wake(s.rejoinAt)
}

// runRejoin looks for a better place higher up when it is time (section 4.3), and returns when that will be.
func (s *seeking) runRejoin(now time.Duration) time.Duration {
	if s.parent.IsZero() || s.leaving > 0 {
		return never
	}
	if now >= s.rejoinAt {
		s.scheduleRejoin()
		if a := s.someAncestor(); !a.IsZero() && !s.session.eager() && s.why == "" {
			plan := []engine.Peer{a}
			if s.config.Improve { // a friend is near, and may be less of a detour
				friends := s.friends.covering(s.topic)
				plan = append(plan, friends[:min(len(friends), 2)]...)
			}
			s.seek(rejoins, plan...)
		}
	}
	return s.rejoinAt
}

// someAncestor draws an ancestor that is not the parent. The probability of one p levels up is in proportion to beta to
// the power of -p. So not all nodes ask those high up (section 4.3). Zero: there is none.
func (t *tree) someAncestor() engine.Peer {
	chain := t.above.Chain
	if len(chain) == 0 {
		return engine.Peer{}
	}
	for i := range len(chain) - 1 {
		// Of all that remain the nearest has a share of nearly (beta-1)/beta.
		if t.env.Rand().IntN(t.config.Children) > 0 {
			return chain[i]
		}
	}
	return chain[len(chain)-1]
}
