package auth

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tidings"
)

// pace bounds how many requests each reader sends, whatever addresses, browsers and programs they come from. Its table
// has one row a reader, at most tidings.MaxPeople and those removed since.
type pace struct {
	perMinute int // 0: any number

	mu      sync.Mutex
	readers map[tidings.AccountID]*rate.Limiter
}

func newPace(perMinute int) *pace {
	return &pace{perMinute: perMinute, readers: make(map[tidings.AccountID]*rate.Limiter)}
}

// admit counts a request of a person, and returns how long to wait if it comes too soon. A minute's requests may come
// at once.
func (p *pace) admit(of tidings.Person, now time.Time) (wait time.Duration) {
	if p.perMinute == 0 || of.Role == tidings.Administrator {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.readers[of.ID]
	if one == nil {
		if len(p.readers) >= 2*tidings.MaxPeople {
			clear(p.readers) // of those most are not there any more, and the others begin anew
		}
		one = rate.NewLimiter(rate.Every(time.Minute/time.Duration(p.perMinute)), p.perMinute)
		p.readers[of.ID] = one
	}
	r := one.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}
