package servers

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/openid"
	"tidings/delivery/web"
	"tidings/egress"
	"tidings/node/owner"
)

// maxSecret bounds the file of a client secret, in bytes.
const maxSecret = 4096

// provider returns what signs people in by OpenID Connect, or nil if nothing does. The provider itself is asked later.
func (c Config) provider(guard *auth.Guard) (web.Provider, error) {
	if c.OpenID.Issuer == "" {
		return nil, nil
	}
	settings := c.OpenID
	if c.OpenIDSecret != "" {
		secret, err := ReadSecret(c.OpenIDSecret)
		if err != nil {
			return nil, owner.Explain(fmt.Errorf("reading the secret of the provider that signs people in: %w", err),
				c.OpenIDSecret)
		}
		settings.Secret = secret
	}
	p, err := openid.New(openid.Config{
		Settings: settings, Store: c.Users, Guard: guard,
		Transport: providerTransport(settings.Issuer, c.PrivateOrigins), Log: c.Log,
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ReadSecret returns the first line of a file, which is not empty.
func ReadSecret(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecret))
	if err != nil {
		return "", err
	}
	secret, _, _ := strings.Cut(string(text), "\n")
	if secret = strings.TrimSuffix(secret, "\r"); secret == "" {
		return "", tidings.Invalidf("the first line of %s is empty", name)
	}
	return secret, nil
}

// providerTransport returns how a provider is asked. The owner has chosen its issuer, so that host may be at a private
// address. Others that the issuer names must be where origins may be.
func providerTransport(issuer string, private bool) *http.Transport {
	chosen := ""
	if u, err := url.Parse(issuer); err == nil {
		chosen = u.Hostname()
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		guard := egress.Guard{Private: private || strings.EqualFold(host, chosen), Ports: egress.AnyPort}
		return guard.Dialer().DialContext(ctx, network, address)
	}
	t := egress.Guard{}.Transport(64 << 10)
	t.DialContext, t.ResponseHeaderTimeout = dial, openid.Patience
	return t
}
