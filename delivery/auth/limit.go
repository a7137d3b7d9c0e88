package auth

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tidings"
)

// Limits on signing in. A person that mistypes does not notice them. A stranger that guesses gets about 2,900 attempts
// a day from one address and 17,000 in all.
const (
	attemptsBurst    = 5 // of one address, device or account
	attemptsEvery    = 30 * time.Second
	allAttemptsBurst = 20 // of all strangers
	allAttemptsEvery = 5 * time.Second
	maxBuckets       = 1024 // in each table, about 200 bytes each
)

// RetryAfter is how long to wait after ErrTooManyAttempts.
const RetryAfter = attemptsEvery

// ClientPrefix returns the addresses that count as one client. For IPv6 that is the /64, which is what one customer of
// a provider has. The zero prefix stands for all clients with unknown addresses.
func ClientPrefix(addr netip.Addr) netip.Prefix {
	bits := 32
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		bits = 64
	}
	prefix, _ := addr.Prefix(bits) // fails for the zero Addr alone
	return prefix
}

// buckets are limits of one kind, at most maxBuckets of them. One that is full again is as good as none.
type buckets[K comparable] map[K]*rate.Limiter

// of returns the limit of key, or nil if the table is full of keys that tried lately.
func (b buckets[K]) of(key K, every time.Duration, burst int, now time.Time) *rate.Limiter {
	if one, ok := b[key]; ok {
		return one
	}
	if len(b) >= maxBuckets {
		for k, one := range b {
			if one.TokensAt(now) >= float64(one.Burst()) {
				delete(b, k)
			}
		}
		if len(b) >= maxBuckets {
			return nil
		}
	}
	one := rate.NewLimiter(rate.Every(every), burst)
	b[key] = one
	return one
}

// allow counts one attempt of key, if it may be made now.
func (b buckets[K]) allow(key K, now time.Time) bool {
	one := b.of(key, attemptsEvery, attemptsBurst, now)
	return one != nil && one.AllowN(now, 1)
}

// limiter counts attempts to enter a password. Each counts once. If a device or account is proved, it counts for that.
// Else, if somebody signed in from its address, it counts for the address. Else it counts for its address and among all
// strangers. So strangers, however many, use up no tries of known clients.
type limiter struct {
	mu        sync.Mutex
	all       *rate.Limiter // strangers together
	addresses buckets[netip.Prefix]
	familiar  buckets[netip.Prefix] // addresses in signedIn
	devices   buckets[device]
	accounts  buckets[tidings.AccountID]
	signedIn  map[netip.Prefix]time.Time // when somebody signed in there was last met, at most maxBuckets
}

func newLimiter() *limiter {
	return &limiter{
		all:       rate.NewLimiter(rate.Every(allAttemptsEvery), allAttemptsBurst),
		addresses: buckets[netip.Prefix]{}, familiar: buckets[netip.Prefix]{}, devices: buckets[device]{},
		accounts: buckets[tidings.AccountID]{}, signedIn: map[netip.Prefix]time.Time{},
	}
}

// allow reports whether a stranger at addr may try now, and counts the attempt if so.
func (l *limiter) allow(addr netip.Addr) bool {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all.TokensAt(now) < 1 { // nor is there a new address to remember
		return false
	}
	return l.addresses.allow(ClientPrefix(addr), now) && l.all.AllowN(now, 1)
}

// allowKnown reports whether an attempt comes from a known client, and if so, whether it may be made now. If a device's
// tries are used up, maybe by a thief of its cookie, it still has those of a familiar address. It does not have those
// of strangers.
func (l *limiter) allowKnown(addr netip.Addr, d *device) (known, ok bool) {
	now, client := time.Now(), ClientPrefix(addr)
	l.mu.Lock()
	defer l.mu.Unlock()
	if d != nil && l.devices.allow(*d, now) {
		return true, true
	}
	if met, ok := l.signedIn[client]; ok && now.Sub(met) < sessionLife {
		return true, l.familiar.allow(client, now)
	}
	return d != nil, false
}

// allowAccount reports whether somebody signed in may try the password of the account now.
func (l *limiter) allowAccount(account tidings.AccountID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accounts.allow(account, time.Now())
}

// meet notes that somebody signed in is at addr. The address met longest ago makes room.
func (l *limiter) meet(addr netip.Addr) {
	client := ClientPrefix(addr)
	if client == (netip.Prefix{}) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signedIn[client] = time.Now()
	if len(l.signedIn) <= maxBuckets {
		return
	}
	oldest := client
	for c, met := range l.signedIn {
		if met.Before(l.signedIn[oldest]) {
			oldest = c
		}
	}
	delete(l.signedIn, oldest)
}
