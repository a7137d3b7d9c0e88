package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// insert is an item that this node gives to the network.
type insert struct {
	inquiry *inquiry
	bytes   []byte
	given   []engine.ID // owners that were given it
	taken   []engine.ID // owners that have it
	refused []engine.ID // owners that will not have it
	waiting bool        // for the last one to answer
	again   bool        // all are turned to for the second time
	settled bool        // done was called: the item is kept, and the other owners are seen to
	why     Refusal     // the last that was heard
	done    func(copies int, why Refusal)
	timer   engine.Alarm
}

// Insert has an item kept by its owners. done is told, after Insert has returned, how many of them have
// said that they have it: more than half, if it is Accepted; the others get it from these. Otherwise it
// may be that some have it, and Insert can be called again. Inserting what is there already only makes
// sure of it. The bytes must not be changed.
func (n *Node) Insert(name Name, bytes []byte, done func(copies int, why Refusal)) {
	refuse := func(why Refusal) {
		n.env.After(0, func() {
			n.env.Trace(Inserted{name, 0, why})
			done(0, why)
		})
	}
	switch {
	case len(bytes) == 0 || len(bytes) > n.config.MaxItem:
		refuse(TooLong)
		return
	case n.inserts[name] != nil && !n.inserts[name].settled:
		refuse(Busy)
		return
	case len(n.inserts)-n.settling >= n.config.MaxInserts:
		n.limitHit("MaxInserts", n.config.MaxInserts)
		refuse(Busy)
		return
	}
	if before := n.inserts[name]; before != nil {
		n.forgetInsert(before)
	}
	s := &insert{bytes: bytes, done: done, why: Busy}
	s.inquiry = n.newInquiry(name, true, func() { n.insertOn(s) })
	n.inserts[name] = s
	ok := n.examine(name, bytes, func(_ uint64, genuine bool) {
		if !genuine {
			s.why = False
			n.endInsert(s)
			return
		}
		n.inquire(s.inquiry)
		if s.inquiry.open > 0 { // one that is asked may lie
			n.inquire(s.inquiry)
		}
	})
	if !ok {
		delete(n.inserts, name)
		n.endInquiry(s.inquiry)
		refuse(Busy)
	}
}

// insertOn does what comes next.
func (n *Node) insertOn(s *insert) {
	q := s.inquiry
	switch {
	case n.inserts[q.name] != s || s.waiting || s.settled:
		return
	case s.most(s.taken, n.config.Replicas):
		n.settle(s)
		return
	case s.most(s.refused, n.config.Replicas):
		n.endInsert(s)
		return
	case q.open > 0:
		return
	}
	if p, ok := q.next(append(slices.Clone(s.given), s.taken...)); ok {
		n.give(s, p)
		return
	}
	switch {
	case !n.exhausted(q):
		n.inquire(q)
	case !s.again: // the first time, messages may have been lost
		s.again, s.given = true, nil
		n.insertOn(s)
	default:
		n.endInsert(s)
	}
}

// most reports whether so many are more than half of the owners.
func (s *insert) most(some []engine.ID, replicas int) bool {
	return len(some) > min(replicas, len(s.inquiry.known))/2
}

// give gives the item to one owner, which has the others fetch it.
func (n *Node) give(s *insert, p engine.Peer) {
	name := s.inquiry.name
	s.given = append(s.given, p.ID)
	n.waitOn(s, n.config.Patience)
	if !n.isSelf(p) {
		n.env.Send(p, &Give{Name: name, Bytes: s.bytes})
		return
	}
	n.admit(p, name, s.bytes, func(why Refusal) {
		if why == Accepted {
			n.offerToOthers(name, p)
		}
		n.takeTaken(p, &Taken{Name: name, Refusal: why})
	})
}

// waitOn has an insertion go on after a while at the latest.
func (n *Node) waitOn(s *insert, most time.Duration) {
	s.waiting = true
	s.timer.Set(n.env, n.env.Now()+most, func() {
		s.waiting = false
		n.insertOn(s)
	})
}

