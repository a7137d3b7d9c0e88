package rappel

import (
	"time"

	"tidings/network/engine"
)

// scheduleRejoin sets when a better place is looked for, between half a period and one and a half from now.
func (s *seeking) scheduleRejoin() {
	s.rejoinAt = s.now() + s.config.Rejoin/2 + time.Duration(s.env.Rand().Int64N(int64(s.config.Rejoin)))
	s.wake(s.rejoinAt)
}

// runRejoin looks for a better place higher up when it is time (section 4.3), and returns when that will be.
func (s *seeking) runRejoin(now time.Duration) time.Duration {
	if s.parent.IsZero() || s.leaving > 0 {
		return never
	}
	if now >= s.rejoinAt {
		s.scheduleRejoin()
		if a := s.someAncestor(); !a.IsZero() && s.settled() && s.why == "" {
			s.seek(rejoins, a)
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
