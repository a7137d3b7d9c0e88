package sim

import (
	"time"

	"tidings/network/engine"
)

// what is the type of an event. The values are part of the trace hash.
type what uint8

const (
	callWorld what = iota // the experiment's own
	timer                 // a timer of a node, or work that is done
	arrive                // a message is at the node
	down                  // a peer of the node did not answer
	serve                 // a pipe of the node is done with a message
	wake                  // a pause of the node is over
	tick                  // somebody looks on: no part of the run
)

// forever is later than everything that happens.
const forever = 1<<62 - 1

// later returns at+d, at most forever.
func later(at, d time.Duration) time.Duration {
	if d > forever-at {
		return forever
	}
	return at + d
}

// entry is an event to come: 16 bytes without pointers. Its other data lies in the slab of its type, at slot: 48 bytes
// for a message, 40 for a timer.
type entry struct {
	at   int64
	ref  uint32 // what in the high byte's upper half, slot below
	node Node   // at which it happens; -1: at none
}

const slotBits = 28

func (e entry) what() what          { return what(e.ref >> slotBits) }
func (e entry) slot() uint32        { return e.ref & (1<<slotBits - 1) }
func refOf(w what, s uint32) uint32 { return uint32(w)<<slotBits | s }

// delivery is a message under way.
type delivery struct {
	message     engine.Message
	from, to    Node
	size        int32  // bytes, encoded
	kind        uint16 // dense number
	class       engine.Class
	place       int32  // where it goes to
	incarnation uint32 // of the sender
	next        uint32 // the one behind it in a backlog; see there
	order       uint32 // in that backlog
}

// errand is something that happens rarely: a call by the experiment, or an outage to report.
type errand struct {
	call   func()
	outage *outage
}

// slab holds values of one type at small numbers. Values never move.
type slab[T any] struct {
	chunks []*[slabChunk]T
	unused []uint32
	length uint32 // slots ever used
}

const slabChunk = 256

func (s *slab[T]) at(slot uint32) *T { return &s.chunks[slot/slabChunk][slot%slabChunk] }

// alloc returns an unused slot. It panics where an event could not name it.
func (s *slab[T]) alloc() (uint32, *T) {
	if n := len(s.unused); n > 0 {
		slot := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return slot, s.at(slot)
	}
	slot := s.length
	if slot == 1<<slotBits {
		panic("sim: more than 2^28 events of one type at a time")
	}
	if slot%slabChunk == 0 {
		s.chunks = append(s.chunks, new([slabChunk]T))
	}
	s.length++
	return slot, s.at(slot)
}

// release gives a slot back.
func (s *slab[T]) release(slot uint32) { s.unused = append(s.unused, slot) }

// inUse returns how many slots are.
func (s *slab[T]) inUse() int { return int(s.length) - len(s.unused) }
