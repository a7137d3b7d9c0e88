package server

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"tidings/delivery/auth"
)

// listener admits connections as far as the endpoint has room.
type listener struct {
	net.Listener
	endpoint *endpoint
}

// Accept returns the next connection that is admitted. net/http waits a little and comes again after an error that
// passes, such as that there are no descriptors.
func (l *listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			if outOfDescriptors(err) {
				l.endpoint.server.ranOut(err)
			}
			return nil, err
		}
		c := l.endpoint.newConn(nc)
		admitted, tight := l.endpoint.table.admit(c)
		if tight {
			l.endpoint.warn()
		}
		if admitted {
			return c, nil
		}
		_ = nc.Close() // there is nobody to report it to
	}
}

func (e *endpoint) newConn(nc net.Conn) *conn {
	c := &conn{Conn: nc, table: e.table, writes: newPatience()}
	from, err := netip.ParseAddrPort(nc.RemoteAddr().String())
	if err != nil {
		return c // a socket's other end has no address
	}
	addr := from.Addr().Unmap().WithZone("")
	if c.proxied = e.isProxy(addr); !c.proxied {
		c.client = auth.ClientPrefix(addr)
	}
	return c
}

func (e *endpoint) isProxy(addr netip.Addr) bool {
	return slices.ContainsFunc(e.Proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// clientOf returns the client with the share that a request from a proxy uses. A request of the proxy's own uses
// nobody's share.
func (e *endpoint) clientOf(r *http.Request) netip.Prefix {
	addr := e.Client(r)
	if e.isProxy(addr) {
		return netip.Prefix{}
	}
	return auth.ClientPrefix(addr)
}

// lastTime is when something happened last. The zero value is never.
type lastTime struct{ nanos atomic.Int64 }

func (l *lastTime) set(t time.Time) { l.nanos.Store(t.UnixNano()) }

func (l *lastTime) get() time.Time {
	if n := l.nanos.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
