package fetch

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tidings/egress"
)

// Wait is the wish of an origin to be left alone at one address until a time.
type Wait struct {
	For   string    `json:"for"` // a URL
	Until time.Time `json:"until"`
}

// several is how many addresses must ask to be left alone until more addresses are left alone. These are all below the
// same first segment of their paths, or, if each has another first segment, all of the host. One address may be slow to
// make, or be a proxy's to a server that limits the proxy; that does not concern its neighbours. A host that limits a
// client says so at every address.
const several = 3

// maxWaitsPerHost bounds the addresses of one host whose waits are remembered, so that no host crowds out others.
const maxWaitsPerHost = 64

// patience remembers waits: at most max, and at most maxWaitsPerHost of a host. When full, the wait that ends first
// makes room. A channel whose wait is forgotten is not asked sooner for that: its own plan has it.
type patience struct {
	mu    sync.Mutex
	hosts map[string]map[string]wait // by host and URL
	count int
	max   int
}

// wait is one address's.
type wait struct {
	segment string // the first of its path
	until   time.Time
}

// anyAddress lets pass what was asked once; whether it may be asked now is not patience's to say.
var anyAddress = guard{egress.Guard{Private: true, Ports: egress.AnyPort}}

func newPatience(limit int, known []Wait) *patience {
	p := &patience{hosts: make(map[string]map[string]wait), max: limit}
	for _, w := range known {
		if t, err := anyAddress.target(w.For); err == nil {
			p.note(t, w.Until)
		}
	}
	return p
}

// note remembers a wait, unless a longer one for the same address is known.
func (p *patience) note(t target, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	waits := p.hosts[t.host]
	old, known := waits[t.text]
	if !until.After(old.until) {
		return
	}
	switch {
	case known:
		p.count--
	case len(waits) >= maxWaitsPerHost:
		p.forget(t.host, soonest(waits))
	case p.count >= p.max:
		p.evict()
	}
	if p.hosts[t.host] == nil { // the last of them may have made room
		p.hosts[t.host] = make(map[string]wait)
	}
	p.hosts[t.host][t.text] = wait{segment: firstSegment(t), until: until}
	p.count++
}

// evict forgets the wait that ends first.
func (p *patience) evict() {
	var host, url string
	var first time.Time
	for h, waits := range p.hosts {
		u := soonest(waits)
		if until := waits[u].until; host == "" || until.Before(first) {
			host, url, first = h, u, until
		}
	}
	p.forget(host, url)
}

func (p *patience) forget(host, url string) {
	delete(p.hosts[host], url)
	p.count--
	if len(p.hosts[host]) == 0 {
		delete(p.hosts, host)
	}
}

// soonest returns the address whose wait ends first.
func soonest(waits map[string]wait) (url string) {
	for u, w := range waits {
		if url == "" || w.until.Before(waits[url].until) {
			url = u
		}
	}
	return url
}

// until returns until when an address is not to be polled; zero if it may be. It is the longest of these waits: that of
// the address itself; that of several addresses below its first segment; and, if wide, that of several segments of its
// host.
func (p *patience) until(t target, now time.Time, wide bool) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	waits := p.hosts[t.host]
	if len(waits) == 0 {
		return time.Time{}
	}
	var beside []time.Time
	segments := make(map[string]time.Time)
	for url, w := range waits {
		if !w.until.After(now) {
			p.forget(t.host, url)
			continue
		}
		if w.segment == firstSegment(t) {
			beside = append(beside, w.until)
		}
		segments[w.segment] = later(segments[w.segment], w.until)
	}
	last := later(waits[t.text].until, agreed(beside))
	if wide {
		last = later(last, agreed(slices.Collect(maps.Values(segments))))
	}
	return last
}

// agreed returns until when several of the waits last; zero if they are fewer.
func agreed(waits []time.Time) time.Time {
	if len(waits) < several {
		return time.Time{}
	}
	slices.SortFunc(waits, func(a, b time.Time) int { return b.Compare(a) })
	return waits[several-1]
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// firstSegment returns the part of an address's path up to the second slash.
func firstSegment(t target) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(t.url.EscapedPath(), "/"), "/")
	return first
}

// list returns the waits that have not ended, sorted.
func (p *patience) list(now time.Time) []Wait {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Wait
	for _, waits := range p.hosts {
		for url, w := range waits {
			if w.until.After(now) {
				all = append(all, Wait{For: url, Until: w.until})
			}
		}
	}
	slices.SortFunc(all, func(a, b Wait) int { return cmp.Compare(a.For, b.For) })
	return all
}

// askedWait reads how long an answer asks to wait: Retry-After in seconds or as a date, else X-RateLimit-Reset in
// seconds from now or since 1970. Dates are measured against the origin's own clock if its answer has a Date. The
// result is between MinPatience and MaxPatience; 0 means that nothing legible was said.
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
