package corona

import (
	"time"

	"tidings/network/engine"
)

// parent is a node that sends assignments to this one.
type parent struct {
	peer    engine.Peer // zero: the entry is free
	sum     uint64      // of the assignmentSums of what it has assigned
	count   int
	heard   time.Duration // when it sent an assignment, or confirmed those given
	round   uint8         // counts how often all were asked to be repeated
	doubted bool          // they were, and have not been
}

// byself is the index in parents of this node itself.
const byself = 0

// maxParents is how many nodes this one accepts assignments from: as many as have it in their routing
// tables, which are about as many as it has in its own.
const maxParents = 1024

// parentOf returns the index of a node that sends assignments, and false if there is none left.
func (n *planner) parentOf(from engine.Peer) (position uint16, ok bool) {
	w := &n.wedges
	if p := &w.parents[w.latest]; p.peer.ID == from.ID && w.latest != byself && !p.peer.IsZero() {
		p.peer, p.heard = from, n.Env.Now()
		return w.latest, true
	}
	free := -1
	for i := range w.parents {
		p := &w.parents[i]
		switch {
		case p.peer.ID == from.ID && !p.peer.IsZero():
			p.peer, p.heard = from, n.Env.Now()
			w.latest = uint16(i)
			return w.latest, true
		case p.count == 0 && i != byself:
			free = i
		}
	}
	switch {
	case free >= 0:
	case len(w.parents) == maxParents:
		n.LimitHit("maxParents", maxParents)
		return 0, false
	default:
		free = len(w.parents)
		w.parents = append(w.parents, parent{})
	}
	w.parents[free] = parent{peer: from, heard: n.Env.Now()}
	return uint16(free), true
}

// knownParent returns a node that has sent assignments that are in force, and its index; nil if it has not.
func (n *planner) knownParent(id engine.ID) (position uint16, p *parent) {
	for i := range n.wedges.parents {
		if p := &n.wedges.parents[i]; i != byself && p.count > 0 && p.peer.ID == id {
			return uint16(i), p
		}
	}
	return 0, nil
}

// dropAllOf drops what a parent has assigned that is stale.
func (n *planner) dropAllOf(position uint16, stale func(*polled) bool) {
	var all []engine.ID
	for i := range n.wedges.polled.length {
		if p := n.wedges.polled.at(i); p.parent == position && stale(p) {
			all = append(all, p.channel.ID)
		}
	}
	for _, id := range all {
		n.Drop(id)
	}
}
