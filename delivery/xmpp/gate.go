package xmpp

import (
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	maxPlaces = 10_000           // addresses, or domains, that a gate knows apart
	tidyEvery = 10 * time.Second // how often it looks for those that it need not know any more, where it knows as many
)

// gate limits what addresses do, each of them and all together. The zero gate is closed. Its methods may be called by
// many goroutines at once.
type gate struct {
	each  rate.Limit // events a second of a place
	burst int
	all   *rate.Limiter

	mu     sync.Mutex
	places map[string]*place
	rest   *place // for all places beyond maxPlaces
	tidied time.Time
}

type place struct {
	limiter  *rate.Limiter
	told     bool // that it was warned: it has done too much
	confused int  // messages in a row that were not understood
	used     time.Time
}

// newGate returns a gate that lets a bounded number of events through in a time by place, burst of them at once, and
// also bounds all places together.
func newGate(each int, in time.Duration, burst int, all *rate.Limiter) *gate {
	g := &gate{each: rate.Limit(float64(each) / in.Seconds()), burst: max(burst, 1), all: all,
		places: make(map[string]*place)}
	g.rest = g.newPlace()
	return g
}

func (g *gate) newPlace() *place { return &place{limiter: rate.NewLimiter(g.each, g.burst)} }

// perMinute is a limiter of so many events a minute, half of them at once.
func perMinute(events int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(events)/60), max(events/2, 1))
}

// at returns what is known of a place. The caller holds g.mu.
func (g *gate) at(name string, now time.Time) *place {
	p := g.places[name]
	if p == nil {
		if len(g.places) >= maxPlaces && now.Sub(g.tidied) >= tidyEvery {
			g.tidy(now)
		}
		if len(g.places) >= maxPlaces {
			return g.rest
		}
		p = g.newPlace()
		g.places[name] = p
	}
	p.used = now
	return p
}

// tidy forgets places that have been quiet for so long that a new one is as good.
func (g *gate) tidy(now time.Time) {
	g.tidied = now
	full := time.Duration(float64(g.burst)/float64(g.each)*float64(time.Second)) + time.Minute
	for name, p := range g.places {
		if now.Sub(p.used) > full {
			delete(g.places, name)
		}
	}
}

// pass reports whether an event of a place may pass. tell: it is the first refused one since the last that passed.
func (g *gate) pass(name string, now time.Time) (ok, tell bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.at(name, now)
	if p.limiter.AllowN(now, 1) {
		if g.all.AllowN(now, 1) {
			p.told = false
			return true, false
		}
		return false, false
	}
	tell, p.told = !p.told, true
	return false, tell
}

// open reports whether the next event of a place would be let through.
func (g *gate) open(name string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at(name, now).limiter.TokensAt(now) >= 1 && g.all.TokensAt(now) >= 1
}

// understood notes whether a message of a place was a command, and returns how many in a row were none.
func (g *gate) understood(name string, was bool, now time.Time) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.at(name, now)
	if p.confused++; was {
		p.confused = 0
	}
	return p.confused
}

// limiter returns the limiter of a place.
func (g *gate) limiter(name string, now time.Time) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at(name, now).limiter
}

// domainOf returns the domain of a bare address.
func domainOf(bare string) string { return bare[strings.IndexByte(bare, '@')+1:] }
