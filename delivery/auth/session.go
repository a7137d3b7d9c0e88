package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// CookieName is the name of the cookie that holds a session.
const CookieName = "tidings_session"

const (
	sessionLife  = 30 * 24 * time.Hour // since the session was last renewed
	sessionRenew = 24 * time.Hour      // how old a session is renewed when it is used
)

// session is what the cookie says: renewed.secret. Only the secret proves anything; a
// false time merely has a true session renewed earlier or later.
type session struct {
	renewed time.Time // whole seconds
	secret  string
}

func (s session) String() string { return fmt.Sprintf("%d.%s", s.renewed.Unix(), s.secret) }

// sessionOf returns the session that the request's cookie names, true or invented.
func sessionOf(r *http.Request) (s session, ok bool) {
	cookie, err := r.Cookie(CookieName)
	if err != nil {
		return s, false
	}
	renewed, secret, _ := strings.Cut(cookie.Value, ".")
	t, err := strconv.ParseInt(renewed, 10, 64)
	if err != nil || len(secret) != secretText.EncodedLen(secretBytes) {
		return s, false
	}
	return session{time.Unix(t, 0), secret}, true
}

// bySession returns the account of the session in the request. It renews the session if w is not nil.
func (g *Guard) bySession(w http.ResponseWriter, r *http.Request) (tidings.AccountID, error) {
	s, ok := sessionOf(r)
	if !ok {
		return 0, tidings.ErrUnauthorized
	}
	hash := sessionHash(s.secret)
	account, err := g.store.Session(r.Context(), hash)
	if err != nil {
		return 0, notFoundIsUnauthorized(err)
	}
	g.attempts.meet(g.Client(r))
	if now := time.Now(); w != nil && now.Sub(s.renewed) > sessionRenew {
		if err := g.store.CreateSession(r.Context(), hash, account, now.Add(sessionLife), r.UserAgent()); err != nil {
			g.log.Warn("session not renewed", "error", err)
		} else {
			s.renewed = now
			g.setCookie(w, r, CookieName, s.String(), sessionLife)
		}
	}
	return account, nil
}

// open begins a session of account and gives the browser its cookie. Browser and address are known from now on.
func (g *Guard) open(w http.ResponseWriter, r *http.Request, account tidings.AccountID, passwordHash string) error {
	if g.proxied(r) {
		return nil // the proxy names the person, and no session counts
	}
	now := time.Now()
	s := session{now, newSecret()}
	if err := g.store.CreateSession(r.Context(), sessionHash(s.secret), account, now.Add(sessionLife),
		r.UserAgent()); err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	g.setCookie(w, r, CookieName, s.String(), sessionLife)
	g.setCookie(w, r, DeviceCookieName, newDevice(account, passwordHash), deviceLife)
	g.attempts.meet(g.Client(r))
	return nil
}

// openInstead begins a session of account in place of the one that the request carries, if it does.
func (g *Guard) openInstead(w http.ResponseWriter, r *http.Request, account tidings.AccountID,
	passwordHash string) error {
	if err := g.close(r); err != nil {
		g.log.Warn("earlier session stays open", "error", err)
	}
	return g.open(w, r, account, passwordHash)
}

// ThisSession returns the hash of the session that a request carries, by which the store knows it.
func ThisSession(r *http.Request) (hash [32]byte, ok bool) {
	s, ok := sessionOf(r)
	if !ok {
		return hash, false
	}
	return sessionHash(s.secret), true
}

// close ends the session that the request carries, if it does.
func (g *Guard) close(r *http.Request) error {
	s, ok := sessionOf(r)
	if !ok {
		return nil
	}
	if err := g.store.DeleteSession(r.Context(), sessionHash(s.secret)); err != nil &&
		!errors.Is(err, tidings.ErrNotFound) {
		return fmt.Errorf("close session: %w", err)
	}
	return nil
}

func (g *Guard) setCookie(w http.ResponseWriter, r *http.Request, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.secure(r),
	})
}

func notFoundIsUnauthorized(err error) error {
	if errors.Is(err, tidings.ErrNotFound) {
		return tidings.ErrUnauthorized
	}
	return err
}
