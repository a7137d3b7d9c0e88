package fetch

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/proxy"

	"tidings/egress"
)

// proxyTimeout bounds what comes before a proxy has connected to an origin: looking names up, the connection to the
// proxy, TLS, and its answer.
const proxyTimeout = 10 * time.Second

// ProxyError says in plain words why a proxy has not connected to an origin. It has nothing of the proxy's address.
type ProxyError string

// Error returns the words.
func (e ProxyError) Error() string { return string(e) }

// Why a proxy has not connected.
const (
	// ErrProxyAddress is the same for every address and port, as ErrForbidden is.
	ErrProxyAddress = ProxyError("this node does not connect to the proxy of this channel")

	errProxyDown    = ProxyError("the proxy of this channel cannot be reached")
	errProxySlow    = ProxyError("the proxy of this channel did not answer in time")
	errProxyLogin   = ProxyError("the proxy of this channel asks for a user name and password, or does not accept those set")
	errProxyRefused = ProxyError("the proxy of this channel does not connect to it")
	errProxySpeaks  = ProxyError("the proxy of this channel does not answer as a proxy does")
)

// reach makes a connection to a target, by a proxy if there is one.
//
// A proxy connects where this node's guard does not see it. So the node itself looks up the target's name, and has the
// proxy connect to an address that the guard permits, and to no name: a name could mean another address there.
func (c *Client) reach(ctx context.Context, to target, by string) (net.Conn, error) {
	if by == "" {
		return c.dial(ctx, "tcp", to.address())
	}
	u, err := parseProxy(by)
	if err != nil {
		return nil, errProxySpeaks
	}
	within, cancel := context.WithTimeout(ctx, proxyTimeout)
	defer cancel()
	conn, err := c.reachBy(within, to, u)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = errProxySlow
	}
	return conn, err
}

func (c *Client) reachBy(ctx context.Context, to target, by *url.URL) (net.Conn, error) {
	host, port, err := net.SplitHostPort(to.address())
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	address, err := c.guard.Resolve(ctx, host, uint16(n))
	if err != nil {
		return nil, err
	}
	dialer := proxyDialer{c.dialProxy}
	if by.Scheme == "socks5" {
		return dialer.bySOCKS(ctx, by, address.String())
	}
	conn, err := dialer.DialContext(ctx, "tcp", by.Host)
	if err != nil {
		return nil, err
	}
	if by.Scheme == "https" {
		config := c.tls.Clone()
		config.NextProtos, config.ClientSessionCache = []string{"http/1.1"}, nil
		secure, err := handshake(ctx, conn, conn, by.Hostname(), config)
		if err != nil {
			_ = conn.Close()
			return nil, errProxySpeaks
		}
		conn = secure
	}
	if err := connectBy(ctx, conn, by.User, address.String(), c.config.MaxHeader); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// proxyGuard returns the guard of a connection to a proxy. It lets through what that of origins does, and those proxies
// that the administrator has named, with any port. A cloud's metadata and the like stay forbidden.
func (c *Client) proxyGuard(address string) egress.Guard {
	g := c.guard.Guard
	if slices.Contains(c.config.Proxies, address) {
		g.Private, g.Ports = true, egress.AnyPort
	}
	return g
}

// guardedProxy makes a connection to a proxy.
func (c *Client) guardedProxy(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := c.proxyGuard(address).Dialer()
	dialer.KeepAlive = -1 // as for origins
	return dialer.DialContext(ctx, network, address)
}

// proxyDialer makes connections to proxies.
type proxyDialer struct{ dial dialFunc }

// Dial is proxy.Dialer's, and not called.
func (d proxyDialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialContext is proxy.ContextDialer's. Its errors are of type ProxyError.
func (d proxyDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dial(ctx, network, address)
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(err, egress.ErrAddress), errors.Is(err, egress.ErrPort):
		return nil, ErrProxyAddress
	default:
		return nil, errProxyDown
	}
}

// bySOCKS has a proxy connect to an address by SOCKS5 (RFC 1928).
func (d proxyDialer) bySOCKS(ctx context.Context, by *url.URL, address string) (net.Conn, error) {
	var login *proxy.Auth
	if by.User != nil {
		password, _ := by.User.Password()
		login = &proxy.Auth{User: by.User.Username(), Password: password}
	}
	dialer, err := proxy.SOCKS5("tcp", by.Host, login, d)
	if err != nil {
		return nil, errProxySpeaks
	}
	conn, err := dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", address)
	if err == nil {
		return conn, nil
	}
	if known, ok := errors.AsType[ProxyError](err); ok {
		return nil, known
	}
	if timedOut(err) {
		return nil, errProxySlow
	}
	if strings.Contains(err.Error(), "authentication") {
		return nil, errProxyLogin
	}
	return nil, errProxyRefused
}

// connectBy connects to an address through a proxy, by the method CONNECT (RFC 9110, section 9.3.6). The header of the
// proxy's answer has at most maxHeader bytes.
func connectBy(ctx context.Context, conn net.Conn, user *url.Userinfo, address string, maxHeader int64) error {
	if end, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(end); err != nil {
			return errProxyDown
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address,
		Header: make(http.Header)}
	if user != nil {
		password, _ := user.Password()
		secret := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		ask.Header.Set("Proxy-Authorization", "Basic "+secret)
	}
	ask.Header.Set("User-Agent", "") // the proxy need not know what asks
	if err := ask.Write(conn); err != nil {
		return errProxyDown
	}
	answer := bufio.NewReader(io.LimitReader(conn, maxHeader))
	res, err := http.ReadResponse(answer, ask)
	switch {
	case timedOut(err):
		return errProxySlow
	case err != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return errProxyRefused
	case err != nil:
		return errProxySpeaks
	case res.StatusCode == http.StatusProxyAuthRequired:
		return errProxyLogin
	case res.StatusCode/100 != 2:
		return errProxyRefused
	case answer.Buffered() > 0: // the origin has been sent nothing so far
		return errProxySpeaks
	}
	if !stop() {
		return errProxySlow
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return errProxyDown
	}
	return nil
}

func timedOut(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}
