package pastry

import (
	"math/rand/v2"
	"time"

	"tidings/network/engine"
)

// lost is the memory of those that could not be reached. Peers that were met before are looked for as long as they are
// remembered, so that the end of a partition of any length is noticed. If there are too many of them, a random one is
// forgotten. So old ones have no less claim than recent ones. Those that never answered are remembered only so as not
// to be asked again at once.
type lost struct {
	max         int
	first, last time.Duration // between two looks
	peers       []missing
}

type missing struct {
	peer  engine.Peer
	met   bool
	sure  bool          // it was asked as often as is needed to be sure
	tried time.Duration // when it was looked for last
	wait  time.Duration // from then to the next check
}

func (l *lost) find(id engine.ID) *missing {
	for i := range l.peers {
		if l.peers[i].peer.ID == id {
			return &l.peers[i]
		}
	}
	return nil
}

// met reports whether the node is remembered as one that was known.
func (l *lost) met(id engine.ID) bool {
	m := l.find(id)
	return m != nil && m.met
}

// add remembers a peer that has not answered. Where a peer was met, hearsay of it at another
// address changes nothing.
func (l *lost) add(p engine.Peer, met, sure bool, now time.Duration, chance *rand.Rand) {
	m := l.find(p.ID)
	switch {
	case m == nil:
		if len(l.peers) >= l.max && !l.makeRoom(met, chance) {
			return
		}
		l.peers = append(l.peers, missing{wait: l.first})
		m = &l.peers[len(l.peers)-1]
	case m.met && !met && m.peer != p:
		return
	default:
		m.wait = min(2*m.wait, l.last)
	}
	m.peer, m.tried, m.met, m.sure = p, now, met || m.met, sure || m.sure
}

// makeRoom drops one: of the peers that were never met, the one tried first. If there is none, and met is true, it
// drops a random one.
func (l *lost) makeRoom(met bool, chance *rand.Rand) bool {
	out := -1
	for i, m := range l.peers {
		if !m.met && (out < 0 || m.tried < l.peers[out].tried) {
			out = i
		}
	}
	if out < 0 && met {
		out = chance.IntN(len(l.peers))
	}
	if out < 0 {
		return false
	}
	l.drop(out)
	return true
}

func (l *lost) drop(i int) {
	l.peers[i] = l.peers[len(l.peers)-1]
	l.peers = l.peers[:len(l.peers)-1]
}

func (l *lost) forget(id engine.ID) {
	for i := range l.peers {
		if l.peers[i].peer.ID == id {
			l.drop(i)
			return
		}
	}
}

// vain reports whether the peer was looked for at this address in vain after the given time. For one that would be a
// neighbour, that must have been often enough to be sure.
func (l *lost) vain(p engine.Peer, after time.Duration, leaf bool) bool {
	m := l.find(p.ID)
	return m != nil && m.tried > after && m.peer == p && (m.sure || !leaf)
}

// due returns the peer that was known and is to be looked for next, if it is time for any.
func (l *lost) due(now time.Duration) (engine.Peer, bool) {
	var next *missing
	for i := range l.peers {
		m := &l.peers[i]
		if m.met && m.tried+m.wait <= now && (next == nil || m.tried+m.wait < next.tried+next.wait) {
			next = m
		}
	}
	if next == nil {
		return engine.Peer{}, false
	}
	return next.peer, true
}

// lately returns which are wanted of those that were surely found dead within the given time.
func (l *lost) lately(after time.Duration, want func(engine.ID) bool) (ids []engine.ID) {
	for _, m := range l.peers {
		if m.sure && m.tried >= after && want(m.peer.ID) && len(ids) < MaxLeafSet {
			ids = append(ids, m.peer.ID)
		}
	}
	return ids
}
