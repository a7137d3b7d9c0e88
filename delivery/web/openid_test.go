package web

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/openid"
	"tidings/delivery/web/shell"
)

// standIn is a provider that a test decides about.
type standIn struct {
	next      string // where Finish leads
	end       string // where End leads
	fails     error  // what Begin and Finish answer
	begun     []string
	forgotten int // how often
}

func (*standIn) Name() string { return "Example & Co" }

func (p *standIn) Begin(_ http.ResponseWriter, _ *http.Request, next string) (string, error) {
	p.begun = append(p.begun, next)
	return "https://id.example/authorize?x=y", p.fails
}
func (p *standIn) Finish(http.ResponseWriter, *http.Request) (string, error) { return p.next, p.fails }
func (p *standIn) End(http.ResponseWriter, *http.Request) string             { return p.end }
func (p *standIn) Forget(http.ResponseWriter, *http.Request)                 { p.forgotten++ }

var _ Provider = (*openid.Client)(nil)

// staying answers /assets/stay with nothing, so that a browser stays at the page that leads there.
func staying(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/assets/stay" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withStandIn visits a page of an owner with a password, where p signs people in.
func withStandIn(t *testing.T, p *standIn) *visitor {
	t.Helper()
	f := sample()
	f.password = cheapHash
	if p != nil {
		f.provider = p
	}
	return visit(t, f, true)
}

func TestProviderOnTheSignInPage(t *testing.T) {
	p := &standIn{next: "/channels?a=b&c=d"}
	v := withStandIn(t, p)
	w := v.get("/login?next=/channels")
	sound(t, "/login", w.Body.String())
	if !strings.Contains(w.Body.String(), `href="/login/openid?next=%2fchannels">Sign in with Example &amp; Co</a>`) {
		t.Errorf("the page offers nothing: %s", w.Body)
	}
	v.goesTo(v.get("/login/openid?next=%2fchannels"), "https://id.example/authorize?x=y")
	if fmt.Sprint(p.begun) != "[/channels]" {
		t.Errorf("begun for %q", p.begun)
	}
	w = v.get("/login/openid/return?code=1&state=2")
	sound(t, "the way back", w.Body.String())
	text := html.UnescapeString(w.Body.String())
	if w.Code != 200 || !strings.Contains(text, `http-equiv="refresh" content="0; url=/channels?a=b&c=d"`) ||
		!strings.Contains(text, `<a class="button" href="/channels?a=b&c=d">Go on</a>`) {
		t.Errorf("the way back: %d %s", w.Code, text)
	}
	if w.Header().Get("Content-Security-Policy") != shell.Policy {
		t.Error("the page that leads on has another policy")
	}

	v.goesTo(v.post("/login", "password", "secret word"), "/")
	if p.forgotten != 1 {
		t.Error("after a sign-in by password the provider is to end the session")
	}
}

// No address leads to another site, neither on the way there nor on the way back.
func TestProviderLeadsNowhereElse(t *testing.T) {
	for _, next := range []string{"https://attacker.example/", "//attacker.example/", `/\attacker.example/`,
		"javascript:alert(1)", "attacker", "/\tx", ""} {
		p := &standIn{next: next}
		v := withStandIn(t, p)
		v.get("/login/openid?next=" + url.QueryEscape(next))
		if fmt.Sprint(p.begun) != "[/]" {
			t.Errorf("%q: begun for %q", next, p.begun)
		}
		if text := v.get("/login/openid/return").Body.String(); !strings.Contains(text, `content="0; url=/">`) ||
			strings.Contains(text, "attacker") {
			t.Errorf("%q: the way back is %s", next, text)
		}
	}
}

func TestProviderProblems(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		text   string
	}{
		{auth.ErrTooManyAttempts, 429, "Too many attempts."},
		{openid.ErrBusy, 503, "Many people sign in"},
		{openid.ErrNoAnswer, 502, "Example & Co does not answer"},
		{openid.ErrNotBegun, 400, "was not begun in this browser"},
		{openid.ErrDenied, 401, "did not sign you in"},
		{openid.ErrInvalid, 502, "proves nothing"},
		{openid.ErrNoRole, 403, "none of the groups"},
		{openid.ErrUnknown, 403, "nobody of your name"},
		{openid.ErrTaken, 403, "Somebody of your name"},
		{tidings.Invalidf("1000 people use this node, and more are not possible"), 403, "more are not possible."},
		{auth.ErrProxySignsIn, 404, "Nothing here"},
		{errors.New("disk"), 500, "Something went wrong"},
	} {
		v := withStandIn(t, &standIn{fails: fmt.Errorf("signing in: %w", c.err)})
		for _, path := range []string{"/login/openid", "/login/openid/return"} {
			w := v.get(path)
			sound(t, path, w.Body.String())
			text := html.UnescapeString(w.Body.String())
			if w.Code != c.status || !strings.Contains(text, c.text) || strings.Contains(text, "http-equiv") {
				t.Errorf("%s, %v: %d %s", path, c.err, w.Code, text)
			}
			if (w.Header().Get("Retry-After") != "") != (c.status == 429) {
				t.Errorf("%v: Retry-After is %q", c.err, w.Header().Get("Retry-After"))
			}
			if len(w.Result().Cookies()) > 0 {
				t.Errorf("%v: it sets %v", c.err, w.Result().Cookies())
			}
		}
	}
}

// Signing out leads to the provider if it opened the session, by a page: the policy lets no form lead to another site.
func TestSignOutAtTheProvider(t *testing.T) {
	p := &standIn{}
	v := withStandIn(t, p)
	v.goesTo(v.post("/login", "password", "secret word"), "/")
	v.goesTo(v.post("/logout"), "/login")
	v.goesTo(v.post("/login", "password", "secret word"), "/")
	p.end = "https://id.example/end?client_id=x&id_token_hint=y"
	w := v.post("/logout")
	sound(t, "/logout", w.Body.String())
	text := html.UnescapeString(w.Body.String())
	if w.Code != 200 || !strings.Contains(text, `content="0; url=`+p.end+`"`) ||
		!strings.Contains(text, `<a class="button" href="`+p.end+`">Sign out at Example & Co, too</a>`) {
		t.Errorf("signing out: %d %s", w.Code, text)
	}
	if v.cookies[auth.CookieName] != "" {
		t.Error("the session's cookie stays")
	}
	v.goesTo(v.get("/"), "/login")
}

func TestWithoutProvider(t *testing.T) {
	v := withStandIn(t, nil)
	if strings.Contains(v.get("/login").Body.String(), "openid") {
		t.Error("the page offers a provider")
	}
	for _, path := range []string{"/login/openid", "/login/openid/return"} {
		if w := v.get(path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
