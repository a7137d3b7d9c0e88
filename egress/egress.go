// Package egress decides to which addresses and ports a node connects for others. Strangers choose the URLs of feeds,
// callbacks, hubs and webhooks. Without a guard, a URL of theirs could reach what only this machine can reach: services
// of the private network, or a cloud's metadata (server-side request forgery).
//
// A [Guard] checks each address as it is dialled: after names are resolved, and again at each redirect that a client
// follows. An earlier resolution of a name does not count, so a name server that changes its answer (DNS rebinding)
// gains nothing. If a name has several addresses, the permitted ones are tried.
//
// Not known here, and so not refused: the public addresses of this machine and its network, and IPv4 addresses behind a
// NAT64 gateway with a prefix of the network's own (RFC 6052, section 2.2). A firewall has to keep those.
package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Why a connection is refused. Errors of a dialer and of a client wrap them.
var (
	// ErrAddress is the same for every address, so that nobody learns from it what is where in a private network.
	ErrAddress = errors.New("this node does not connect to that address")
	// ErrPort says that no web server is expected at the port.
	ErrPort = errors.New("this node does not connect to that port")
)

// Bounds on the start of a connection. The caller's context may end sooner.
const (
	DialTimeout = 10 * time.Second // for all addresses of a name together
	TLSTimeout  = 10 * time.Second
)

// Ports are those that a client connects to.
type Ports int

const (
	WebPorts  Ports = iota // 80, 443, 8080 and 8443
	HighPorts              // those, and all above 1024: no system port but the web's (RFC 6335, section 6)
	AnyPort                // all but 0
)

// permits reports whether p is one of them.
func (all Ports) permits(p uint16) bool {
	switch p {
	case 0:
		return false
	case 80, 443, 8080, 8443:
		return true
	}
	return all == AnyPort || all == HighPorts && p > 1024
}

// Guard decides to which addresses and ports a client connects. The zero Guard is the strictest: public addresses, and
// WebPorts.
type Guard struct {
	// Private also permits loopback, private, shared and unique local addresses. Others, such as link-local addresses
	// and a cloud's metadata, are never permitted.
	Private bool
	Ports   Ports
	// Public are addresses that count as public, whatever they are. It is for tests.
	Public []netip.Prefix
	// Also is asked about each permitted address, at the moment of connecting, and can refuse it with an error. nil
	// refuses none. Several goroutines may call it at once, and it may wait until ctx is done. The context has the
	// values of that of the request or of the dialer's caller.
	Also func(ctx context.Context, to netip.AddrPort) error
	// Resolver looks names up; nil: the system's.
	Resolver *net.Resolver
}

// ForMessages returns the guard of what sends to URLs that users enter: HighPorts; with private, any port too.
func ForMessages(private bool) Guard {
	if private {
		return Guard{Private: true, Ports: AnyPort}
	}
	return Guard{Ports: HighPorts}
}

// Address returns ErrAddress for an address that is not permitted.
func (g Guard) Address(a netip.Addr) error {
	if slices.ContainsFunc(g.Public, func(p netip.Prefix) bool { return p.Contains(a.WithZone("").Unmap()) }) {
		return nil
	}
	if r := reachOf(a); r == everywhere || r == intranet && g.Private {
		return nil
	}
	return ErrAddress
}

// Port returns ErrPort for a port that is not permitted.
func (g Guard) Port(p uint16) error {
	if g.Ports.permits(p) {
		return nil
	}
	return ErrPort
}

// Endpoint returns ErrAddress or ErrPort for an address with a port that is not permitted.
func (g Guard) Endpoint(to netip.AddrPort) error {
	if err := g.Address(to.Addr()); err != nil {
		return err
	}
	return g.Port(to.Port())
}

// Resolve returns an address of a host that g permits with a port, of IPv4 if there is one. It is for connections that
// something else makes: to this address, and to no name, which may mean another address there.
func (g Guard) Resolve(ctx context.Context, host string, port uint16) (netip.AddrPort, error) {
	resolver := g.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	found, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, err
	}
	slices.SortStableFunc(found, func(a, b netip.Addr) int {
		return cmp.Compare(a.Unmap().BitLen(), b.Unmap().BitLen())
	})
	err = ErrAddress
	for _, a := range found {
		to := netip.AddrPortFrom(a.Unmap(), port)
		if err = g.Endpoint(to); err == nil && g.Also != nil {
			err = g.Also(ctx, to)
		}
		if err == nil {
			return to, nil
		}
	}
	return netip.AddrPort{}, err
}

// Control is the function ControlContext of a [net.Dialer]. The dialer calls it with each address just before a socket
// connects to it.
func (g Guard) Control(ctx context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w (not an address)", ErrAddress)
	}
	if err := g.Endpoint(to); err != nil {
		return err
	}
	if g.Also != nil {
		return g.Also(ctx, to)
	}
	return nil
}

// Dialer returns a dialer that connects to what g permits.
func (g Guard) Dialer() *net.Dialer {
	return &net.Dialer{Timeout: DialTimeout, Resolver: g.Resolver, ControlContext: g.Control}
}

// Transport returns a transport that connects to what g permits. It uses no proxy, whatever the environment says: a
// proxy would connect past the guard. It keeps no connection and decompresses nothing. The header of a response has at
// most maxHeader bytes. The caller bounds the exchange as a whole by the request's context.
func (g Guard) Transport(maxHeader int64) *http.Transport {
	return &http.Transport{
		DialContext:            g.Dialer().DialContext,
		TLSHandshakeTimeout:    TLSTimeout,
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		ExpectContinueTimeout:  time.Second,
	}
}

// Client returns a client without cookies that follows no redirect, and returns the response that has one.
func Client(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
