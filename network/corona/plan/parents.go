package plan

import "tidings/network/engine"

// parent is a node that sends assignments to this one.
type parent struct {
	peer        engine.Peer // zero: the entry is free
	sum         uint64      // of the assignmentSums of what it has assigned
	count       int
	confirmedAt moment // when it last sent an assignment, or a digest
	round       uint8  // counts how often all were asked to be repeated
	doubted     bool   // they were, and have not been
}

// byself is the index in parents of this node itself.
const byself = 0

// maxParents is how many nodes this one accepts assignments from. About as many have it in their routing tables as it
// has in its own.
const maxParents = 1024

// parentOf returns the index of a node that sends assignments, and false if the table is full.
func (s *duties) parentOf(from engine.Peer) (position uint16, ok bool) {
	if p := &s.parents[s.last]; p.peer.ID == from.ID && s.last != byself && !p.peer.IsZero() {
		p.peer, p.confirmedAt = from, s.Env.Now()
		return s.last, true
	}
	free := -1
	for i := range s.parents {
		p := &s.parents[i]
		switch {
		case p.peer.ID == from.ID && !p.peer.IsZero():
			p.peer, p.confirmedAt = from, s.Env.Now()
			s.last = uint16(i)
			return s.last, true
		case p.count == 0 && i != byself:
			free = i
		}
	}
	switch {
	case free >= 0:
	case len(s.parents) == maxParents:
		return 0, s.LimitHit("maxParents", maxParents)
	default:
		free = len(s.parents)
		s.parents = append(s.parents, parent{})
	}
	s.parents[free] = parent{peer: from, confirmedAt: s.Env.Now()}
	return uint16(free), true
}

// knownParent returns a node with assignments in force, and its index; nil if there are none.
func (s *duties) knownParent(id engine.ID) (position uint16, p *parent) {
	for i := range s.parents {
		if p := &s.parents[i]; i != byself && p.count > 0 && p.peer.ID == id {
			return uint16(i), p
		}
	}
	return 0, nil
}

// dropIf drops the channels that are stale.
func (s *duties) dropIf(stale func(*duty) bool) {
	var all []engine.ID
	for i := range s.table.length {
		if d := s.table.at(i); stale(d) {
			all = append(all, d.channel.ID)
		}
	}
	for _, id := range all {
		s.drop(id)
	}
}
