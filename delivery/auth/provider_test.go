package auth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"tidings"
)

// Somebody that is known otherwise gets a session as by password, which no password check was needed for.
func TestEnter(t *testing.T) {
	store := newMemory()
	store.password = fastHash
	g := newGuard(t, Config{Store: store, RequirePassword: true})
	r, w := httptest.NewRequest("GET", "/login/openid/return", nil), httptest.NewRecorder()
	if err := g.Enter(w, r, tidings.Owner); err != nil {
		t.Fatal(err)
	}
	kept := map[string]*http.Cookie{}
	for _, c := range w.Result().Cookies() {
		kept[c.Name] = c
	}
	session := kept[CookieName]
	if session == nil || session.SameSite != http.SameSiteStrictMode || !session.HttpOnly ||
		kept[DeviceCookieName] == nil {
		t.Fatalf("cookies: %v", kept)
	}
	if w := send(g, "GET", "/", cookie(session.Value)); w.Code != 200 || w.Body.String() != "owner" {
		t.Errorf("with the session: %d %s", w.Code, w.Body)
	}
	r.AddCookie(session)
	if err := g.Enter(httptest.NewRecorder(), r, tidings.Owner); err != nil || len(store.sessions) != 1 {
		t.Errorf("entering again leaves %d sessions, error %v", len(store.sessions), err)
	}
}

// Other attempts count like those by password: strangers have a limited number, and use up none of those of known
// clients.
func TestCountAttempt(t *testing.T) {
	store := newMemory()
	store.password = fastHash
	g := newGuard(t, Config{Store: store, RequirePassword: true})
	from := func(addr string) error {
		r := httptest.NewRequest("GET", "/login/openid/return", nil)
		r.RemoteAddr = addr + ":40000"
		return g.CountAttempt(r)
	}
	for i := range attemptsBurst {
		if err := from("203.0.113.5"); err != nil {
			t.Fatalf("attempt %d: %v", i, err)
		}
	}
	if err := from("203.0.113.5"); !errors.Is(err, ErrTooManyAttempts) {
		t.Errorf("one more: %v", err)
	}
	r := httptest.NewRequest("POST", "/login", nil)
	r.RemoteAddr = "203.0.113.5:40000"
	if err := g.SignIn(httptest.NewRecorder(), r, OwnerName, fastPassword); !errors.Is(err, ErrTooManyAttempts) {
		t.Errorf("by password: %v", err)
	}
	g.attempts.meet(netip.MustParseAddr("203.0.113.9"))
	for from("203.0.113.6") == nil || from("203.0.113.7") == nil || from("203.0.113.8") == nil ||
		from("203.0.113.10") == nil {
	}
	if err := from("203.0.113.9"); err != nil {
		t.Errorf("where somebody signed in: %v", err)
	}
}

// The origin is as the browser knows it. Through a proxy that names people there is no other way to sign in.
func TestOrigin(t *testing.T) {
	plain := newGuard(t,
		Config{Store: newMemory(), Proxies: []netip.Prefix{netip.MustParsePrefix(proxyAddress + "/32")}})
	naming, _ := behindProxy(t, nil)
	for _, c := range []struct {
		guard  *Guard
		peer   string
		proto  string
		origin string
		err    error
	}{
		{plain, strangerPeer, "", "http://news.example.org", nil},
		{plain, strangerPeer, "https", "http://news.example.org", nil},
		{plain, proxyPeer, "https", "https://news.example.org", nil},
		{naming, proxyPeer, "https", "", ErrProxySignsIn},
		{naming, strangerPeer, "", "http://news.example.org", nil},
	} {
		r := httptest.NewRequest("GET", "/login/openid", nil)
		r.Host, r.RemoteAddr = "news.example.org", c.peer
		r.Header.Set("X-Forwarded-Proto", c.proto)
		if origin, err := c.guard.Origin(r); origin != c.origin || !errors.Is(err, c.err) {
			t.Errorf("from %s by %q: %q, error %v", c.peer, c.proto, origin, err)
		}
		if c.err != nil {
			w := httptest.NewRecorder()
			if err := errors.Join(c.guard.CountAttempt(r), c.guard.Enter(w, r, tidings.Owner)); !errors.Is(err,
				c.err) || len(w.Result().Cookies()) > 0 {
				t.Errorf("through the proxy: %v, cookies %v", err, w.Result().Cookies())
			}
		}
	}
}

// No password fits, and no two are the same: device cookies are signed with it.
func TestNoPassword(t *testing.T) {
	one, other := NoPassword(), NoPassword()
	if ok, err := CheckPassword(one, ""); ok || err != nil {
		t.Errorf("the empty password: %v, error %v", ok, err)
	}
	if one == other {
		t.Error("it is the same each time")
	}
}