// takeGive takes an item as one of its owners.
func (n *Node) takeGive(from engine.Peer, m *Give) {
	n.admit(from, m.Name, m.Bytes, func(why Refusal) {
		answer := &Taken{Name: m.Name, Refusal: why}
		switch why {
		case Accepted:
			n.offerToOthers(m.Name, from)
		case Unowned:
			answer.Owners, _ = n.owners(m.Name.Key())
		}
		n.env.Send(from, answer)
	})
}

// takeTaken notes that an owner has the item, or not.
func (n *Node) takeTaken(from engine.Peer, m *Taken) {
	s := n.inserts[m.Name]
	if s == nil {
		return
	}
	known := s.inquiry.names(from.ID)
	if m.Refusal != Accepted {
		s.why = m.Refusal
		if len(s.inquiry.heard) < maxHeard && !slices.Contains(s.inquiry.heard, from.ID) {
			s.inquiry.add(from.ID, m.Owners)
		}
		if known && m.Refusal.lasting() && !slices.Contains(s.refused, from.ID) {
			s.refused = append(s.refused, from.ID)
		}
		if len(s.given) > 0 && s.given[len(s.given)-1] == from.ID {
			s.waiting = false
			s.timer.Stop()
		}
		n.insertOn(s)
		return
	}
	if known && !slices.Contains(s.taken, from.ID) {
		s.taken = append(s.taken, from.ID)
		if s.waiting && s.given[len(s.given)-1] == from.ID {
			n.waitOn(s, settleWait) // for the others; this one may not offer it to them
		}
	}
	switch {
	case s.settled && len(s.rest()) == 0:
		n.forgetInsert(s)
	case s.most(s.taken, n.config.Replicas):
		s.waiting = false
		n.insertOn(s)
	}
}

// settleWait is how long the other owners have to fetch an item from the first.
const settleWait = 3 * time.Second

// settle says that the item is kept, and sees to those owners that have not said that they have it. They may have asked
// one for it that lies; so they are given it, too.
func (n *Node) settle(s *insert) {
	n.env.Trace(Inserted{s.inquiry.name, len(s.taken), Accepted})
	s.done(len(s.taken), Accepted)
	if n.inserts[s.inquiry.name] != s {
		return
	}
	s.settled, s.waiting = true, false
	n.settling++
	if len(s.rest()) == 0 || n.settling > n.config.MaxInserts {
		n.forgetInsert(s)
		return
	}
	s.timer.Set(n.env, n.env.Now()+settleWait, func() {
		for _, p := range s.rest() {
			if !n.isSelf(p) {
				n.env.Send(p, &Give{Name: s.inquiry.name, Bytes: s.bytes})
			}
		}
		n.forgetInsert(s)
	})
}

// rest returns the owners that have neither taken the item nor refused it.
func (s *insert) rest() (rest []engine.Peer) {
	for _, k := range s.inquiry.known {
		if !slices.Contains(s.taken, k.peer.ID) && !slices.Contains(s.refused, k.peer.ID) {
			rest = append(rest, k.peer)
		}
	}
	return rest
}

// forgetInsert ends the work on an item.
func (n *Node) forgetInsert(s *insert) {
	delete(n.inserts, s.inquiry.name)
	n.endInquiry(s.inquiry)
	s.timer.Stop()
	if s.settled {
		n.settling--
	}
}

// endInsert ends an insertion that has failed.
func (n *Node) endInsert(s *insert) {
	n.forgetInsert(s)
	n.env.Trace(Inserted{s.inquiry.name, len(s.taken), s.why})
	s.done(len(s.taken), s.why)
}

// insertsLost gives to others in the place of a peer that is down.
func (n *Node) insertsLost(p engine.Peer) {
	var lost []*insert
	for _, s := range n.inserts {
		if s.waiting && s.given[len(s.given)-1] == p.ID && !slices.Contains(s.taken, p.ID) {
			lost = append(lost, s)
		}
	}
	slices.SortFunc(lost, func(a, b *insert) int { return a.inquiry.key.Compare(b.inquiry.key) })
	for _, s := range lost {
		s.waiting = false
		s.timer.Stop()
		n.insertOn(s)
	}
}
