package auth

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits on signing in. Somebody who mistypes does not notice them; somebody who
// guesses gets some 2,900 attempts a day from one address and 17,000 in all.
const (
	attemptsBurst    = 5 // of one address
	attemptsEvery    = 30 * time.Second
	allAttemptsBurst = 20
	allAttemptsEvery = 5 * time.Second
	maxAddresses     = 1024
)

// ClientPrefix returns the addresses that count as one client: an IPv6 address is taken as its /64, which is what one
// customer of a provider has. The zero prefix stands for all whose address is unknown.
func ClientPrefix(addr netip.Addr) netip.Prefix {
	bits := 32
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		bits = 64
	}
	prefix, _ := addr.Prefix(bits) // fails for the zero Addr alone
	return prefix
}

// limiter counts attempts to sign in.
type limiter struct {
	mu        sync.Mutex
	all       *rate.Limiter
	addresses map[netip.Prefix]*rate.Limiter // at most maxAddresses
}

func newLimiter() *limiter {
	return &limiter{
		all:       rate.NewLimiter(rate.Every(allAttemptsEvery), allAttemptsBurst),
		addresses: make(map[netip.Prefix]*rate.Limiter),
	}
}

// allow reports whether addr may try now, and counts the attempt if so.
func (l *limiter) allow(addr netip.Addr) bool {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all.TokensAt(now) < 1 { // nor is there a new address to remember
		return false
	}
	one := l.of(addr, now)
	return one != nil && one.AllowN(now, 1) && l.all.AllowN(now, 1)
}

// of returns the limiter of addr, or nil if the table is full of addresses that tried lately.
func (l *limiter) of(addr netip.Addr, now time.Time) *rate.Limiter {
	key := ClientPrefix(addr)
	if one, ok := l.addresses[key]; ok {
		return one
	}
	if len(l.addresses) >= maxAddresses {
		for k, one := range l.addresses {
			if one.TokensAt(now) >= attemptsBurst {
				delete(l.addresses, k)
			}
		}
		if len(l.addresses) >= maxAddresses {
			return nil
		}
	}
	one := rate.NewLimiter(rate.Every(attemptsEvery), attemptsBurst)
	l.addresses[key] = one
	return one
}
