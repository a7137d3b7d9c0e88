package fetch

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// hosts gives each origin host its budget: a token bucket and a number of requests
// that may be under way. It remembers a bounded number of hosts that nobody is using;
// those forgotten first were used longest ago, and so have rested most.
type hosts struct {
	interval time.Duration // between requests in the long run
	rest     time.Duration // how far the bucket may be overdrawn: (burst-1) intervals
	slots    int
	maxWait  time.Duration
	queue    int
	max      int

	mu   sync.Mutex
	byID map[string]*host
	idle list.List // of *host that nobody is using, the latest used in front
}

type host struct {
	name  string
	users int           // fetches that hold or wait for a turn
	full  time.Time     // when the bucket is full again if nobody asks (the "theoretical arrival time" of GCRA)
	slots chan struct{} // one value for each request under way
	place *list.Element // in hosts.idle, while users is 0
}

func newHosts(c Config) *hosts {
	interval := time.Duration(float64(time.Second) / c.HostRate)
	return &hosts{
		interval: interval,
		rest:     time.Duration(c.HostBurst-1) * interval,
		slots:    c.HostConnections,
		maxWait:  c.MaxWait,
		queue:    c.HostQueue,
		max:      c.MaxHosts,
		byID:     make(map[string]*host),
	}
}

// acquire waits for a turn at a host. The caller must release the turn it gets.
func (hs *hosts) acquire(ctx context.Context, name string) (*host, error) {
	began := time.Now()
	h, wait, err := hs.enter(name, began)
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			hs.leave(h, hs.interval)
			return nil, context.Cause(ctx)
		}
	}
	select {
	case h.slots <- struct{}{}:
		return h, nil
	default:
	}
	timer := time.NewTimer(hs.maxWait - wait)
	defer timer.Stop()
	select {
	case h.slots <- struct{}{}:
		return h, nil
	case <-timer.C:
		hs.leave(h, hs.interval)
		return nil, &LimitedError{Host: name, Until: time.Now().Add(hs.interval), Own: true}
	case <-ctx.Done():
		hs.leave(h, hs.interval)
		return nil, context.Cause(ctx)
	}
}

// release ends a turn.
func (hs *hosts) release(h *host) {
	<-h.slots
	hs.leave(h, 0)
}

// enter removes a token from the host's bucket and returns how long to wait until it is valid.
func (hs *hosts) enter(name string, now time.Time) (*host, time.Duration, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h := hs.byID[name]
	if h == nil {
		h = &host{name: name, slots: make(chan struct{}, hs.slots)}
		hs.byID[name] = h
	} else if h.users == 0 {
		hs.idle.Remove(h.place)
	}
	h.users++
	full := h.full
	if full.Before(now) {
		full = now
	}
	wait := full.Add(-hs.rest).Sub(now)
	if wait > hs.maxWait || h.users > hs.slots+hs.queue {
		hs.leaveLocked(h)
		return nil, 0, &LimitedError{Host: name, Until: now.Add(max(wait, hs.interval)), Own: true}
	}
	h.full = full.Add(hs.interval)
	return h, max(wait, 0), nil
}

// leave gives up a place at the host, and returns unused to its bucket.
func (hs *hosts) leave(h *host, unused time.Duration) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h.full = h.full.Add(-unused)
	hs.leaveLocked(h)
}

func (hs *hosts) leaveLocked(h *host) {
	h.users--
	if h.users > 0 {
		return
	}
	h.place = hs.idle.PushFront(h)
	if hs.idle.Len() > hs.max {
		oldest := hs.idle.Remove(hs.idle.Back()).(*host)
		delete(hs.byID, oldest.name)
	}
}
