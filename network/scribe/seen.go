package scribe

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// seen are the names of the latest events of a group, so that each is taken once.
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

// nameOf names an event. Who publishes another one cannot make it have the same name.
func nameOf(e *Event, digest uint64) uint64 {
	var b [3 * 8]byte
	binary.LittleEndian.PutUint64(b[:], e.Stream)
	binary.LittleEndian.PutUint64(b[8:], e.Number)
	binary.LittleEndian.PutUint64(b[16:], digest)
	sum := sha256.Sum256(b[:])
	return binary.LittleEndian.Uint64(sum[:])
}
