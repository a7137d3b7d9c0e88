package live

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// incarnations remembers in which order the incarnations of a peer were met, where one followed
// another. A node that restarts never comes back as what it was before. So an incarnation that
// returns is alive beside the one that followed it: two nodes hold one key. Then the elder keeps
// the peer's link, and the younger gets none while that lasts. The loop alone uses it.
type incarnations struct {
	most     int
	met      map[engine.ID][]uint64 // at most metEach, eldest first
	order    []engine.ID
	notified map[engine.ID]time.Duration // when peers last said that another node has this one's key; at most most
}

const metEach = 4

func newIncarnations(l Limits) *incarnations {
	return &incarnations{most: l.Incarnations, met: make(map[engine.ID][]uint64),
		notified: make(map[engine.ID]time.Duration)}
}

// age is how an incarnation that comes stands to the one that is connected.
type age uint8

const (
	newborn age = iota // not met before: the peer has restarted, as far as any host can know
	elder
	younger
)

// age returns how next, which comes, stands to now, which is connected.
func (n *incarnations) age(id engine.ID, now, next uint64) age {
	met := n.met[id]
	switch i := slices.Index(met, next); {
	case i < 0:
		return newborn
	case i < slices.Index(met, now):
		return elder
	}
	return younger
}

// followed notes that an incarnation was followed by another.
func (n *incarnations) followed(id engine.ID, first, by uint64) {
	if n.met[id] == nil {
		n.order = append(n.order, id)
		if len(n.order) > n.most {
			delete(n.met, n.order[0])
			n.order = n.order[1:]
		}
	}
	met := n.met[id]
	for _, i := range []uint64{first, by} {
		if !slices.Contains(met, i) {
			met = append(met, i)
		}
	}
	n.met[id] = met[max(0, len(met)-metEach):]
}

// returned notes that an elder incarnation has replaced a younger one. Those
// between the two are forgotten: however often a copy restarts, its elder is remembered.
func (n *incarnations) returned(id engine.ID, old, young uint64) {
	met := n.met[id]
	n.met[id] = slices.Delete(met, slices.Index(met, old)+1, slices.Index(met, young))
}

// drawIncarnation draws the number that distinguishes this run of the node from all others.
func drawIncarnation() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])
}

// duplicateEvery is how often a pair of nodes with one key is reported, at most, while both are met.
const duplicateEvery = time.Minute

// duplicateKey notes that another incarnation of a link's peer is alive, and reports it to the peer.
func (p *loop) duplicateKey(l *link, other uint64) {
	now := p.clock.now()
	if l.state == ending || l.duplicateAt > 0 && now-l.duplicateAt < duplicateEvery {
		return
	}
	l.duplicateAt = now
	p.observe(DuplicateKeyFound{ID: l.peer.ID})
	p.h.config.OnDuplicateKey(l.peer.ID)
	p.say(l, &DuplicateKey{Incarnation: other})
}

// ownDuplicateKey notes that a peer says that another node has this one's key.
func (p *loop) ownDuplicateKey(by engine.ID) {
	now := p.clock.now()
	if at, notified := p.past.notified[by]; notified && now-at < duplicateEvery {
		return
	}
	if len(p.past.notified) >= p.past.most {
		clear(p.past.notified)
	}
	p.past.notified[by] = now
	p.observe(DuplicateKeyFound{ID: p.h.id, Own: true, By: by})
	p.h.config.OnDuplicateKey(p.h.id)
}
