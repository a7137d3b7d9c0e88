package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"tidings"
)

// OwnerName is the name of the account tidings.Owner.
const OwnerName = "owner"

// Why somebody cannot sign in.
var (
	ErrTooManyAttempts = errors.New("too many attempts")
	ErrWrongPassword   = errors.New("wrong name or password")
	ErrNoPassword      = errors.New("no password is set")
)

// HasPassword reports whether the owner has set a password.
func (g *Guard) HasPassword(ctx context.Context) (bool, error) {
	hash, err := g.store.PasswordHash(ctx, tidings.Owner)
	if err != nil {
		return false, fmt.Errorf("look up password: %w", err)
	}
	return hash != "", nil
}

// Several reports whether several people use the node, so that signing in needs a name.
func (g *Guard) Several(ctx context.Context) (bool, error) {
	all, err := g.store.People(ctx)
	if err != nil {
		return false, fmt.Errorf("look up people: %w", err)
	}
	return len(all) > 1, nil
}

// SignIn opens a session for a person that knows the password of the account called name, and sets its cookie. A
// session that the request carries is closed. Errors to show a person: ErrTooManyAttempts, ErrWrongPassword,
// ErrNoPassword, ErrProxySignsIn.
func (g *Guard) SignIn(w http.ResponseWriter, r *http.Request, name, password string) error {
	if g.proxied(r) {
		return ErrProxySignsIn
	}
	account, hash, err := g.store.Account(r.Context(), name)
	if err != nil && !errors.Is(err, tidings.ErrNotFound) {
		return fmt.Errorf("sign in: %w", err)
	}
	trusted, allowed := g.mayTry(r, account, hash)
	if !allowed {
		return ErrTooManyAttempts
	}
	if err == nil && hash == "" {
		return ErrNoPassword
	}
	known := err == nil
	if !known {
		hash = decoy // as slow as for a name that exists
	}
	right, err := g.check(r.Context(), trusted, hash, password)
	if err != nil {
		return err
	}
	if !known || !right {
		g.log.Warn("sign-in failed", "from", g.Client(r).String())
		return ErrWrongPassword
	}
	return g.openInstead(w, r, account, hash)
}

// mayTry reports whether a password may be tried now, and whether the client goes before strangers.
func (g *Guard) mayTry(r *http.Request, account tidings.AccountID, passwordHash string) (trusted, allowed bool) {
	addr := g.Client(r)
	if known, ok := g.attempts.allowKnown(addr, deviceOf(r, account, passwordHash)); known {
		return true, ok
	}
	return false, g.attempts.allow(addr)
}

// SignOut closes the session that the request carries and removes the cookie. The browser stays known.
func (g *Guard) SignOut(w http.ResponseWriter, r *http.Request) error {
	err := g.close(r)
	g.setCookie(w, r, CookieName, "", -time.Second)
	return err
}

// SetPassword gives account a new password. Where one was set, current must be it; the
// new one may be the same. All sessions of the account end; this browser gets a new one. Passkeys stay.
func (g *Guard) SetPassword(w http.ResponseWriter, r *http.Request, account tidings.AccountID, current,
	next string) error {
	if err := g.Confirm(r.Context(), account, current); err != nil && !errors.Is(err, ErrNoPassword) {
		return err
	}
	hash, err := g.hash(r.Context(), next)
	if err != nil {
		return err
	}
	if err := g.store.ChangePasswordHash(r.Context(), account, hash); err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return g.open(w, r, account, hash)
}

// Confirm reports whether current is the password of an account, as one of its attempts to give it. Errors to show a
// person: ErrTooManyAttempts, ErrWrongPassword, ErrNoPassword.
func (g *Guard) Confirm(ctx context.Context, account tidings.AccountID, current string) error {
	if !g.attempts.allowAccount(account) {
		return ErrTooManyAttempts
	}
	hash, err := g.store.PasswordHash(ctx, account)
	switch {
	case err != nil:
		return fmt.Errorf("confirm by password: %w", err)
	case hash == "":
		return ErrNoPassword
	}
	right, err := g.check(ctx, true, hash, current)
	if err == nil && !right {
		err = ErrWrongPassword
	}
	return err
}

// decoy is the hash of no password that anybody knows.
const decoy = "$argon2id$v=19$m=65536,t=3,p=4$dGlkaW5ncy1kZWNveS1zYQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func (g *Guard) check(ctx context.Context, trusted bool, hash, password string) (bool, error) {
	if err := g.hashing.await(ctx, trusted); err != nil {
		return false, err
	}
	defer g.hashing.give()
	return CheckPassword(hash, password)
}

// hash computes a hash for a signed-in person.
func (g *Guard) hash(ctx context.Context, password string) (string, error) {
	if err := g.hashing.await(ctx, true); err != nil {
		return "", err
	}
	defer g.hashing.give()
	return HashPassword(password)
}
