package archive

import (
	"slices"

	"tidings/network/engine"
)

// view is what a node sees of the ring: those next to it on either side, in the ring's order.
//
// The k nodes closest to a point stand side by side. As the point moves up past the middle between a node and the k-th
// after it, that one replaces the other. So a node is among the closest between two middles. One is between the k-th
// before it and itself, the other between itself and the k-th after it.
type view struct {
	k     int
	nodes []engine.Peer
	self  int
	all   bool // there are no others
}

func newView(self engine.Peer, below, above []engine.Peer, k int) view {
	v := view{k: k, self: len(below)}
	v.nodes = slices.Clone(below)
	slices.Reverse(v.nodes)
	v.nodes = append(v.nodes, self)
	for _, p := range above {
		if slices.ContainsFunc(v.nodes, func(q engine.Peer) bool { return q.ID == p.ID }) {
			v.all = true
			continue
		}
		v.nodes = append(v.nodes, p)
	}
	v.all = v.all || len(v.nodes) == 1
	return v
}

// sameNearby reports whether those up to k places away are the same as in another view.
func (v *view) sameNearby(other view) bool {
	if len(other.nodes) == 0 || v.all != other.all || v.all && len(v.nodes) != len(other.nodes) {
		return false
	}
	for place := -v.k; place <= v.k; place++ {
		p, _ := v.at(place)
		q, _ := other.at(place)
		if p != q {
			return false
		}
	}
	return true
}

// at returns the node so many places above this one.
func (v *view) at(place int) (engine.Peer, bool) {
	i := v.self + place
	if v.all {
		i = (i%len(v.nodes) + len(v.nodes)) % len(v.nodes)
	}
	if i < 0 || i >= len(v.nodes) {
		return engine.Peer{}, false
	}
	return v.nodes[i], true
}

// edge returns where the node at a place replaces the k-th before it.
func (v *view) edge(place int) (engine.ID, bool) {
	low, ok := v.at(place - v.k)
	high, also := v.at(place)
	return middle(low.ID, high.ID), ok && also
}

// owned returns the keys that the node at a place is an owner of. It is not ok if the view does not
// reach far enough.
func (v *view) owned(place int) (a keyRange, ok bool) {
	if v.all && len(v.nodes) <= v.k {
		return keyRange{}, true
	}
	from, ok := v.edge(place)
	to, also := v.edge(place + v.k)
	return keyRange{from, to}, ok && also
}

// shared returns the keys that this node and the one at a place, which lies less than k away, both own.
func (v *view) shared(place int) []keyRange {
	own, ok := v.owned(0)
	if !ok {
		return nil
	}
	if v.all {
		other, _ := v.owned(place)
		return own.and(other)
	}
	if place > 0 {
		own.from, ok = v.edge(place)
	} else {
		own.to, ok = v.edge(place + v.k)
	}
	if !ok {
		return nil
	}
	return []keyRange{own}
}

// coOwners returns the places of the nodes that own keys together with this one.
func (v *view) coOwners() (places []int) {
	for i := range v.nodes {
		place := i - v.self
		if place == 0 || !v.all && (place >= v.k || place <= -v.k) {
			continue
		}
		places = append(places, place)
	}
	return places
}
