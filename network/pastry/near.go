package pastry

import (
	"slices"

	"tidings/network/engine"
)

// near returns the neighbours of id as far as this node knows.
func (k *known) near(id engine.ID, skip []engine.ID) []engine.Peer {
	return k.around(id, k.env.Self(), skip)
}

// around returns the nodes next to id in the list, half a leaf set on either side. Those on its upper side come first,
// each side nearest first. Node self counts as one of the list. A node with this very ID, and those that skip names, do
// not.
func (k *known) around(id engine.ID, self engine.Peer, skip []engine.ID) []engine.Peer {
	all := len(k.list) + 1
	peer := func(i int) engine.Peer { // of the list with self in it
		switch {
		case i < k.at:
			return k.list[i].peer
		case i == k.at:
			return self
		}
		return k.list[i-1].peer
	}
	start, found := k.search(id)
	if id.Compare(k.self) > 0 {
		start++
	}
	up, down := start, start-1
	if found || id == k.self {
		up++
	}
	near := make([]engine.Peer, 0, 2*k.half)
	walk := func(i, step int) {
		for n, left := 0, k.half; n < all && left > 0; n, i = n+1, i+step {
			p := peer((i%all + all) % all)
			if p.ID == id {
				return
			}
			if slices.Contains(skip, p.ID) {
				continue
			}
			left--
			if !slices.Contains(near, p) {
				near = append(near, p)
			}
		}
	}
	walk(up, +1)
	walk(down, -1)
	return near
}

// closest returns the contact closest to key among those allowed that share its first digits with it; nil if self is
// closer than all of them.
func (k *known) closest(key engine.ID, digits int, allow func(*contact) bool) *contact {
	var closest *contact
	consider := func(c *contact) bool {
		if c.peer.ID.CommonBits(key) < digits*k.digit || !allow(c) {
			return false
		}
		if closest == nil && engine.Closer(key, c.peer.ID, k.self) ||
			closest != nil && engine.Closer(key, c.peer.ID, closest.peer.ID) {
			closest = c
		}
		return true
	}
	// On the ring the closest on either side of key are the first ones allowed.
	all := len(k.list)
	start, _ := k.search(key)
	for i := range all {
		if consider(&k.list[(start+i)%all]) {
			break
		}
	}
	for i := range all {
		if consider(&k.list[((start-1-i)%all+all)%all]) {
			break
		}
	}
	return closest
}
