package scribe

import (
	"slices"
	"time"
)

// seen are the names of the latest events of a group, so that each is delivered once. The name of an event
// is its digest, whichever node says that it is its own: one that is published again by another goes no
// further.
type seen struct {
	names []uint64        // a ring
	came  []time.Duration // when, of each
	next  int
}

// maxSeen is how many events a name is kept for: more than are on their way at any time, and more
// than anybody keeps to send again.
const maxSeen = 256

// add notes an event, and reports whether it is the first time.
func (s *seen) add(name uint64, now time.Duration) bool {
	if s.has(name) {
		return false
	}
	if len(s.names) < maxSeen {
		s.names, s.came = append(s.names, name), append(s.came, now)
		return true
	}
	s.names[s.next], s.came[s.next] = name, now
	s.next = (s.next + 1) % maxSeen
	return true
}

func (s *seen) has(name uint64) bool { return slices.Contains(s.names, name) }

// since returns the names of the latest events that came at a time or later, maxHave at most.
func (s *seen) since(from time.Duration) (names []uint64) {
	for i := range min(len(s.names), maxHave) {
		at := (s.next - 1 - i + 2*len(s.names)) % len(s.names)
		if s.came[at] < from {
			break
		}
		names = append(names, s.names[at])
	}
	return names
}
