package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"tidings"
)

// SignInProved opens a session of an account for a request that proves its owner without a password, such as by a
// passkey. An account of 0 is nobody's. The attempt counts as one with a password does, and prove is called only if it
// may be made. A session that the request carries is closed. Errors to show a person: those of prove,
// ErrTooManyAttempts, ErrNoPassword, ErrProxySignsIn.
func (g *Guard) SignInProved(w http.ResponseWriter, r *http.Request, account tidings.AccountID,
	prove func(context.Context) error) error {
	if g.proxied(r) {
		return ErrProxySignsIn
	}
	var hash string
	if account != 0 {
		var err error
		if hash, err = g.store.PasswordHash(r.Context(), account); err != nil && !errors.Is(err, tidings.ErrNotFound) {
			return fmt.Errorf("sign in: %w", err)
		}
	}
	if _, allowed := g.mayTry(r, account, hash); !allowed {
		return ErrTooManyAttempts
	}
	if err := prove(r.Context()); err != nil {
		g.log.Warn("sign-in failed", "from", g.Client(r).String(), "error", err)
		return err
	}
	if hash == "" {
		return ErrNoPassword
	}
	return g.openInstead(w, r, account, hash)
}

// ConfirmProved is Confirm by other means than a password: prove is called if the account may make an attempt now.
func (g *Guard) ConfirmProved(ctx context.Context, account tidings.AccountID, prove func(context.Context) error) error {
	if !g.attempts.allowAccount(account) {
		return ErrTooManyAttempts
	}
	return prove(ctx)
}

// Why passkeys cannot work for a request.
var (
	ErrHostAddress = errors.New("the node is reached by an address, and passkeys are for host names")
	ErrPlainHTTP   = errors.New("the node is reached without TLS, and passkeys need TLS except at localhost")
)

// RelyingParty returns the host name and the web origin (RFC 6454) by which a browser reaches the node. Passkeys are
// bound to them. The name is one of the node's own. ErrHostAddress, ErrPlainHTTP and ErrProxySignsIn say why there can
// be none.
func (g *Guard) RelyingParty(r *http.Request) (host, origin string, err error) {
	host = hostOnly(r.Host)
	_, notAddress := netip.ParseAddr(host)
	scheme, port := "http", portOf(r.Host)
	if g.secure(r) {
		scheme = "https"
	}
	switch {
	case g.proxied(r):
		return "", "", ErrProxySignsIn
	case !g.knownHost(r), notAddress == nil:
		return "", "", ErrHostAddress
	case scheme == "http" && (viaProxy(r) || host != "localhost" && !strings.HasSuffix(host, ".localhost")):
		return "", "", ErrPlainHTTP
	case port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443":
		return host, scheme + "://" + host, nil
	}
	return host, scheme + "://" + net.JoinHostPort(host, port), nil
}

// portOf returns the port of "host:port", or "".
func portOf(hostport string) string {
	_, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return ""
	}
	return port
}
