package plan

import "tidings/network/engine"

// parent is a node that sends assignments to this one.
type parent struct {
	peer    engine.Peer // zero: the entry is free
	sum     uint64      // of the assignmentSums of what it has assigned
	count   int
	heard   moment // when it sent an assignment, or confirmed those given
	round   uint8  // counts how often all were asked to be repeated
	doubted bool   // they were, and have not been
}

// byself is the index in parents of this node itself.
const byself = 0

// maxParents is how many nodes this one accepts assignments from: as many as have it in their routing tables, which are about as many as it has in its own.
const maxParents = 1024

// parentOf returns the index of a node that sends assignments, and false if there is none left.
func (s *duties) parentOf(from engine.Peer) (position uint16, ok bool) {
	if p := &s.parents[s.last]; p.peer.ID == from.ID && s.last != byself && !p.peer.IsZero() {
		p.peer, p.heard = from, s.Env.Now()
		return s.last, true
	}
	free := -1
	for i := range s.parents {
		p := &s.parents[i]
		switch {
		case p.peer.ID == from.ID && !p.peer.IsZero():
			p.peer, p.heard = from, s.Env.Now()
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
	s.parents[free] = parent{peer: from, heard: s.Env.Now()}
	return uint16(free), true
}

// knownParent returns a node that has sent assignments that are in force, and its index; nil if it has not.
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
