package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// surplus is the work of handing over what this node no longer owns. It runs in rounds over all that is here, a batch
// of at most maxList items each surplusEvery. An item is forgotten once all its owners have it. A round follows
// Config.Again after one that has changed something and left something, and Config.Compare after any other.
type surplus struct {
	env     engine.Env
	config  *Config
	node    handing
	timer   engine.Alarm
	running bool
	cursor  engine.ID // the key up to which this round has come
	fresh   bool      // the round has just begun
	left    bool      // something is left for another round
	moved   bool      // something was dropped in this round
}

// handing is what the surplus needs of its node.
type handing interface {
	// rest returns the keys of which this node is no owner; there are none if it is not ok.
	rest() (a keyRange, ok bool)
	// items lists what is here of an arc, at most maxList.
	items(a keyRange) []*entry
	// owners returns the owners of a key, closest first, if this node knows them for sure.
	owners(key engine.ID) (owners []engine.Peer, sure bool)
	inquire(name Name, owners bool, news func()) *inquiry
	// offer offers items to peers, and calls then with how many peers that was, and what all of them have.
	offer(entries []*entry, to []engine.Peer, then func(peers int, everywhere []*entry))
	// dropSurplus forgets those of the items that are here and that this node does not own. It returns how many those
	// are.
	dropSurplus(entries []*entry) int
}

// surplusEvery is the pause between two batches.
const surplusEvery = 250 * time.Millisecond

// soon begins a round, or another one after that which is under way.
func (s *surplus) soon() {
	s.left, s.moved = true, true
	s.startIn(jitter(s.env, s.config.Again))
}

func (s *surplus) startIn(wait time.Duration) {
	if _, ok := s.node.rest(); s.running || !ok {
		return
	}
	s.timer.Soon(s.env, s.env.Now()+wait, func() {
		s.running, s.fresh, s.left, s.moved = true, true, false, false
		s.handOver()
	})
}

// handOver offers the next items that this node does not own to their owners.
func (s *surplus) handOver() {
	rest, ok := s.node.rest()
	if !ok {
		s.running = false
		return
	}
	if !s.fresh && rest.contains(s.cursor) {
		if s.cursor == rest.to {
			s.endRound()
			return
		}
		rest.from = s.cursor
	}
	s.fresh = false
	entries := s.node.items(rest)
	for len(entries) > 0 && entries[0].coming {
		entries = entries[1:]
	}
	if len(entries) == 0 {
		s.endRound()
		return
	}
	name := entries[0].Name
	if owners, sure := s.node.owners(name.Key()); sure {
		s.offer(entries, owners)
		return
	}
	var q *inquiry
	q = s.node.inquire(name, true, func() {
		if q.open > 0 {
			return
		}
		var known []engine.Peer
		for _, k := range q.known[:min(len(q.known), s.config.Replicas)] {
			known = append(known, k.peer)
		}
		q.end()
		s.offer(entries, known)
	})
	q.ask()
}

// offer offers the first of the entries to its owners, with those behind it that have the same owners. It forgets the
// ones that all of them have.
func (s *surplus) offer(entries []*entry, owners []engine.Peer) {
	count := 1
	for count < len(entries) && !entries[count].coming && s.sameOwners(entries[count].key, owners) {
		count++
	}
	batch := entries[:count]
	s.cursor = batch[count-1].key
	next := func() { s.timer.Set(s.env, s.env.Now()+surplusEvery, s.handOver) }
	if len(owners) < s.config.Replicas {
		s.left = true
		next()
		return
	}
	s.node.offer(batch, owners, func(peers int, everywhere []*entry) {
		gone := 0
		if peers == len(owners) {
			gone = s.node.dropSurplus(everywhere)
		}
		s.left = s.left || gone < len(batch)
		s.moved = s.moved || gone > 0
		next()
	})
}

// sameOwners reports whether a key has these owners, or, if this node cannot know, may have.
func (s *surplus) sameOwners(key engine.ID, owners []engine.Peer) bool {
	theirs, sure := s.node.owners(key)
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
func (s *surplus) endRound() {
	s.running = false
	if s.left && s.moved {
		s.startIn(jitter(s.env, s.config.Again))
		return
	}
	s.startIn(jitter(s.env, s.config.Compare))
}

// rest returns the keys of which this node is no owner; there are none if it is not ok.
func (n *Node) rest() (a keyRange, ok bool) { return n.standing.rest() }

// items lists what is here of an arc, at most maxList.
func (n *Node) items(a keyRange) []*entry { return n.stock.held.list(a, maxList) }

// offer offers items to peers, and calls then with how many peers that was, and what all of them have.
func (n *Node) offer(entries []*entry, to []engine.Peer, then func(peers int, everywhere []*entry)) {
	n.offers.begin(entries, to, engine.Peer{}, func(o *offer) { then(len(o.to), o.everywhere()) })
}

// dropSurplus forgets those of the items that are here and that this node does not own. It returns how many those are.
func (n *Node) dropSurplus(entries []*entry) int {
	rest, ok := n.standing.rest()
	going := slices.DeleteFunc(entries, func(e *entry) bool {
		return !ok || n.stock.has(e.Name) != e || !rest.contains(e.key)
	})
	n.stock.drop(going, true)
	return len(going)
}
