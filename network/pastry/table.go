package pastry

import "tidings/network/engine"

// The routing table as a view of the list. Row r is the nodes that share exactly r digits with self. In each of its
// columns, by the digit that differs, the fastest comes first.

// slotOf returns which stretch of the list is id's slot: the contacts that share with it one digit more than self does.
// id is not self's.
func (k *known) slotOf(id engine.ID) (from, to int) {
	return k.slot(id, k.self.CommonDigits(id, k.digit)+1)
}

// slot returns which stretch of the list shares the first n digits with id.
func (k *known) slot(id engine.ID, n int) (from, to int) {
	i, _ := k.search(id)
	return k.slotAt(i, id, n)
}

// slotAt is slot for an ID that stands, or would stand, at place i.
func (k *known) slotAt(i int, id engine.ID, n int) (from, to int) {
	from, to = i, i
	for from > 0 && k.list[from-1].peer.ID.CommonBits(id) >= n*k.digit {
		from--
	}
	for to < len(k.list) && k.list[to].peer.ID.CommonBits(id) >= n*k.digit {
		to++
	}
	return from, to
}

// best returns the allowed contact (nil allows all) that represents key in its slot. It is the one that shares the most
// bits with key, of equals the fastest.
func (k *known) best(key engine.ID, allow func(*contact) bool) *contact {
	from, to := k.slotOf(key)
	var best *contact
	for i := from; i < to; i++ {
		c := &k.list[i]
		if allow != nil && !allow(c) {
			continue
		}
		if best == nil || better(c, best, key) {
			best = c
		}
	}
	return best
}

func better(a, b *contact, key engine.ID) bool {
	x, y := a.peer.ID.CommonBits(key), b.peer.ID.CommonBits(key)
	return x > y || x == y && faster(*a, *b)
}

// row returns the fastest of each column of row r.
func (k *known) row(r int) []engine.Peer { return k.appendRow(nil, r) }

func (k *known) appendRow(peers []engine.Peer, r int) []engine.Peer {
	if r*k.digit >= engine.Bits {
		return peers
	}
	var best *contact // of the column so far
	from, to := k.slot(k.self, r)
	for i := from; i < to; i++ {
		c := &k.list[i]
		switch {
		case k.self.CommonDigits(c.peer.ID, k.digit) > r: // it is in a later row
		case best == nil:
			best = c
		case best.peer.ID.CommonDigits(c.peer.ID, k.digit) == r: // the next column
			peers = append(peers, best.peer)
			best = c
		case faster(*c, *best):
			best = c
		}
	}
	if best != nil {
		peers = append(peers, best.peer)
	}
	return peers
}

// shared returns the row that this node has in common with another: all that share as many digits with either as those
// two share.
func (k *known) shared(id engine.ID) []engine.Peer { return k.row(k.self.CommonDigits(id, k.digit)) }

// rows returns how many rows may hold a contact.
func (k *known) rows() int {
	deepest := 0
	if k.at > 0 {
		deepest = k.self.CommonDigits(k.list[k.at-1].peer.ID, k.digit) + 1
	}
	if k.at < len(k.list) {
		deepest = max(deepest, k.self.CommonDigits(k.list[k.at].peer.ID, k.digit)+1)
	}
	return deepest
}

// gaps returns those in rows where a column is empty. Rows with all their nodes within the leaf set have no gaps that
// could be filled.
func (k *known) gaps() (peers []engine.Peer) {
	for r := range k.rows() {
		if k.leafSetHolds(r) || len(k.row(r)) == 1<<k.digit-1 {
			continue
		}
		from, to := k.slot(k.self, r)
		for _, c := range k.list[from:to] {
			if k.self.CommonDigits(c.peer.ID, k.digit) == r {
				peers = append(peers, c.peer)
			}
		}
	}
	return peers
}

// leafSetHolds reports whether all nodes that share r digits with self are in the leaf set.
func (k *known) leafSetHolds(r int) bool {
	outside := func(c *contact) bool { return k.self.CommonDigits(c.peer.ID, k.digit) < r }
	return k.small() || outside(k.below(k.half-1)) && outside(k.above(k.half-1))
}
