package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"
)

// dialTimeout bounds one attempt to connect; several addresses share it.
const dialTimeout = 10 * time.Second

// keepIdle is how long an unused connection is kept: long enough for the requests of one
// subscription and of channels that share a host, far shorter than an interval.
const keepIdle = 30 * time.Second

// Client fetches documents. It is safe for use by several goroutines; how many fetches
// run at once is the caller's to bound.
type Client struct {
	config    Config
	guard     guard
	hosts     *hosts // nil in a lab
	patience  *patience
	transport *http.Transport
	agent     []string // the header's value, shared by all requests
	closed    atomic.Bool
}

// New makes a client. It starts nothing and connects to nothing.
func New(c Config) (*Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	client := &Client{
		config:   c,
		guard:    guard{reach: reachOf, allowPrivate: c.AllowPrivate, highPorts: c.HighPorts, lab: c.Lab},
		patience: newPatience(c.MaxHosts, c.Patience),
		agent:    []string{c.userAgent()},
	}
	if !c.Lab {
		client.hosts = newHosts(c)
	}
	dialer := &net.Dialer{
		Timeout:        dialTimeout,
		KeepAlive:      -1, // no connection lives long enough to need probes
		Resolver:       c.Resolver,
		ControlContext: client.control,
	}
	client.transport = &http.Transport{
		Proxy:                  nil, // a proxy would connect for us, past the guard
		DialContext:            boundWrites(dialer.DialContext),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decompressed here, under bounds
		TLSClientConfig:        &tls.Config{RootCAs: c.Roots, ClientSessionCache: tls.NewLRUClientSessionCache(c.idleConns())},
		TLSHandshakeTimeout:    dialTimeout,
		MaxResponseHeaderBytes: c.MaxHeader,
		MaxIdleConns:           c.idleConns(),
		MaxIdleConnsPerHost:    c.idleConnsPerHost(),
		IdleConnTimeout:        keepIdle,
	}
	return client, nil
}

// control asks the guard, at the moment of connecting.
func (c *Client) control(ctx context.Context, network, address string, raw syscall.RawConn) error {
	return c.guard.control(ctx, network, address, raw)
}

// idleConns bounds the unused connections that are kept. Each costs two goroutines and
// some 20 KB, with TLS twice that.
func (c Config) idleConns() int { return 256 }

func (c Config) idleConnsPerHost() int {
	if c.Lab { // a lab has one host and many channels
		return c.idleConns()
	}
	return c.HostConnections
}

// Patience lists which URLs asked to be left alone, and until when: what
// Config.Patience wants after a restart.
func (c *Client) Patience() []Wait { return c.patience.list(time.Now()) }

// Close drops all unused connections. Fetches under way end by themselves, new ones fail.
func (c *Client) Close() error {
	c.closed.Store(true)
	c.transport.CloseIdleConnections()
	return nil
}

// Fetch asks for one document, follows redirects, and returns the document whole and
// decompressed, or that it was not modified. Every other end is an error:
// *StatusError, *ChallengeError, *RedirectError, *LimitedError, *NetworkError, or one of
// the sentinels of this package; tidings.ErrInvalid for an address that is none.
func (c *Client) Fetch(ctx context.Context, ask Request) (*Response, error) {
	if c.closed.Load() {
		return nil, ErrClosed
	}
	res, err := c.follow(ctx, ask)
	if err != nil || res.Status != http.StatusIMUsed || res.isDelta(ask) {
		return res, err
	}
	// A delta that nobody asked for, or that does not say of what: the whole document
	// is asked for, once.
	whole := ask
	whole.Delta, whole.ETag, whole.LastModified = false, "", ""
	again, err := c.follow(ctx, whole)
	if err != nil {
		return nil, err
	}
	if again.Status == http.StatusIMUsed {
		return nil, &StatusError{Status: again.Status, Host: hostOf(again.URL)}
	}
	again.BadDelta = true
	again.Wire += res.Wire
	again.Took += res.Took
	again.Hops = append(res.Hops, again.Hops...)
	return again, nil
}
