package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

const sessionCookie = auth.CookieName

// settingsPage is what an account can set for itself.
type settingsPage struct {
	HasPassword   bool
	PasswordError string
	MinPassword   int
	Tokens        []tidings.Token
	Secret        string // of the token just made: shown this once
	FeverUser     string // of that token; empty: it is not for the Fever API
	Address       string // of the node, as the browser has it
	Local         bool   // no other machine reaches Address
	Sessions      []tidings.Session
}

func (s *site) settings(w http.ResponseWriter, r request) error {
	return s.showSettings(w, r, http.StatusOK, settingsPage{})
}

func (s *site) showSettings(w http.ResponseWriter, r request, status int, p settingsPage) error {
	var err error
	if p.HasPassword, err = s.guard.HasPassword(r.Context()); err != nil {
		return err
	}
	if p.Tokens, err = s.store.Tokens(r.Context(), r.account); err != nil {
		return err
	}
	if p.Sessions, err = sessions(s, r); err != nil {
		return err
	}
	p.MinPassword = auth.MinPassword
	p.Address, p.Local = ownAddress(r.Request)
	s.show(w, r, status, "settings", view{Title: "Settings", Section: "settings", Said: said(r), Body: p})
	return nil
}

func (s *site) setPassword(w http.ResponseWriter, r request) error {
	next := r.FormValue("new")
	if next != r.FormValue("again") {
		return s.showSettings(w, r, http.StatusUnprocessableEntity, settingsPage{PasswordError: "The two new passwords are not the same."})
	}
	err := s.guard.SetPassword(w, r.Request, r.account, r.FormValue("current"), next)
	if why := signInProblem(err); why != "" {
		return s.showSettings(w, r, http.StatusUnprocessableEntity, settingsPage{PasswordError: why})
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, "/settings?said=password")
}

// signInProblem says in a sentence what a person can mend, or "".
func signInProblem(err error) string {
	switch {
	case errors.Is(err, auth.ErrTooManyAttempts):
		return "Too many attempts. Wait half a minute and try again."
	case errors.Is(err, auth.ErrWrongPassword):
		return "That is not the password."
	case errors.Is(err, auth.ErrProxySignsIn):
		return "The reverse proxy says who you are, so this node asks for no password there."
	case errors.Is(err, auth.ErrPasswordLength):
		return fmt.Sprintf("A password needs at least %d characters.", auth.MinPassword)
	}
	return ""
}

const maxTokens = 100 // of an account

func (s *site) createToken(w http.ResponseWriter, r request) error {
	label := plain(r.field("label"), 80)
	if label == "" {
		label = "Made " + time.Now().Format("2 January 2006")
	}
	tokens, err := s.store.Tokens(r.Context(), r.account)
	if err != nil {
		return err
	}
	if len(tokens) >= maxTokens {
		return tidings.Invalidf("there are %d tokens already; remove one first", maxTokens)
	}
	secret, user := "", ""
	if r.FormValue("for") == "fever" {
		user = r.field("fever_user")
		secret, err = auth.IssueFeverToken(r.Context(), s.store, r.account, label, user)
	} else {
		secret, err = auth.IssueToken(r.Context(), s.store, r.account, label)
	}
	if err != nil {
		return err
	}
	return s.showSettings(w, r, http.StatusOK, settingsPage{Secret: secret, FeverUser: user})
}

// ownAddress returns the node's address as the browser has it, without a path, and whether other machines cannot use it.
func ownAddress(r *http.Request) (address string, local bool) {
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: r.Host}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.String(), err == nil && ip.IsLoopback() || u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost")
}

func (s *site) deleteToken(w http.ResponseWriter, r request) error {
	if err := s.store.DeleteToken(r.Context(), r.account, r.number("id")); err != nil && !errors.Is(err, tidings.ErrNotFound) {
		return err
	}
	return seeOther(w, r, "/settings?said=removed")
}

// How the page looks is a matter of the browser, not of the account: it lives in a cookie.
const appearanceCookie = "tidings_look"

// appearance returns what the browser's cookie says: theme "", "light" or "dark", and
// whether single keys are shortcuts.
func appearance(r *http.Request) (theme string, keys bool) {
	c, err := r.Cookie(appearanceCookie)
	if err != nil {
		return "", true
	}
	switch c.Value {
	case "light", "dark":
		return c.Value, true
	case "light-nokeys":
		return "light", false
	case "dark-nokeys":
		return "dark", false
	case "auto-nokeys":
		return "", false
	}
	return "", true
}

func (s *site) setAppearance(w http.ResponseWriter, r request) error {
	value := r.FormValue("theme")
	if value != "light" && value != "dark" {
		value = "auto"
	}
	if r.FormValue("keys") != "on" {
		value += "-nokeys"
	}
	http.SetCookie(w, &http.Cookie{Name: appearanceCookie, Value: value, Path: "/", MaxAge: 400 * 24 * 3600,
		HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return seeOther(w, r, "/settings?said=saved")
}
