package live

import (
	"sync"
	"time"

	"tidings/network/engine"
)

// penalties remembers which peers were at fault, and refuses those that were so again and again. The
// loop penalties; libp2p's goroutines ask.
type penalties struct {
	mu     sync.Mutex
	limits Limits
	of     map[engine.ID]*record
	order  []engine.ID // oldest fault first
}

type record struct {
	count   int
	last    time.Time
	refused time.Time // until then
}

func newStrikes(l Limits) *penalties {
	return &penalties{limits: l, of: make(map[engine.ID]*record)}
}

// add counts a fault and returns how many there were and for how long the peer is
// refused now. If the table is full, the one that was not at fault for longest is forgotten.
func (s *penalties) add(id engine.ID) (count int, refused time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	r := s.latest(id)
	if now.Sub(r.last) > s.limits.StrikeFor {
		r.count = 0
	}
	r.count++
	r.last = now
	if over := r.count - s.limits.Strikes; over >= 0 {
		refused = min(s.limits.Refuse<<min(over, 16), s.limits.RefuseMax)
		r.refused = now.Add(refused)
	}
	return r.count, refused
}

// refuse refuses a peer for a while, whatever its faults.
func (s *penalties) refuse(id engine.ID, lasts time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.latest(id)
	if until := time.Now().Add(lasts); until.After(r.refused) {
		r.refused = until
	}
}

// latest returns a peer's record, and puts it last in the order. The caller holds s.mu.
func (s *penalties) latest(id engine.ID) *record {
	r := s.of[id]
	if r == nil {
		r = &record{}
		s.of[id] = r
	} else {
		s.unlist(id)
	}
	s.order = append(s.order, id)
	if len(s.order) > s.limits.StrikeTable {
		delete(s.of, s.order[0])
		s.order = s.order[1:]
	}
	return r
}

// refuses reports whether a peer is refused now.
func (s *penalties) refuses(id engine.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of[id]
	return r != nil && time.Now().Before(r.refused)
}

func (s *penalties) unlist(id engine.ID) {
	for i, other := range s.order {
		if other == id {
			s.order = append(s.order[:i], s.order[i+1:]...)
			return
		}
	}
}
