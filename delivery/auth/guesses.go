package auth

import (
	"net/netip"
	"sync"
	"time"
)

// Limits on wrong API tokens, of one address. Nobody guesses 256 random bits; the limits keep guessing clients away
// from the store. A feed reader with a revoked token stays below them.
const (
	tokensBurst = 60
	tokensEvery = time.Second
)

// guesses counts wrong API tokens.
type guesses struct {
	mu        sync.Mutex
	addresses buckets[netip.Prefix]
	// proven are hashes of tokens that were right, at most maxBuckets. Their senders are not held up by others at their
	// address.
	proven map[[32]byte]bool
}

func newGuesses() *guesses {
	return &guesses{addresses: buckets[netip.Prefix]{}, proven: map[[32]byte]bool{}}
}

// mayAsk reports whether the store is to be asked about a token from addr.
func (g *guesses) mayAsk(addr netip.Addr, hash [32]byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.proven[hash] {
		return true
	}
	one, ok := g.addresses[ClientPrefix(addr)]
	return !ok || one.TokensAt(time.Now()) >= 1
}

// wrong counts a token that is nobody's, maybe no longer.
func (g *guesses) wrong(addr netip.Addr, hash [32]byte) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.proven, hash)
	if one := g.addresses.of(ClientPrefix(addr), tokensEvery, tokensBurst, now); one != nil {
		one.AllowN(now, 1)
	}
}

func (g *guesses) right(hash [32]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.proven) >= maxBuckets {
		clear(g.proven) // they prove themselves again
	}
	g.proven[hash] = true
}
