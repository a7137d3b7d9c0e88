package fetch

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Wait is the wish of an origin to be left alone until a time.
type Wait struct {
	For   string    `json:"for"` // a public host; or one URL, where the host is private and may be many things at once
	Until time.Time `json:"until"`
}

// patience remembers waits. It is bounded: when full, the wait that ends first makes room.
type patience struct {
	mu    sync.Mutex
	waits map[string]time.Time
	max   int
}

func newPatience(limit int, known []Wait) *patience {
	p := &patience{waits: make(map[string]time.Time), max: limit}
	for _, w := range known {
		p.note(w.For, w.Until)
	}
	return p
}

// note remembers a wait, unless a longer one for the same is known.
func (p *patience) note(key string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !until.After(p.waits[key]) {
		return
	}
	if _, known := p.waits[key]; !known && len(p.waits) >= p.max {
		p.evict()
	}
	p.waits[key] = until
}

func (p *patience) evict() {
	var first string
	for key, until := range p.waits {
		if first == "" || until.Before(p.waits[first]) {
			first = key
		}
	}
	delete(p.waits, first)
}

// until returns when the last of the waits for the target ends; zero if there is none.
func (p *patience) until(t target, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waits) == 0 {
		return time.Time{}
	}
	var last time.Time
	for _, key := range [...]string{t.host, t.text} {
		until, known := p.waits[key]
		switch {
		case !known:
		case !until.After(now):
			delete(p.waits, key)
		case until.After(last):
			last = until
		}
	}
	return last
}

// list returns the waits that have not ended, sorted.
func (p *patience) list(now time.Time) []Wait {
	p.mu.Lock()
	defer p.mu.Unlock()
	var waits []Wait
	for key, until := range p.waits {
		if until.After(now) {
			waits = append(waits, Wait{For: key, Until: until})
		}
	}
	slices.SortFunc(waits, func(a, b Wait) int { return cmp.Compare(a.For, b.For) })
	return waits
}

// askedWait reads how long an answer asks to wait: Retry-After in seconds or as a date,
// else X-RateLimit-Reset in seconds from now or since 1970. Dates are measured against
// the origin's own clock where it tells it. The result is between MinPatience and
// MaxPatience; 0 means that nothing legible was said.
func askedWait(h http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	if said := strings.TrimSpace(h.Get("Retry-After")); said != "" {
		if s, ok := seconds(said); ok {
			return clampWait(s)
		}
		if date, err := http.ParseTime(said); err == nil {
			return clampWait(date.Sub(now).Seconds())
		}
	}
	if s, ok := seconds(strings.TrimSpace(h.Get("X-Ratelimit-Reset"))); ok {
		switch {
		case s > 1e12: // milliseconds since 1970
			s = s/1e3 - float64(now.Unix())
		case s > 1e9: // seconds since 1970
			s -= float64(now.Unix())
		}
		return clampWait(s)
	}
	return 0
}

// seconds reads a number of seconds that is not negative; some origins send fractions.
func seconds(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" || strings.Count(s, ".") > 1 {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil || n > 0 // too large a number is still a large number
}

func clampWait(s float64) time.Duration {
	switch {
	case s <= MinPatience.Seconds():
		return MinPatience
	case s >= MaxPatience.Seconds():
		return MaxPatience
	default:
		return time.Duration(s * float64(time.Second))
	}
}
