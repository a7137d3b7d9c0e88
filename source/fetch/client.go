package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"tidings/egress"
)

// Client fetches documents. It is safe for use by several goroutines; how many fetches
// run at once is the caller's to bound.
type Client struct {
	config       Config
	guard        guard
	hosts        *hosts // nil in a lab
	patience     *patience
	dial         dialFunc
	dialProxy    dialFunc
	tls          *tls.Config
	http1, http2 *http.Transport // which speak on connections that were made for them
	pool         pool
	agent        []string // the header's value, shared by all requests
	closed       atomic.Bool
}

// New makes a client. It starts nothing and connects to nothing.
func New(c Config) (*Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	client := &Client{
		config:   c,
		guard:    c.guard(),
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
	client.dial, client.dialProxy = dialer.DialContext, client.guardedProxy
	client.tls = &tls.Config{
		RootCAs: c.Roots, NextProtos: []string{"h2", "http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(c.idleConns()),
	}
	client.http1, client.http2 = c.transport(), c.transport()
	client.http1.Protocols.SetHTTP1(true)
	client.http2.Protocols.SetUnencryptedHTTP2(true) // what is below is none of its business
	client.pool.max, client.pool.perHost = c.idleConns(), c.idleConnsPerHost()
	return client, nil
}

// transport returns a transport that speaks no protocol so far, and that makes no connections: no proxy, which would
// connect past the guard, can come in between.
func (c Config) transport() *http.Transport {
	return &http.Transport{
		DialContext:            usePrepared,
		DisableCompression:     true, // decompressed here, under bounds
		MaxResponseHeaderBytes: c.MaxHeader,
		Protocols:              new(http.Protocols),
	}
}

// guard returns where a client may connect.
func (c Config) guard() guard {
	g := egress.Guard{Private: c.AllowPrivate || c.Lab, Resolver: c.Resolver}
	switch {
	case c.Lab:
		g.Ports = egress.AnyPort
	case c.HighPorts:
		g.Ports = egress.HighPorts
	}
	return guard{g}
}

// control asks the guard, at the moment of connecting.
func (c *Client) control(ctx context.Context, network, address string, raw syscall.RawConn) error {
	return c.guard.Control(ctx, network, address, raw)
}

// idleConns bounds the unused connections that are kept.
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
	c.pool.close()
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
	if ask.Cost == nil {
		ask.Cost = new(Cost)
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
