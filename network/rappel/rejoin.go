package rappel

import (
	"time"

	"tidings/network/engine"
)

// scheduleRejoin sets when a better place is looked for: between half a pause and one and a half from now. Pauses double while the
// node stays where it is.
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

// someAncestor draws an ancestor that is not the parent: one p levels up with a probability in proportion to beta to the power of
// -p, so that those high up are not asked by everybody (section 4.3). Zero: there is none.
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
