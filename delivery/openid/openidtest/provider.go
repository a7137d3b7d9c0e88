// Package openidtest runs an OpenID Connect provider that others wrote (github.com/zitadel/oidc), for tests. It has a
// form to sign in with, codes with PKCE, keys, a user endpoint and an end of sessions.
package openidtest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// How the provider knows its only client, and the password of all its users.
const (
	ClientID = "tidings"
	Secret   = "a secret of both"
	Password = "very secure"
)

// User is a user of the provider.
type User struct {
	Subject, Name, Email string
	Verified             bool // the address
	Groups               []string
}

// Provider is a provider at a free port of this machine, under the name localhost: another site than 127.0.0.1.
type Provider struct {
	Issuer string

	server *httptest.Server

	mu      sync.Mutex
	handler http.Handler // nil until Serve
	users   []User
	ended   int // sessions that were ended
}

// Start starts a provider that lives as long as the test. It answers 503 until Serve is called.
func Start(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		h := p.handler
		p.mu.Unlock()
		if h == nil {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	_, port, err := net.SplitHostPort(p.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	p.Issuer = "http://localhost:" + port
	return p
}

// Serve lets users sign in for a client at an address, and sends them back to two paths there: when they are signed
// in, and when they are signed out.
func (p *Provider) Serve(client, signedIn, signedOut string, users ...User) {
	p.SetUsers(users...)
	s := kept{p: p, signedOut: client + signedOut, Storage: storage.NewStorageWithClients(p, map[string]*storage.Client{
		ClientID: storage.WebClient(ClientID, Secret, client+signedIn)})}
	h := exampleop.SetupServer(p.Issuer, s, nil, false)
	p.mu.Lock()
	p.handler = h
	p.mu.Unlock()
}

// SetUsers changes what the provider knows of its users.
func (p *Provider) SetUsers(users ...User) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users = slices.Clone(users)
}

// Ended returns how many sessions were ended.
func (p *Provider) Ended() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// find returns the first user of a kind.
func (p *Provider) find(is func(User) bool) (User, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.users, is)
	if at < 0 {
		return User{}, false
	}
	return p.users[at], true
}

// GetUserByID is part of storage.UserStore.
func (p *Provider) GetUserByID(id string) *storage.User {
	u, ok := p.find(func(u User) bool { return u.Subject == id })
	return stored(u, ok)
}

// GetUserByUsername is part of storage.UserStore.
func (p *Provider) GetUserByUsername(name string) *storage.User {
	u, ok := p.find(func(u User) bool { return u.Name == name })
	return stored(u, ok)
}

// ExampleClientID is part of storage.UserStore.
func (p *Provider) ExampleClientID() string { return ClientID }

func stored(u User, ok bool) *storage.User {
	if !ok {
		return nil
	}
	return &storage.User{ID: u.Subject, Username: u.Name, Password: Password, Email: u.Email, EmailVerified: u.Verified}
}

// kept is the provider's memory, with groups and an end of sessions.
type kept struct {
	*storage.Storage

	p         *Provider
	signedOut string
}

// SetUserinfoFromToken is part of op.Storage.
func (k kept) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, tokenID, subject, origin string) error {
	if err := k.Storage.SetUserinfoFromToken(ctx, info, tokenID, subject, origin); err != nil {
		return err
	}
	if u, ok := k.p.find(func(u User) bool { return u.Subject == subject }); ok && u.Groups != nil {
		info.AppendClaims("groups", u.Groups)
	}
	return nil
}

// TerminateSession is part of op.Storage.
func (k kept) TerminateSession(ctx context.Context, user, client string) error {
	k.p.mu.Lock()
	k.p.ended++
	k.p.mu.Unlock()
	return k.Storage.TerminateSession(ctx, user, client)
}

// GetClientByClientID is part of op.Storage.
func (k kept) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := k.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{c, k.signedOut}, nil
}

// client is the only client of the provider.
type client struct {
	op.Client

	signedOut string
}

// PostLogoutRedirectURIs is part of op.Client.
func (c client) PostLogoutRedirectURIs() []string { return []string{c.signedOut} }

// NewBrowser returns a client that keeps cookies, as a browser without script does. It follows redirects.
func NewBrowser(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// hidden is the hidden field of the provider's form.
var hidden = regexp.MustCompile(`name="id" value="([^"]+)"`)

// SignIn has a browser begin at an address, fill in the provider's form, and come back. It returns the last answer,
// with its body read.
func SignIn(browser *http.Client, begin, name string) (last *http.Response, body string, err error) {
	resp, err := browser.Get(begin)
	if err != nil {
		return nil, "", err
	}
	form, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, "", err
	}
	id := hidden.FindSubmatch(form)
	if id == nil {
		return resp, string(form), nil // there is no form
	}
	r, err := http.NewRequest("POST", resp.Request.URL.Scheme+"://"+resp.Request.URL.Host+"/login/username",
		strings.NewReader(url.Values{"id": {string(id[1])}, "username": {name}, "password": {Password}}.Encode()))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if resp, err = browser.Do(r); err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), errors.Join(err, resp.Body.Close())
}
