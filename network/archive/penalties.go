package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// penalties are peers that have sent what is not genuine, or do not have what they said. For a while
// nothing is fetched from them if it can be had from others.
type penalties struct{ list []penalty }

type penalty struct {
	id    engine.ID
	until time.Duration
}

const (
	strikeFor = 10 * time.Minute
	silentFor = time.Minute // for one that has not answered: it may only be slow
	lacksFor  = time.Minute // for one without what it said to have: it may have had no room for it any more
	maxStruck = 256         // the oldest is forgotten
)

func (s *penalties) is(id engine.ID, now time.Duration) bool {
	return slices.ContainsFunc(s.list, func(k penalty) bool { return k.id == id && now < k.until })
}

// current returns those that are penalized now.
func (s *penalties) current(now time.Duration) (ids []engine.ID) {
	for _, k := range s.list {
		if now < k.until {
			ids = append(ids, k.id)
		}
	}
	return ids
}

func (s *penalties) add(id engine.ID, now, lasts time.Duration) {
	until := now + lasts
	s.list = slices.DeleteFunc(s.list, func(k penalty) bool {
		if k.id == id {
			until = max(until, k.until)
		}
		return k.id == id || now >= k.until
	})
	if len(s.list) == maxStruck {
		s.list = s.list[1:]
	}
	s.list = append(s.list, penalty{id, until})
}

// penalized returns the peers from which nothing is fetched if it can be had from others.
func (n *Node) penalized() []engine.ID { return n.penalties.current(n.env.Now()) }

// lied notes that a peer has sent what is not genuine.
func (n *Node) lied(name Name, from engine.Peer, bytes []byte) {
	if !isSelf(n.env, from) {
		n.penalties.add(from.ID, n.env.Now(), strikeFor)
	}
	var proven bool
	ok := n.env.Work(func() { proven = n.verifier.Forged(name, bytes) }, func() { n.report(Lied{name, from, proven}) })
	if !ok {
		n.report(Lied{name, from, false})
	}
}

func (n *Node) report(l Lied) {
	n.env.Trace(l)
	n.onLied(l)
}
