package pastry

import "tidings/network/engine"

// name is what a routed message is known by.
type name struct {
	origin engine.ID
	number uint64
}

func nameOf(m *Routed) name { return name{m.Origin.ID, m.Number} }

// mark is what a node has done with a message.
type mark struct {
	try   uint8 // the latest that was accepted
	ended bool  // it was delivered here, or went no further by an application's word
}

// seen remembers the latest messages: at least half, and at most twice half. When the younger part is full, it becomes
// the older one.
type seen struct {
	half           int
	younger, older map[name]mark
}

func (s *seen) get(n name) (mark, bool) {
	m, ok := s.younger[n]
	if !ok {
		m, ok = s.older[n]
	}
	return m, ok
}

func (s *seen) put(n name, m mark) {
	if s.younger == nil || len(s.younger) >= s.half {
		s.older, s.younger = s.younger, make(map[name]mark)
	}
	s.younger[n] = m
}
