package scribe

import "slices"

// seen are the names of the latest events of a group, so that each is taken once. The name of an event
// is its digest, whoever says that it is theirs: one that is published again by somebody else goes no
// further.
type seen struct {
	names []uint64 // a ring
	next  int
}

// maxSeen is how many events a name is kept for: more than are on their way at any time, and more
// than anybody keeps to send again.
const maxSeen = 256

// add notes an event, and tells whether it is the first time.
func (s *seen) add(name uint64) bool {
	if s.has(name) {
		return false
	}
	if len(s.names) < maxSeen {
		s.names = append(s.names, name)
		return true
	}
	s.names[s.next] = name
	s.next = (s.next + 1) % maxSeen
	return true
}

func (s *seen) has(name uint64) bool { return slices.Contains(s.names, name) }

// latest returns the names of the latest events, in no order.
func (s *seen) latest() []uint64 {
	if len(s.names) <= maxHave {
		return slices.Clone(s.names)
	}
	names := make([]uint64, 0, maxHave)
	for i := range maxHave {
		names = append(names, s.names[(s.next-1-i+2*len(s.names))%len(s.names)])
	}
	return names
}
