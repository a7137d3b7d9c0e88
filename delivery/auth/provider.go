package auth

import (
	"crypto/rand"
	"fmt"
	"net/http"

	"tidings"
)

// Origin returns the origin, such as https://news.example.org, by which the browser that sent a request knows the node.
// ErrProxySignsIn says that the request came through a proxy that names people, where no other way to sign in counts.
func (g *Guard) Origin(r *http.Request) (string, error) {
	switch {
	case g.proxied(r):
		return "", ErrProxySignsIn
	case g.secure(r):
		return "https://" + r.Host, nil
	}
	return "http://" + r.Host, nil
}

// CountAttempt counts an attempt to sign in by something else than a password, with the limits of those by password.
// Beyond them it returns ErrTooManyAttempts. ErrProxySignsIn is that of Origin.
func (g *Guard) CountAttempt(r *http.Request) error {
	if g.proxied(r) {
		return ErrProxySignsIn
	}
	addr := g.Client(r)
	known, allowed := g.attempts.allowKnown(addr, nil)
	if !known {
		allowed = g.attempts.allow(addr)
	}
	if !allowed {
		return ErrTooManyAttempts
	}
	return nil
}

// Enter opens a session for a person that is known by something else than a password, and sets its cookie. A session
// that the request carries is closed. ErrProxySignsIn is that of Origin.
func (g *Guard) Enter(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	if g.proxied(r) {
		return ErrProxySignsIn
	}
	hash, err := g.store.PasswordHash(r.Context(), account)
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	return g.openInstead(w, r, account, hash)
}

// NoPassword returns a hash that no known password has, for a person that signs in by something else. Each call returns
// another: device cookies are signed with it (see newDevice).
func NoPassword() string {
	salt, key := make([]byte, saltBytes), make([]byte, keyBytes)
	rand.Read(salt) // never fails
	rand.Read(key)
	return phcText(salt, key)
}
