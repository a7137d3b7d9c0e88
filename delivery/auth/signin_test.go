package auth

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// signIn signs in and returns the cookie.
func signIn(t *testing.T, g *Guard, password string, change func(*http.Request)) (*http.Cookie, error) {
	t.Helper()
	r := httptest.NewRequest("POST", "/login", nil)
	r.RemoteAddr = "127.0.0.1:50000"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	err := g.SignIn(w, r, OwnerName, password)
	cookies := w.Result().Cookies()
	if len(cookies) == 0 {
		return nil, err
	}
	return cookies[0], err
}

func guardWithPassword(t *testing.T) (*Guard, *memory) {
	store := newMemory()
	store.password = fastHash
	return newGuard(t,
			Config{Store: store, RequirePassword: true, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}}),
		store
}

func TestSession(t *testing.T) {
	g, store := guardWithPassword(t)
	c, err := signIn(t, g, fastPassword, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.Path != "/" || c.MaxAge != 30*24*3600 {
		t.Errorf("the cookie is %v", c)
	}
	if w := send(g, "GET", "/", cookie(c.Value)); w.Body.String() != "owner" {
		t.Errorf("with its cookie: %d %s", w.Code, w.Body)
	}
	_, secret, _ := strings.Cut(c.Value, ".")
	if _, ok := store.sessions[sha256.Sum256([]byte(secret))]; !ok || len(store.sessions) != 1 {
		t.Error("the store holds something else than the one hash")
	}

	r := httptest.NewRequest("POST", "/logout", nil)
	r.AddCookie(c)
	w := httptest.NewRecorder()
	if err := g.SignOut(w, r); err != nil {
		t.Fatal(err)
	}
	if got := w.Result().Cookies()[0]; got.MaxAge != -1 || got.Value != "" {
		t.Errorf("the cookie is not taken back: %v", got)
	}
	if w := send(g, "GET", "/", cookie(c.Value)); w.Code != 401 || len(store.sessions) != 0 {
		t.Errorf("after signing out: %d, %d sessions", w.Code, len(store.sessions))
	}
}

func TestCookieIsSecureUnderTLS(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   bool
	}{
		"plain": {nil, false},
		"TLS":   {func(r *http.Request) { r.TLS = &tls.ConnectionState{} }, true},
		"TLS at a trusted proxy": {func(r *http.Request) {
			r.RemoteAddr = "10.0.0.1:9"
			r.Header.Set("X-Forwarded-Proto", "https")
		}, true},
		"somebody claims to be such": {func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") }, false},
	} {
		g, _ := guardWithPassword(t)
		got, err := signIn(t, g, fastPassword, c.change)
		if err != nil || got.Secure != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestSignInRefused(t *testing.T) {
	g, store := guardWithPassword(t)
	if c, err := signIn(t, g, "wrong word", nil); !errors.Is(err, ErrWrongPassword) || c != nil {
		t.Errorf("a wrong password: %v, %v", c, err)
	}
	w := httptest.NewRecorder()
	if err := g.SignIn(w, httptest.NewRequest("POST", "/login", nil), "mallory", fastPassword); !errors.Is(err,
		ErrWrongPassword) {
		t.Errorf("an unknown name: %v", err)
	}
	store.password = ""
	if _, err := signIn(t, g, "", nil); !errors.Is(err, ErrNoPassword) {
		t.Errorf("no password set: %v", err)
	}
}

func TestSessionSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := guardWithPassword(t)
		c, err := signIn(t, g, fastPassword, nil)
		if err != nil {
			t.Fatal(err)
		}
		for day := range 100 { // used daily, it lasts for longer than its life
			time.Sleep(25 * time.Hour)
			w := send(g, "GET", "/", cookie(c.Value))
			if w.Body.String() != "owner" {
				t.Fatalf("day %d: %d", day, w.Code)
			}
			renewed := w.Result().Cookies()
			if len(renewed) != 1 || renewed[0].MaxAge != 30*24*3600 {
				t.Fatalf("day %d: not renewed: %v", day, renewed)
			}
			c = renewed[0]
			if w := send(g, "GET", "/", cookie(c.Value)); len(w.Result().Cookies()) != 0 {
				t.Fatalf("day %d: renewed twice", day)
			}
		}
		time.Sleep(31 * 24 * time.Hour) // not used, it ends
		if w := send(g, "GET", "/", cookie(c.Value)); w.Code != 401 {
			t.Errorf("after a month away: %d", w.Code)
		}
	})
}

// A new password ends all sessions except the one in which it was set. This holds even if it is the old one again.
func TestSetPassword(t *testing.T) {
	g, store := guardWithPassword(t)
	mine, _ := signIn(t, g, fastPassword, nil)
	other, _ := signIn(t, g, fastPassword, nil)
	set := func(current, next string) (*httptest.ResponseRecorder, error) {
		r := httptest.NewRequest("POST", "/settings/password", nil)
		r.RemoteAddr = "127.0.0.1:50000"
		r.AddCookie(mine)
		w := httptest.NewRecorder()
		return w, g.SetPassword(w, r, tidings.Owner, current, next)
	}
	if _, err := set("wrong word", "another one"); !errors.Is(err, ErrWrongPassword) {
		t.Errorf("with a wrong present password: %v", err)
	}
	if _, err := set(fastPassword, "short"); !errors.Is(err, ErrPasswordLength) || store.password != fastHash {
		t.Errorf("too short: %v", err)
	}
	w, err := set(fastPassword, fastPassword)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		value string
		want  int
	}{"this browser": {w.Result().Cookies()[0].Value, 200}, "its earlier session": {mine.Value, 401},
		"the other browser": {other.Value, 401}} {
		if got := send(g, "GET", "/", cookie(c.value)); got.Code != c.want {
			t.Errorf("%s: %d, want %d", name, got.Code, c.want)
		}
	}
}

func TestTokens(t *testing.T) {
	secret, hash := NewToken()
	other, _ := NewToken()
	if got, ok := tokenHash(secret); !ok || got != hash || secret == other || len(secret) != len("tdg_")+43 {
		t.Errorf("token %q", secret)
	}
	for _, bad := range []string{"", "tdg_", "tdg_short", secret[4:], secret + "x"} {
		if _, ok := tokenHash(bad); ok {
			t.Errorf("%q was taken for a token", bad)
		}
	}
}
