package openid

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"tidings"
)

// Paths of the page for this flow.
const (
	BeginPath  = "/login/openid"        // leads to the provider
	ReturnPath = "/login/openid/return" // where the provider sends the browser back to
	afterLogin = "/login"               // where it does after signing out
)

// Store keeps which person a provider's user is: a *reader.Identities.
type Store interface {
	SignIn(ctx context.Context, u tidings.ProviderUser) (tidings.Person, error)
	Refuse(ctx context.Context, issuer, subject string) error
}

// Guard opens sessions: an *auth.Guard.
type Guard interface {
	Origin(r *http.Request) (string, error)
	CountAttempt(r *http.Request) error
	Enter(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error
}

// Config is what a Client is made of. All but Log is needed.
type Config struct {
	Settings

	Store     Store
	Guard     Guard
	Transport http.RoundTripper // by which the provider is asked; it decides to which addresses it connects
	Log       *slog.Logger      // nil: none
}

// Client signs people in with one provider. It is safe for concurrent use.
type Client struct {
	settings  Settings
	store     Store
	guard     Guard
	http      *http.Client
	discovery *discovery
	seal      seal
	waiting   chan struct{} // holds one for each request that waits for the provider, at most maxSignIns
	log       *slog.Logger
}

// New returns a client, or says what is wrong with c. It asks the provider nothing.
func New(c Config) (*Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Issuer == "" || c.Store == nil || c.Guard == nil || c.Transport == nil {
		return nil, errors.New("openid: issuer, store, guard and transport are needed")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s, err := newSeal()
	if err != nil {
		return nil, err
	}
	client := newHTTP(c.Transport)
	return &Client{
		settings: c.Settings, store: c.Store, guard: c.Guard, http: client,
		discovery: &discovery{issuer: c.Issuer, http: client}, seal: s, waiting: make(chan struct{}, maxSignIns),
		log: c.Log,
	}, nil
}

// Name returns the provider's name for people.
func (c *Client) Name() string { return c.settings.shown() }

// wait bounds how long, and by how many requests at a time, the provider is waited for. The caller owes a call of done.
func (c *Client) wait(ctx context.Context) (_ context.Context, done func(), err error) {
	select {
	case c.waiting <- struct{}{}:
	default:
		return nil, nil, ErrBusy
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, c.http), Patience)
	return ctx, func() { cancel(); <-c.waiting }, nil
}

// Begin begins a sign-in, and returns the URL of the provider to send the browser to. next is the path of the page to
// go on to afterwards, which the caller has checked; one that is longer than maxNext bytes is forgotten.
func (c *Client) Begin(w http.ResponseWriter, r *http.Request, next string) (location string, err error) {
	origin, err := c.guard.Origin(r)
	if err != nil {
		return "", err
	}
	ctx, done, err := c.wait(r.Context())
	if err != nil {
		return "", err
	}
	defer done()
	p, err := c.discovery.get(ctx)
	if err != nil {
		return "", err
	}
	if len(next) > maxNext {
		next = "/"
	}
	begun := pending{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Redirect: origin + ReturnPath, Next: next, Until: time.Now().Add(pendingLife).Unix(),
	}
	if err := c.setPending(w, begun); err != nil {
		return "", err
	}
	location = c.oauth(p, begun.Redirect).AuthCodeURL(begun.State, oidc.Nonce(begun.Nonce),
		oauth2.S256ChallengeOption(begun.Verifier))
	return location, nil
}

// oauth returns how to ask the provider for codes and tokens.
func (c *Client) oauth(p *provider, redirect string) *oauth2.Config {
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if groups := c.settings.rolesClaim(); c.settings.givesRoles() && slices.Contains(p.Scopes, groups) {
		scopes = append(scopes, groups) // there are providers with a scope of that name for the claim
	}
	return &oauth2.Config{
		ClientID: c.settings.ClientID, ClientSecret: c.settings.Secret, Endpoint: p.endpoint(c.settings.Secret),
		RedirectURL: redirect, Scopes: scopes,
	}
}

// Finish opens a session for the person that returns from the provider, and returns the path to go on to. On failure it
// also returns that path, if the browser has begun a sign-in.
func (c *Client) Finish(w http.ResponseWriter, r *http.Request) (next string, err error) {
	origin, err := c.guard.Origin(r)
	if err != nil {
		return "", err
	}
	begun, ok := c.pendingOf(r)
	answer := r.URL.Query()
	if !ok || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(begun.State)) != 1 {
		return "", ErrNotBegun
	}
	set(w, pendingCookie, pendingPath, "", 0, http.SameSiteLaxMode, origin) // one return is all that it is good for
	person, idToken, err := c.finish(r, begun, answer)
	if err != nil {
		return begun.Next, err
	}
	if err := c.guard.Enter(w, r, person.ID); err != nil {
		return begun.Next, fmt.Errorf("signing in by a provider: %w", err)
	}
	c.setHint(w, idToken, origin)
	return begun.Next, nil
}

