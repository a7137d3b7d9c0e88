package auth

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func bearing(ip, secret string) func(*http.Request) {
	return func(r *http.Request) {
		r.RemoteAddr = ip + ":50000"
		r.Header.Set("Authorization", "Bearer "+secret)
	}
}

// hostile 59: a client that guesses API tokens is throttled at its address. A token that was right before is not,
// wherever it comes from.
func TestHostile59GuessedTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		g := newGuard(t, Config{Store: store, RequirePassword: true})
		mine, hash := NewToken()
		store.tokens[hash] = true
		if w := send(g, "GET", "/", bearing("192.0.2.1", mine)); w.Code != 200 {
			t.Fatalf("the right token: %d", w.Code)
		}
		for i := range tokensBurst {
			wrong, _ := NewToken()
			if w := send(g, "GET", "/", bearing("192.0.2.1", wrong)); w.Code != 401 {
				t.Fatalf("wrong token %d: %d", i+1, w.Code)
			}
		}
		late, lateHash := NewToken()
		store.tokens[lateHash] = true
		w := send(g, "GET", "/", bearing("192.0.2.1", late))
		if seconds, err := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != 429 || err != nil || seconds < 1 {
			t.Errorf("the token after too many wrong ones: %d, to come again after %q", w.Code,
				w.Header().Get("Retry-After"))
		}
		page := send(g, "GET", "/", func(r *http.Request) {
			bearing("192.0.2.1", late)(r)
			r.Header.Set("Accept", "text/html")
		})
		if page.Header().Get("Retry-After") != "1" || !strings.Contains(page.Body.String(), "Try again in a second.") {
			t.Errorf("a person is told %q, a program to come again after %q s", page.Body,
				page.Header().Get("Retry-After"))
		}
		if w := send(g, "GET", "/", bearing("192.0.2.2", late)); w.Code != 200 {
			t.Errorf("the same from another address: %d", w.Code)
		}
		for range 3 * tokensBurst {
			if w := send(g, "GET", "/", bearing("192.0.2.1", mine)); w.Code != 200 {
				t.Fatalf("who was right before: %d", w.Code)
			}
		}
		delete(store.tokens, hash)
		if w := send(g, "GET", "/", bearing("192.0.2.1", mine)); w.Code != 401 {
			t.Errorf("a token that was revoked: %d", w.Code)
		}
		if w := send(g, "GET", "/", bearing("192.0.2.1", mine)); w.Code != 429 {
			t.Errorf("a revoked token again: %d", w.Code)
		}
		time.Sleep(3 * tokensEvery)
		if w := send(g, "GET", "/", bearing("192.0.2.1", late)); w.Code != 200 {
			t.Errorf("after a while: %d", w.Code)
		}
	})
}

// What remembers tokens is bounded.
func TestProvenTokensAreBounded(t *testing.T) {
	g := newGuesses()
	for i := range 3 * maxBuckets {
		g.right([32]byte{byte(i), byte(i >> 8)})
		if len(g.proven) > maxBuckets {
			t.Fatalf("%d tokens are remembered", len(g.proven))
		}
	}
}
