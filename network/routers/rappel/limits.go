package rappel

import (
	"maps"
	"slices"
	"time"

	"tidings/network/engine"
)

// meters bound what each peer may ask for.
type meters struct {
	*core
	of map[engine.ID]*meter // at most Config.MaxMetered
}

type meter struct {
	bucket engine.Bucket
	used   time.Duration
}

// allow reports whether a peer's request is answered.
func (m *meters) allow(from engine.ID) bool {
	now := m.now()
	p := m.of[from]
	if p == nil {
		m.sweep(now)
		p = &meter{bucket: engine.NewBucket(m.config.PeerRate, m.config.PeerBurst)}
		m.of[from] = p
	}
	p.used = now
	if !p.bucket.Take(1, now) {
		m.env.Trace(LimitHit{"PeerRate", m.config.PeerRate})
		return false
	}
	return true
}

// sweep makes room, if need be. A peer that has sent nothing for long has a full bucket, and needs none.
func (m *meters) sweep(now time.Duration) {
	if len(m.of) < m.config.MaxMetered {
		return
	}
	full := time.Duration(m.config.PeerBurst/m.config.PeerRate+1) * time.Second
	maps.DeleteFunc(m.of, func(_ engine.ID, p *meter) bool { return now-p.used > full })
	if len(m.of) >= m.config.MaxMetered {
		m.env.Trace(LimitHit{"MaxMetered", m.config.MaxMetered})
		clear(m.of)
	}
}

// shunned are nodes that are kept away for a time: at most maxShunned, else the first is let in again.
type shunned []shunnedNode

type shunnedNode struct {
	id    engine.ID
	until time.Duration
}

const (
	maxShunned = 64
	shunning   = 10 * time.Minute
)

func (s *shunned) add(id engine.ID, now time.Duration) {
	*s = remember(*s, shunnedNode{id, now + shunning}, maxShunned)
}

func (s *shunned) has(id engine.ID, now time.Duration) bool {
	return slices.ContainsFunc(*s, func(n shunnedNode) bool { return n.id == id && now < n.until })
}
