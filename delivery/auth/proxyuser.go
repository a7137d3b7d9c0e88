package auth

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"tidings"
)

// ErrProxySignsIn says that a reverse proxy signs people in, so that no password is asked for.
var ErrProxySignsIn = errors.New("the reverse proxy signs people in")

// unnamable are headers that clients or proxies send for other purposes, so that none of them names a person.
var unnamable = []string{
	"Accept", "Authorization", "Connection", "Content-Type", "Cookie", "Forwarded", "Host", "Origin", "Referer",
	"User-Agent",
	"Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
}

// ValidateUserHeader reports why the reverse proxies at these addresses cannot name people by a header. An empty name
// means that they do not.
func ValidateUserHeader(name string, proxies []netip.Prefix) error {
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case name == "":
		return nil
	case !httpguts.ValidHeaderFieldName(name), slices.Contains(unnamable, canonical),
		strings.HasPrefix(canonical, "Sec-"):
		return tidings.Invalidf(
			"the header %s cannot name people: use one that the proxy alone sends, such as Remote-User",
			tidings.Quote(name))
	case len(proxies) == 0:
		return tidings.WithHint(tidings.Invalidf("a header that names people, and no reverse proxy to believe it from"),
			"name the proxy with --trusted-proxy, or leave --proxy-user-header out")
	}
	for _, p := range proxies {
		if p.Bits() == 0 {
			return tidings.Invalidf("the trusted proxy %s is any address, so anybody could send the header %s", p,
				tidings.Quote(name))
		}
	}
	return nil
}

// proxied reports whether a request came from a proxy that names its sender by a header. The other end of the
// connection counts, and no address that a header names.
func (g *Guard) proxied(r *http.Request) bool { return g.userHeader != "" && g.trusted(peer(r)) }

// dropUserHeader removes a header that names a person where it came from anybody but a proxy.
func (g *Guard) dropUserHeader(r *http.Request) {
	if g.userHeader != "" && !g.proxied(r) {
		r.Header.Del(g.userHeader)
	}
}

// unnamed is why a request through a proxy is no person's.
type unnamed struct {
	reason string
	notice notice
	silent bool // the proxy named nobody
}

func (u *unnamed) Error() string { return u.reason }

// Is has it count as [tidings.ErrUnauthorized].
func (u *unnamed) Is(target error) bool { return target == tidings.ErrUnauthorized }

var (
	noName = &unnamed{"the reverse proxy named nobody", notice{"Not signed in at the proxy",
		"This node leaves it to a reverse proxy to sign people in, and the proxy did not say who you are. " +
			"Sign in there, or have the proxy ask for it before it passes this page on."}, true}
	severalNames = &unnamed{"the reverse proxy sent more than one name", notice{"Refused",
		"The reverse proxy sent more than one name for you. It must replace the header that names people, " +
			"and not add to what a browser sent."}, false}
)

// nobodyCalled refuses a name that the proxy sends and the node does not know.
func nobodyCalled(name string) *unnamed {
	name = clip(name)
	return &unnamed{"nobody called " + tidings.Quote(name) + " uses this node", notice{"Not known here",
		"The reverse proxy says that you are " + tidings.Quote(name) + ", and nobody of that name uses this node. " +
			"An administrator of the node can add you, under Settings, People."}, false}
}

// byProxy returns the account of the person that the proxy names. A token counts only where it names nobody. A session
// never counts.
func (g *Guard) byProxy(r *http.Request) (by entrant, err error) {
	name, err := g.proxyUser(r)
	if err != nil {
		if secret, ok := bearer(r); ok && err == noName {
			return g.byToken(r, secret)
		}
		return by, err
	}
	by.account, err = g.called(r.Context(), name)
	return by, err
}

// proxyUser returns the name that a proxy sent with a request.
func (g *Guard) proxyUser(r *http.Request) (string, error) {
	names := r.Header.Values(g.userHeader)
	switch {
	case len(names) > 1:
		return "", severalNames
	case len(names) == 0 || names[0] == "":
		return "", noName
	}
	return names[0], nil
}

// called returns the account of a person by name.
func (g *Guard) called(ctx context.Context, name string) (tidings.AccountID, error) {
	if tidings.ValidatePersonName(name) != nil {
		return 0, nobodyCalled(name)
	}
	account, _, err := g.store.Account(ctx, name)
	if errors.Is(err, tidings.ErrNotFound) {
		return 0, nobodyCalled(name)
	}
	return account, err
}

// turnAwayProxied answers a request for which a proxy did not name anybody known: no password helps here.
func (g *Guard) turnAwayProxied(w http.ResponseWriter, r *http.Request, why *unnamed) {
	g.log.Warn("refused: "+why.reason, "from", g.Client(r).String())
	if why.silent && !wantsPage(r) && r.URL.Path != g.loginPath {
		g.turnAway(w, r) // a program may have a token, and wait to be asked for it
		return
	}
	refuse(w, r, http.StatusForbidden, why.reason, why.notice)
}
