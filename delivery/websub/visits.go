package websub

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"time"

	"tidings/delivery/auth"
	"tidings/egress"
)

var errBusy = errors.New("too many requests for callbacks at that address were not confirmed there")

// machines bounds what is sent to one machine without being confirmed there, by whatever names callbacks lead there.
// Each connection that is tried counts. One over which the callback confirms is given back.
type machines struct {
	limit *limiter
	now   func() time.Time

	mu    sync.Mutex
	under map[string]*underWay // by machineOf
}

// underWay are the connections to a machine of exchanges that have not ended.
type underWay struct {
	n     int
	ended chan struct{} // closed when one of them ends
}

// visit is one exchange with a callback.
type visit struct {
	to   *machines
	held map[string]int // connections by machineOf; nil: the visit has ended
	at   string         // what the request is sent to; "": it has no connection
}

// machineOf returns the name under which an address is limited. An IPv6 address counts as its /64. One that carries an
// IPv4 address for a gateway counts as that one.
func machineOf(a netip.Addr) string { return auth.ClientPrefix(egress.Machine(a)).String() }

func newMachines(limit *limiter, now func() time.Time) *machines {
	return &machines{limit: limit, now: now, under: make(map[string]*underWay)}
}

// visitKey is where a context has its visit.
type visitKey struct{}

// begin returns the context for an exchange. The caller ends the visit.
func (m *machines) begin(ctx context.Context) (context.Context, *visit) {
	v := &visit{to: m, held: make(map[string]int)}
	ctx = context.WithValue(ctx, visitKey{}, v)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		if to, ok := got.Conn.RemoteAddr().(*net.TCPAddr); ok {
			m.mu.Lock()
			defer m.mu.Unlock()
			v.at = machineOf(to.AddrPort().Addr())
		}
	}}), v
}

// connect is the function Also of a guard. It returns errBusy if the machine has no room. While others there may still
// be confirmed, it waits for them until ctx is done.
func (m *machines) connect(ctx context.Context, to netip.AddrPort) error {
	v, ok := ctx.Value(visitKey{}).(*visit)
	if !ok {
		return errBusy
	}
	key := machineOf(to.Addr())
	for {
		ended, err := m.enter(v, key)
		if ended == nil {
			return err
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return errBusy
		}
	}
}

// enter counts a connection to a machine. If there may be room when another visit has ended, it returns what is closed
// then.
func (m *machines) enter(v *visit, key string) (<-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v.held == nil {
		return nil, errBusy
	}
	u := m.under[key]
	switch {
	case m.limit.allow(key, m.now()) == 0:
	case u == nil || u.n == v.held[key]:
		return nil, errBusy
	default:
		return u.ended, nil
	}
	if u == nil {
		u = &underWay{ended: make(chan struct{})}
		m.under[key] = u
	}
	u.n++
	v.held[key]++
	return nil, nil
}

// machine returns what the request was sent to, under the name by which that is limited; "": nothing.
func (v *visit) machine() string {
	v.to.mu.Lock()
	defer v.to.mu.Unlock()
	return v.at
}

// end ends a visit. If the callback has confirmed, the connection to it does not count.
func (v *visit) end(confirmed bool) {
	m := v.to
	m.mu.Lock()
	defer m.mu.Unlock()
	if confirmed && v.held[v.at] > 0 {
		m.limit.restore(v.at, m.now())
	}
	for key, n := range v.held {
		u := m.under[key]
		close(u.ended)
		u.ended = make(chan struct{})
		if u.n -= n; u.n == 0 {
			delete(m.under, key)
		}
	}
	v.held = nil
}
