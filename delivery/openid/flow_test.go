package openid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/openid/openidtest"
)

// node is a page with one way to sign in, and the store behind it.
type node struct {
	*httptest.Server

	client *Client

	mu       sync.Mutex
	users    []tidings.ProviderUser // that signed in
	refused  []string               // subjects
	entered  []tidings.AccountID
	attempts int
	limited  bool  // no attempt is left
	proxied  bool  // a proxy names people
	fails    error // what the store answers
	last     error // of the last return
}

// serve serves a page that signs people in by settings.
func serve(t *testing.T, settings Settings) *node {
	t.Helper()
	n := &node{}
	c, err := New(Config{Settings: settings, Store: n, Guard: n,
		Transport: http.DefaultTransport.(*http.Transport).Clone()})
	if err != nil {
		t.Fatal(err)
	}
	n.client = c
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+BeginPath, func(w http.ResponseWriter, r *http.Request) {
		to, err := c.Begin(w, r, r.FormValue("next"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
	mux.HandleFunc("GET "+ReturnPath, func(w http.ResponseWriter, r *http.Request) {
		next, err := c.Finish(w, r)
		n.mu.Lock()
		n.last = err
		n.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		fmt.Fprint(w, "going on to "+next)
	})
	mux.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, c.End(w, r)) })
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the login page") })
	n.Server = httptest.NewServer(mux)
	t.Cleanup(n.Close)
	return n
}

func (n *node) Origin(*http.Request) (string, error) {
	if n.proxied {
		return "", auth.ErrProxySignsIn
	}
	return n.URL, nil
}

func (n *node) CountAttempt(*http.Request) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.attempts++
	if n.limited {
		return auth.ErrTooManyAttempts
	}
	return nil
}

func (n *node) Enter(_ http.ResponseWriter, _ *http.Request, account tidings.AccountID) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.entered = append(n.entered, account)
	return nil
}

func (n *node) SignIn(_ context.Context, u tidings.ProviderUser) (tidings.Person, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.users = append(n.users, u)
	return tidings.Person{ID: 7, Name: u.Names[0]}, n.fails
}

func (n *node) Refuse(_ context.Context, _, subject string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refused = append(n.refused, subject)
	return nil
}

// ann is a user of the provider.
func ann(groups ...string) openidtest.User {
	return openidtest.User{Subject: "subject of ann", Name: "ann", Email: "ann@mail.example", Verified: true,
		Groups: groups}
}

// withProvider serves a page and a provider that ann and bob use.
func withProvider(t *testing.T, change func(*Settings), users ...openidtest.User) (*node, *openidtest.Provider) {
	t.Helper()
	p := openidtest.Start(t)
	s := Settings{Issuer: p.Issuer, ClientID: openidtest.ClientID, Secret: openidtest.Secret}
	if change != nil {
		change(&s)
	}
	n := serve(t, s)
	p.Serve(n.URL, ReturnPath, "/login", users...)
	return n, p
}

// A user signs in at a provider that others wrote, comes back, and signs out in both places.
func TestSignInAndOut(t *testing.T) {
	n, p := withProvider(t, nil, ann())
	browser := openidtest.NewBrowser(t)
	_, body, err := openidtest.SignIn(browser, n.URL+BeginPath+"?next=/channels", "ann")
	if err != nil || body != "going on to /channels" {
		t.Fatalf("signing in: %q, error %v", body, err)
	}
	if len(n.users) != 1 || len(n.entered) != 1 || n.entered[0] != 7 || n.attempts != 1 {
		t.Fatalf("signed in %+v, entered %v after %d attempts", n.users, n.entered, n.attempts)
	}
	u := n.users[0]
	if u.Issuer != p.Issuer || u.Subject != "subject of ann" || fmt.Sprint(u.Names) != "[ann ann@mail.example]" ||
		u.Role != "" || u.Owner || u.Create || u.TrustNames {
		t.Errorf("the user is %+v", u)
	}

	out := func() string {
		t.Helper()
		resp, err := browser.Post(n.URL+"/logout", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	location := out()
	if !strings.HasPrefix(location, p.Issuer+"/end_session?") || !strings.Contains(location, "id_token_hint=") {
		t.Fatalf("signing out leads to %q", location)
	}
	resp, err := browser.Get(location)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Request.URL.String() != n.URL+"/login" || p.Ended() != 1 {
		t.Errorf("after signing out at %s, %d sessions were ended", resp.Request.URL, p.Ended())
	}
	if location := out(); location != "" {
		t.Errorf("signing out again leads to %q", location)
	}
}

// What the provider says of groups decides on roles, each time.
func TestRolesOfGroups(t *testing.T) {
	n, p := withProvider(t, func(s *Settings) { s.AdminGroup, s.ReaderGroup = "chiefs", "staff" })
	for _, c := range []struct {
		groups []string
		role   tidings.Role // "": refused
	}{
		{[]string{"staff"}, tidings.Reader},
		{[]string{"staff", "chiefs"}, tidings.Administrator},
		{[]string{"chiefs"}, tidings.Administrator},
		{[]string{"Chiefs", "staff"}, tidings.Reader},
		{[]string{"others"}, ""},
		{nil, ""},
	} {
		p.SetUsers(ann(c.groups...))
		n.users, n.refused, n.entered = nil, nil, nil
		if _, _, err := openidtest.SignIn(openidtest.NewBrowser(t), n.URL+BeginPath, "ann"); err != nil {
			t.Fatal(err)
		}
		if c.role == "" {
			if !errors.Is(n.last, ErrNoRole) || len(n.entered) > 0 || fmt.Sprint(n.refused) != "[subject of ann]" {
				t.Errorf("%q: %v, entered %v, refused %q", c.groups, n.last, n.entered, n.refused)
			}
			continue
		}
		if len(n.users) != 1 || n.users[0].Role != c.role || len(n.entered) != 1 {
			t.Errorf("%q: %+v, error %v, want %s", c.groups, n.users, n.last, c.role)
		}
	}
}

// The owner is the user that the settings name by the subject, whatever groups and names there are.
func TestOwnerBySubject(t *testing.T) {
	n, p := withProvider(t, func(s *Settings) { s.ReaderGroup, s.Owner = "staff", "subject of ann" })
	p.SetUsers(ann(), openidtest.User{Subject: "subject of eve", Name: "owner", Groups: []string{"staff"}})
	for name, owner := range map[string]bool{"ann": true, "owner": false} {
		n.users = nil
		if _, _, err := openidtest.SignIn(openidtest.NewBrowser(t), n.URL+BeginPath, name); err != nil {
			t.Fatal(err)
		}
		if len(n.users) != 1 || n.users[0].Owner != owner {
			t.Errorf("%s: %+v, error %v", name, n.users, n.last)
		}
	}
}
