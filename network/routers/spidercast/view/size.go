package view

import (
	"time"

	"tidings/network/engine"
)

// size estimates how many nodes there are. It counts how many of the entries that others draw from their views are in
// this one: among N nodes an entry is known with a chance of len/N (capture and recapture).
type size struct{ drawn, known int }

// window is how many draws count, at most: more recent ones more.
const window = 512

func (s *size) saw(known bool) {
	if s.drawn++; known {
		s.known++
	}
	if s.drawn >= window {
		s.drawn, s.known = s.drawn/2, s.known/2
	}
}

// estimate returns how many nodes there are besides this one, as a view of a length sees it.
func (s *size) estimate(length int) int { return length * (s.drawn + 1) / (s.known + 1) }

// meters keep when peers shuffled last.
type meters struct{ last map[engine.ID]time.Duration }

// allow reports whether a peer's last shuffle is at least pause ago, and notes this one then. When that many peers are
// known, all are forgotten: one that comes too often gains a shuffle by it.
func (m *meters) allow(id engine.ID, now, pause time.Duration, most int) bool {
	if last, known := m.last[id]; known && now < last+pause {
		return false
	}
	if len(m.last) >= most {
		clear(m.last)
	}
	m.last[id] = now
	return true
}
