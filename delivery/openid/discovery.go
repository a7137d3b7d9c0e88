package openid

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

const (
	refreshAfter = time.Hour        // how long a provider's description of itself is used
	retryAfter   = 10 * time.Second // how long a provider that failed to describe itself is left in peace
)

// provider is what a provider says of itself (OpenID Connect Discovery 1.0, section 3).
type provider struct {
	*oidc.Provider
	metadata

	keys oidc.KeySet // of the provider, fetched when they are needed
}

// metadata is the part of a description that go-oidc leaves to its users.
type metadata struct {
	KeysURL       string   `json:"jwks_uri"`
	EndSessionURL string   `json:"end_session_endpoint"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	Scopes        []string `json:"scopes_supported"`
	SendsIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
}

// discovery finds out what the provider says of itself, and remembers it. It is safe for concurrent use.
type discovery struct {
	issuer string
	http   *http.Client
	one    singleflight.Group

	mu    sync.Mutex
	found *provider // the last that was good; nil: none
	err   error     // why the last try failed
	next  time.Time // when the provider is asked again
}

// get returns what the provider says of itself. It waits until ctx ends at most.
func (d *discovery) get(ctx context.Context) (*provider, error) {
	d.mu.Lock()
	found, err, fresh := d.found, d.err, time.Now().Before(d.next)
	d.mu.Unlock()
	if !fresh {
		select {
		case r := <-d.one.DoChan("", d.refresh):
			found, _ = r.Val.(*provider)
			err = r.Err
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("%w: discovery: %w", ErrNoAnswer, err)
}

// refresh asks the provider, and returns the description before if that fails.
func (d *discovery) refresh() (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience) // the answer is for others, too
	defer cancel()
	p, err := d.fetch(oidc.ClientContext(ctx, d.http))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err = err; err != nil {
		d.next = time.Now().Add(retryAfter)
		return d.found, err
	}
	d.found, d.next = p, time.Now().Add(refreshAfter)
	return p, nil
}

// fetch asks the provider.
func (d *discovery) fetch(ctx context.Context) (*provider, error) {
	found, err := oidc.NewProvider(ctx, d.issuer)
	if err != nil {
		return nil, err
	}
	p := &provider{Provider: found}
	if err := found.Claims(&p.metadata); err != nil {
		return nil, fmt.Errorf("reading the description: %w", err)
	}
	issuer, err := url.Parse(d.issuer)
	if err != nil {
		return nil, err
	}
	for name, e := range map[string]struct {
		url    string
		needed bool
	}{
		"authorization_endpoint": {found.Endpoint().AuthURL, true},
		"token_endpoint":         {found.Endpoint().TokenURL, true},
		"jwks_uri":               {p.KeysURL, true},
		"userinfo_endpoint":      {found.UserInfoEndpoint(), false},
		"end_session_endpoint":   {p.EndSessionURL, false},
	} {
		if e.url == "" && !e.needed {
			continue
		}
		u, err := url.Parse(e.url)
		if err != nil || u.Host == "" || !allowed(u, isLocal(issuer)) {
			return nil, fmt.Errorf("%s is no URL that this node asks: %.200q", name, e.url)
		}
	}
	p.keys = oidc.NewRemoteKeySet(ctx, p.KeysURL)
	return p, nil
}

// endpoint returns where codes are exchanged, and how this node proves itself there. oauth2 would try both ways
// otherwise, and the first use up the code.
func (p *provider) endpoint(secret string) oauth2.Endpoint {
	e := p.Endpoint()
	e.AuthStyle = oauth2.AuthStyleInHeader // the default of OpenID Connect Core 1.0, section 9
	if secret == "" || len(p.AuthMethods) > 0 && !slices.Contains(p.AuthMethods, "client_secret_basic") {
		e.AuthStyle = oauth2.AuthStyleInParams
	}
	return e
}
