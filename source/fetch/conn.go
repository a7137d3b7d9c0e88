package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Bounds on one connection.
const (
	// dialTimeout bounds one attempt to connect, which several addresses share, and the TLS handshake after it.
	dialTimeout = 10 * time.Second
	// writeTimeout bounds one write to an origin. What is written is small: requests, TLS handshakes, and HTTP/2's
	// control frames. An origin that reads none of it for so long has stopped reading.
	writeTimeout = 10 * time.Second
	// closeTimeout bounds the close of a TLS connection.
	closeTimeout = 250 * time.Millisecond
	// maxUnasked is what an origin may send on a connection while no request is under way, in bytes: what TLS and
	// HTTP/2 keep house by.
	maxUnasked = 16 << 10
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// route is what a connection can be used for.
type route struct {
	origin string // target.origin
	proxy  string // Access.Proxy
}

// conn is a connection to an origin. One exchange at a time has it.
type conn struct {
	*http.ClientConn
	route  route
	meter  *meter
	http1  *resting    // nil: it speaks HTTP/2
	expiry *time.Timer // closes it, while it is unused
}

// connect makes a connection, by a proxy unless by is empty, for a poll that has cost so much so far.
func (c *Client) connect(ctx context.Context, to target, by string, cost *Cost) (*conn, error) {
	if err := cost.connection(to.host); err != nil {
		return nil, err
	}
	address := to.address()
	raw, err := c.reach(ctx, to, by)
	if err != nil {
		return nil, err
	}
	made := &conn{route: route{to.origin(), by}, meter: &meter{Conn: raw, most: c.config.MaxBody + wireMargin}}
	made.meter.cost.Store(cost)
	var speaks net.Conn = made.meter
	protocol, http2 := c.http1, false
	if to.url.Scheme == "https" {
		secure, err := c.secure(ctx, made, to.url.Hostname())
		if err != nil {
			_ = raw.Close()
			return nil, err
		}
		speaks = secure
		if http2 = secure.ConnectionState().NegotiatedProtocol == "h2"; http2 {
			speaks, protocol = &frames{Conn: secure, meter: made.meter}, c.http2
		}
	}
	if !http2 {
		made.http1 = &resting{Conn: speaks}
		speaks = made.http1
	}
	if made.ClientConn, err = protocol.NewClientConn(context.WithValue(ctx, prepared{}, speaks), "http",
		address); err != nil {
		_ = speaks.Close()
		return nil, err
	}
	return made, nil
}

// prepared is the key of the connection that a transport is to use: it makes none itself, and does not see whether TLS
// is below.
type prepared struct{}

func usePrepared(ctx context.Context, _, _ string) (net.Conn, error) {
	return ctx.Value(prepared{}).(net.Conn), nil
}

// secure starts TLS with an origin. By a proxy, no earlier session is resumed: it would identify this node.
func (c *Client) secure(ctx context.Context, on *conn, host string) (secureConn, error) {
	config := c.tls.Clone()
	if on.route.proxy != "" {
		config.ClientSessionCache = nil
	}
	within, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := handshake(within, on.meter, on.meter.Conn, host, config)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = errSlowHeader
	}
	return conn, err
}

// handshake starts TLS on a connection, above raw.
func handshake(ctx context.Context, on, raw net.Conn, host string, config *tls.Config) (secureConn, error) {
	config.ServerName = host
	conn := tls.Client(on, config)
	return secureConn{conn, raw}, conn.HandshakeContext(ctx)
}

// secureConn is a connection with TLS that ends in time.
type secureConn struct {
	*tls.Conn
	raw net.Conn
}

// Close says goodbye if the origin reads that in closeTimeout.
func (c secureConn) Close() error {
	timer := time.AfterFunc(closeTimeout, func() { _ = c.raw.Close() })
	defer timer.Stop()
	return c.Conn.Close()
}

// usable reports whether another request can be sent.
func (c *conn) usable() bool {
	return c.Err() == nil && (c.http1 != nil || c.Available() > 0)
}

// close ends a connection and whatever is under way on it.
func (c *conn) close() { _ = c.Close() }

// meter counts what is received on a connection, for the poll that has it, and ends the connection when it is too much.
// It also bounds every write in time.
//
// No context ends a write: (1) an origin sends a document by HTTP/2 and stops reading; (2) the goroutine that reads the
// body announces to the origin that there is room for more, and waits in that write, holding the connection's lock; (3)
// the fetch is cancelled, and closing the body waits for the same lock. HTTP/2 and TLS answer frames of their own
// accord, so that an origin can fill any buffer.
type meter struct {
	net.Conn
	most    int64                // that a poll may receive, in bytes
	cost    atomic.Pointer[Cost] // of the poll that has the connection; nil: none has
	unasked atomic.Int64         // bytes received while none had
}

// Read is net.Conn's.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if cost := m.cost.Load(); cost == nil {
		if m.unasked.Add(int64(n)) > maxUnasked {
			return 0, errWire
		}
	} else if cost.wire.Add(int64(n)) > m.most {
		return 0, errWire
	}
	return n, err
}

// Write is net.Conn's, and fails after writeTimeout.
func (m *meter) Write(p []byte) (int, error) {
	if err := m.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return m.Conn.Write(p)
}
