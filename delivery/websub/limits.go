package websub

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxLimited bounds the keys of a limiter.
const maxLimited = 10_000

// limiter limits events by a key: burst at once, and then one in every.
type limiter struct {
	every time.Duration
	burst int

	mu     sync.Mutex
	limits map[string]*rate.Limiter
}

func newLimiter(burst int, every time.Duration) *limiter {
	return &limiter{every: every, burst: burst, limits: make(map[string]*rate.Limiter)}
}

// allow counts an event of a key. If it is too early for one, it returns how long to wait; 0: it is not.
func (l *limiter) allow(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.limits[key]
	if of == nil {
		if len(l.limits) >= maxLimited && !l.forget(now) {
			return l.every
		}
		of = rate.NewLimiter(rate.Every(l.every), l.burst)
		l.limits[key] = of
	}
	r := of.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// restore undoes allow for an event.
func (l *limiter) restore(key string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := l.limits[key]; of != nil {
		of.AllowN(now, -1)
	}
}

// forget forgets the keys that have all of their burst again, and reports whether there were any.
func (l *limiter) forget(now time.Time) bool {
	before := len(l.limits)
	for key, of := range l.limits {
		if of.TokensAt(now) >= float64(l.burst) {
			delete(l.limits, key)
		}
	}
	return len(l.limits) < before
}
