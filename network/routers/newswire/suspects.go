package newswire

import (
	"time"

	"tidings/network/engine"
)

// suspects are representatives that let a parcel wait: they have crashed, it may be, and their zones have not noticed.
// As long as there are others the next items go to those.
type suspects struct{ until map[engine.ID]time.Duration }

const (
	// suspectedFor is how long a representative is suspected, unless it sends something: longer than its zone needs to
	// name another.
	suspectedFor = 30 * time.Second
	// maxSuspects is how many are remembered. Beyond that all are forgotten.
	maxSuspects = 256
)

// add notes that a representative has given no sign.
func (s *suspects) add(id engine.ID, now time.Duration) {
	if s.until == nil || len(s.until) >= maxSuspects {
		s.until = make(map[engine.ID]time.Duration)
	}
	s.until[id] = now + suspectedFor
}

// clear notes that a peer lives.
func (s *suspects) clear(id engine.ID) { delete(s.until, id) }

// has reports whether a representative is suspected.
func (s *suspects) has(id engine.ID, now time.Duration) bool { return now < s.until[id] }
