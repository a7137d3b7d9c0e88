package live

import (
	"sync"
	"time"

	"tidings/network/engine"
)

// meters keeps peers' token buckets, also while they are not connected: coming again does not
// fill them. The loop alone uses it.
type meters struct {
	limits Limits
	of     map[engine.ID]*meter
	order  []engine.ID // oldest first
}

func newMeters(l Limits) *meters { return &meters{limits: l, of: make(map[engine.ID]*meter)} }

// peer returns a peer's meter. The oldest is forgotten if there are too many.
func (x *meters) peer(id engine.ID) *meter {
	if m := x.of[id]; m != nil {
		return m
	}
	if len(x.order) >= x.limits.Meters {
		delete(x.of, x.order[0])
		x.order = x.order[1:]
	}
	m := &meter{bytes: newBucket(x.limits.Bytes)}
	for i, r := range x.limits.Rates {
		m.classes[i] = newBucket(r)
	}
	x.of[id] = m
	x.order = append(x.order, id)
	return m
}

// meter holds a peer's token buckets, which all its readers share.
type meter struct {
	mu      sync.Mutex
	classes [engine.Classes]bucket
	bytes   bucket
}

// spend holds one message against the rates.
func (m *meter) spend(class engine.Class, size int, now time.Time) verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(m.classes[class].spend(1, now), m.bytes.spend(float64(size), now))
}

// bucket is a token bucket that may go into debt.
type bucket struct {
	rate   Rate
	tokens float64
	at     time.Time
}

func newBucket(r Rate) bucket { return bucket{rate: r, tokens: r.Burst} }

// verdict says what becomes of what a peer sent.
type verdict int

const (
	pass    verdict = iota
	excess          // above the rate: dropped
	offence         // above twice the rate: the peer is at fault
)

// spend uses n tokens at a time.
func (b *bucket) spend(n float64, now time.Time) verdict {
	if b.rate == (Rate{}) {
		return pass
	}
	if !b.at.IsZero() {
		b.tokens = min(b.rate.Burst, b.tokens+b.rate.PerSecond*now.Sub(b.at).Seconds())
	}
	b.at = now
	b.tokens -= n
	switch {
	case b.tokens >= 0:
		return pass
	case b.tokens >= -b.rate.Burst:
		return excess
	}
	b.tokens = -b.rate.Burst
	return offence
}
