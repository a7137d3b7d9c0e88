package forward

import (
	"slices"

	"tidings/network/engine"
)

// introducers is how many are remembered of a peer, the latest.
const introducers = 3

// introduced are the introducers of a peer, the latest first; the zero ID is none.
type introduced [introducers]engine.ID

// introductions remembers which node has named which, and where those are that a node has never met.
type introductions struct {
	of     recent[introduced]  // by peer
	places recent[engine.Peer] // of introducers
	ways   recent[engine.Peer] // by peer: the node that forwarded when its route was forgotten
}

// add notes an introducer. It reports whether that is a new one.
func (i *introductions) add(peer, by engine.ID) bool {
	all, _ := i.of.get(peer)
	at := slices.Index(all[:], by)
	isNew := at < 0
	if isNew {
		at = introducers - 1
	}
	copy(all[1:at+1], all[:at])
	all[0] = by
	i.of.put(peer, all)
	return isNew
}

// recent is what was put last, by ID: half of it at least and twice that at most. When the younger half is full, it
// becomes the older one.
type recent[T any] struct {
	half           int
	younger, older map[engine.ID]T
}

func (r *recent[T]) get(id engine.ID) (T, bool) {
	v, ok := r.younger[id]
	if !ok {
		v, ok = r.older[id]
	}
	return v, ok
}

func (r *recent[T]) put(id engine.ID, v T) {
	if r.younger == nil || len(r.younger) >= r.half {
		r.older, r.younger = r.younger, make(map[engine.ID]T)
	}
	r.younger[id] = v
}

func (r *recent[T]) remove(id engine.ID) {
	delete(r.younger, id)
	delete(r.older, id)
}

// Introducer implements engine.Introducer.
func (n *Node) Introducer(id engine.ID) engine.Peer {
	if n.isLinked(id) {
		return n.Self()
	}
	if r := n.routes[id]; r != nil && r.state == open {
		return r.by
	}
	return engine.Peer{}
}

// Introduce implements engine.Introducer.
func (n *Node) Introduce(peer engine.ID, by engine.Peer) {
	if !n.admits(by.ID) {
		return
	}
	n.introduce(peer, by.ID)
	n.introductions.places.put(by.ID, by)
}

// introduce notes that a node may have a connection with a peer, or know one that has.
func (n *Node) introduce(peer, by engine.ID) {
	if peer == by || peer == n.self || !n.introductions.add(peer, by) {
		return
	}
	if r := n.routes[peer]; r != nil && r.state == closed {
		r.again = 0
	}
}

// introducersOf returns the nodes that may have a connection with a peer, or know one that has, and can be asked: the
// latest first. The one that forwarded to it last comes before them: its connections outlast a route that nobody uses,
// while nodes that have named the peer may have lost it as well.
func (n *Node) introducersOf(id engine.ID) (peers []engine.Peer) {
	all, _ := n.introductions.of.get(id)
	way, had := n.introductions.ways.get(id)
	if had {
		peers = append(peers, way)
	}
	for _, by := range all {
		if had && by == way.ID {
			continue
		}
		if p, ok := n.reached(by); ok {
			peers = append(peers, p)
		} else if p, ok := n.introductions.places.get(by); ok {
			peers = append(peers, p)
		}
	}
	return peers
}

// whoElse returns a node that may have a connection with a peer, other than the one that asks; zero: none.
func (n *Node) whoElse(id, asks engine.ID) engine.Peer {
	if p := n.Introducer(id); !p.IsZero() && p.ID != n.self && p.ID != asks {
		return p
	}
	for _, p := range n.introducersOf(id) {
		if p.ID != asks {
			return p
		}
	}
	return engine.Peer{}
}
