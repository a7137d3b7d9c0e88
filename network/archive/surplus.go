package archive

import (
	"time"

	"tidings/network/engine"
)

// surplus is the work of handing over what this node is no owner of any more.
type surplus struct {
	timer   engine.Alarm
	running bool
	cursor  engine.ID // the key up to which this round has come
	fresh   bool      // the round has just begun
	left    bool      // something is left for another round
	moved   bool      // something was dropped in this round
}

// surplusEvery is the pause between two batches.
const surplusEvery = 250 * time.Millisecond

// surplusSoon begins a round, or another one after that which is under way.
func (n *Node) surplusSoon() {
	n.surplus.left, n.surplus.moved = true, true
	n.surplusIn(n.jitter(n.config.Again))
}

func (n *Node) surplusIn(wait time.Duration) {
	s := &n.surplus
	if _, ok := n.surplusArc(); s.running || !ok {
		return
	}
	s.timer.Soon(n.env, n.env.Now()+wait, func() {
		s.running, s.fresh, s.left, s.moved = true, true, false, false
		n.handOver()
	})
}

// handOver offers the next items that this node does not own to their owners.
func (n *Node) handOver() {
	s := &n.surplus
	rest, ok := n.surplusArc()
	if !ok {
		s.running = false
		return
	}
	if !s.fresh && rest.contains(s.cursor) {
		if s.cursor == rest.to {
			n.endRound()
			return
		}
		rest.from = s.cursor
	}
	s.fresh = false
	entries := n.held.list(rest, maxList)
	for len(entries) > 0 && entries[0].coming {
		entries = entries[1:]
	}
	if len(entries) == 0 {
		n.endRound()
		return
	}
	name := entries[0].Name
	if owners, sure := n.owners(name.Key()); sure {
		n.offerSurplus(entries, owners)
		return
	}
	var q *inquiry
	q = n.newInquiry(name, true, func() {
		if q.open > 0 {
			return
		}
		var known []engine.Peer
		for _, k := range q.known[:min(len(q.known), n.config.Replicas)] {
			known = append(known, k.peer)
		}
		n.endInquiry(q)
		n.offerSurplus(entries, known)
	})
	n.inquire(q)
}

// offerSurplus offers the first of the entries to its owners, with those behind it as far as
// they have the same, and forgets what all of them have.
func (n *Node) offerSurplus(entries []*entry, owners []engine.Peer) {
	s := &n.surplus
	count := 1
	for count < len(entries) && !entries[count].coming && sameOwners(n, entries[count].key, owners) {
		count++
	}
	batch := entries[:count]
	s.cursor = batch[count-1].key
	next := func() { s.timer.Set(n.env, n.env.Now()+surplusEvery, n.handOver) }
	if len(owners) < n.config.Replicas {
		s.left = true
		next()
		return
	}
	n.offer(batch, owners, engine.Peer{}, func(o *offer) {
		rest, ok := n.surplusArc()
		var going []*entry
		for _, e := range o.everywhere() {
			if ok && len(o.to) == len(owners) && n.has(e.Name) == e && rest.contains(e.key) {
				going = append(going, e)
			}
		}
		s.left = s.left || len(going) < len(batch)
		s.moved = s.moved || len(going) > 0
		n.drop(going, true)
		next()
	})
}

// sameOwners reports whether a key has these owners, or, if this node cannot tell, may have.
func sameOwners(n *Node, key engine.ID, owners []engine.Peer) bool {
	theirs, sure := n.owners(key)
	if !sure {
		return true
	}
	if len(theirs) != len(owners) {
		return false
	}
	for _, p := range theirs {
		found := false
		for _, o := range owners {
			found = found || o.ID == p.ID
		}
		if !found {
			return false
		}
	}
	return true
}

// endRound begins another one later.
func (n *Node) endRound() {
	n.surplus.running = false
	if n.surplus.left && n.surplus.moved {
		n.surplusIn(n.jitter(n.config.Again))
		return
	}
	n.surplusIn(n.jitter(n.config.Compare))
}