// finish identifies the person that comes back from the provider.
func (c *Client) finish(r *http.Request, begun pending,
	answer url.Values) (person tidings.Person, idToken string, err error) {
	if err := c.guard.CountAttempt(r); err != nil {
		return person, "", err
	}
	ctx, done, err := c.wait(r.Context())
	if err != nil {
		return person, "", err
	}
	defer done()
	p, err := c.discovery.get(ctx)
	if err != nil {
		return person, "", err
	}
	issuer, sent := answer.Get("iss"), answer.Has("iss")
	switch {
	case sent && issuer != c.settings.Issuer, !sent && p.SendsIssuer: // RFC 9207, section 2.4
		return person, "", fmt.Errorf("%w: it is of the issuer %.200q", ErrInvalid, issuer)
	case answer.Get("error") != "":
		return person, "", fmt.Errorf("%w: %.200q", ErrDenied, answer.Get("error"))
	case answer.Get("code") == "":
		return person, "", fmt.Errorf("%w: it has no code", ErrInvalid)
	}
	token, err := c.oauth(p, begun.Redirect).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(begun.Verifier))
	if err != nil {
		return person, "", exchangeFailed(err)
	}
	id, idToken, err := c.verify(ctx, p, token, begun.Nonce)
	if err != nil {
		return person, "", err
	}
	person, err = c.personOf(ctx, p, token, id)
	return person, idToken, err
}

// exchangeFailed reports whether the provider refused a code, or did not answer as the protocol wants it.
func exchangeFailed(err error) error {
	why := ErrNoAnswer
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.ErrorCode != "" {
		why = ErrInvalid
		err = fmt.Errorf("the provider says %.200q", refused.ErrorCode) // no more of its body gets into the log
	}
	return fmt.Errorf("%w: exchanging the code: %w", why, err)
}

// verify checks the ID token of an answer (OpenID Connect Core 1.0, section 3.1.3.7).
func (c *Client) verify(
	ctx context.Context, p *provider, token *oauth2.Token, nonce string,
) (id *oidc.IDToken, raw string, err error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, "", fmt.Errorf("%w: it has no ID token", ErrInvalid)
	}
	wanted := &oidc.Config{ClientID: c.settings.ClientID, SupportedSigningAlgs: algorithms}
	id, err = oidc.NewVerifier(c.settings.Issuer, p.keys, wanted).Verify(ctx, raw)
	switch {
	case ctx.Err() != nil:
		return nil, "", fmt.Errorf("%w: checking the ID token: %w", ErrNoAnswer, ctx.Err())
	case err != nil:
		return nil, "", fmt.Errorf("%w: checking the ID token: %w", ErrInvalid, err)
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return nil, "", fmt.Errorf("%w: the nonce is that of another sign-in", ErrInvalid)
	case id.Subject == "" || len(id.Subject) > tidings.MaxSubject:
		return nil, "", fmt.Errorf("%w: its subject has %d bytes", ErrInvalid, len(id.Subject))
	}
	var more struct {
		For string `json:"azp"` // the client that the token was made for, where others may use it, too
	}
	if err := id.Claims(&more); err != nil {
		return nil, "", fmt.Errorf("%w: reading the ID token: %w", ErrInvalid, err)
	}
	if more.For != c.settings.ClientID && (more.For != "" || len(id.Audience) > 1) {
		return nil, "", fmt.Errorf("%w: it was made for the client %.200q", ErrInvalid, more.For)
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(token.AccessToken); err != nil {
			return nil, "", fmt.Errorf("%w: checking the access token: %w", ErrInvalid, err)
		}
	}
	return id, raw, nil
}

// algorithms are those by which ID tokens may be signed: with keys that the provider alone has, and no others.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// personOf returns the person that a user is, with the role that the provider gives.
func (c *Client) personOf(ctx context.Context, p *provider, token *oauth2.Token,
	id *oidc.IDToken) (tidings.Person, error) {
	said, err := c.claimsOf(ctx, p, token, id)
	if err != nil {
		return tidings.Person{}, err
	}
	u, admitted := c.userOf(id.Subject, said)
	if !admitted {
		if err := c.store.Refuse(ctx, u.Issuer, u.Subject); err != nil {
			return tidings.Person{}, err
		}
		return tidings.Person{}, ErrNoRole
	}
	person, err := c.store.SignIn(ctx, u)
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		err = fmt.Errorf("%w: subject %q, called %q", ErrUnknown, u.Subject, u.Names)
	case errors.Is(err, tidings.ErrExists):
		err = fmt.Errorf("%w: subject %q: %w", ErrTaken, u.Subject, err)
	}
	return person, err
}

// End returns the URL of the provider that a browser is sent to after it signs out here, to sign out there, too. It is
// empty if the provider has not opened the session, or has no such URL.
func (c *Client) End(w http.ResponseWriter, r *http.Request) (location string) {
	origin, err := c.guard.Origin(r)
	if _, noHint := r.Cookie(hintCookie); noHint != nil || err != nil {
		return ""
	}
	c.Forget(w, r)
	ctx, done, err := c.wait(r.Context())
	if err != nil {
		return ""
	}
	defer done()
	p, err := c.discovery.get(ctx)
	if err != nil || p.EndSessionURL == "" {
		c.log.Warn("not signed out at the provider", "error", err)
		return ""
	}
	u, err := url.Parse(p.EndSessionURL)
	if err != nil {
		return "" // discovery has checked it
	}
	q := u.Query()
	q.Set("client_id", c.settings.ClientID)
	q.Set("post_logout_redirect_uri", origin+afterLogin)
	if hint, ok := c.seal.open(r, hintCookie); ok && len(hint) > 0 {
		q.Set("id_token_hint", string(hint))
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Forget has the browser forget that the provider opened its session: it signs in by something else, or out.
func (c *Client) Forget(w http.ResponseWriter, r *http.Request) {
	if origin, err := c.guard.Origin(r); err == nil {
		set(w, hintCookie, hintPath, "", 0, http.SameSiteStrictMode, origin)
	}
}
