package server

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"tidings/delivery/auth"
	"tidings/delivery/memory"
	"tidings/view"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	// stopTimeout bounds answers under way after the server was asked to stop.
	stopTimeout = 2 * time.Second
	// warnEvery bounds how often the log says that a bound was met.
	warnEvery = time.Minute
)

// Endpoint is a listener and what is served there.
type Endpoint struct {
	Name     string // for the log
	Listener net.Listener
	Handler  http.Handler

	// Limit is how many connections may be open at a time, and Share how many of them one client may have; 0: all.
	Limit, Share int

	// Proxies are the addresses of reverse proxies, which have no share. Client finds the client for which one of them
	// sends a request. Nil: there are no proxies.
	Proxies []netip.Prefix
	Client  func(*http.Request) netip.Addr
	// Memory bounds what answers hold, of all endpoints that share it; nil: nothing does. Rank is that of clients on
	// this machine.
	Memory *memory.Budget
	Rank   memory.Rank
}

// Server serves endpoints. It is safe for concurrent use.
type Server struct {
	log       *slog.Logger
	endpoints []*endpoint
	warned    [2]rate.Sometimes // of bounds, of descriptors
	exhausted lastTime
}

// New returns a server of endpoints that has not begun. The first of them gives way where the system has no more
// descriptors.
func New(log *slog.Logger, endpoints ...Endpoint) *Server {
	s := &Server{log: log}
	for i := range s.warned {
		s.warned[i] = rate.Sometimes{Interval: warnEvery}
	}
	for _, e := range endpoints {
		s.endpoints = append(s.endpoints, &endpoint{Endpoint: e, server: s, table: newTable(e.Limit, e.Share)})
	}
	return s
}

// Serve answers at all endpoints until ctx ends or one of them fails. It closes their listeners.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, len(s.endpoints))
	var servers []*http.Server
	for _, e := range s.endpoints {
		server := e.http(ctx)
		servers = append(servers, server)
		go func() { failed <- server.Serve(&listener{e.Listener, e}) }()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("serving: %w", err)
	}
	cancel() // ends the streams
	stopping, done := context.WithTimeout(context.Background(), stopTimeout)
	defer done()
	for _, server := range servers {
		if server.Shutdown(stopping) != nil {
			err = errors.Join(err, server.Close())
		}
	}
	return err
}

// State returns how many connections the endpoint of a name has, and when the bound was last met.
func (s *Server) State(name string) view.Connections {
	for _, e := range s.endpoints {
		if e.Name == name {
			return e.state()
		}
	}
	return view.Connections{}
}

// ranOut notes that the system has no descriptor for one more connection.
func (s *Server) ranOut(err error) {
	s.exhausted.set(time.Now())
	s.warned[1].Do(func() {
		s.log.Warn("no descriptors left for connections: idle ones are closed; raise the limit of open files (ulimit -n)", "error", err)
	})
	s.endpoints[0].table.relieve()
}

// endpoint is an Endpoint at work.
type endpoint struct {
	Endpoint
	server *Server
	table  *table
}

func (e *endpoint) http(ctx context.Context) *http.Server {
	return &http.Server{
		Handler:     http.HandlerFunc(e.serve),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ConnState:         e.changed,
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(logWriter{e.server.log}, "", 0),
	}
}

// changed follows what net/http does with a connection.
func (e *endpoint) changed(nc net.Conn, s http.ConnState) {
	switch s {
	case http.StateIdle:
		e.table.enter(nc.(*conn), waiting)
	case http.StateActive:
		e.table.enter(nc.(*conn), receiving)
	}
}

// serve answers one request. It sets the deadlines of its body, and the client with the share that it uses.
func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	c.begin()
	if c.proxied {
		if !e.table.assign(c, e.clientOf(r)) {
			e.warn()
			w.Header().Set("Retry-After", "10")
			http.Error(w, "too many requests of yours are under way: try again later", http.StatusServiceUnavailable)
			return
		}
		defer e.table.assign(c, netip.Prefix{})
	}
	ctx, end := e.Memory.Begin(r.Context(), e.rankOf(r))
	defer end()
	if r.Body == nil || r.Body == http.NoBody {
		e.table.enter(c, answering)
	} else {
		r.Body = newBody(c, r.Body, memory.Of(ctx), w.Header())
	}
	e.Handler.ServeHTTP(w, r.WithContext(ctx))
}

// rankOf returns which part of the memory an answer may use.
func (e *endpoint) rankOf(r *http.Request) memory.Rank {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	switch {
	case err != nil: // a socket's other end has no address
		return e.Rank
	case e.isProxy(from.Addr().Unmap()):
		if addr := e.Client(r); !addr.IsLoopback() || e.isProxy(addr) {
			return memory.Remote
		}
	case !from.Addr().Unmap().IsLoopback():
		return memory.Remote
	}
	return e.Rank
}

// Vouched returns next for use behind the handler that authenticates requesters. It marks the connection as one of a
// known client.
func Vouched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := auth.Account(r.Context()); ok {
			Vouch(r.Context())
		}
		next.ServeHTTP(w, r)
	})
}

// Vouch notes that the connection of a request is a known person's, for handlers that identify persons themselves.
func Vouch(ctx context.Context) {
	if c := connIn(ctx); c != nil {
		c.table.vouch(c)
	}
}

func (e *endpoint) warn() {
	e.server.warned[0].Do(func() {
		s := e.state()
		e.server.log.Warn("too many connections: some are closed or refused",
			"at", e.Name, "open", s.Open, "limit", s.Limit, "share", e.Share, "closed", s.Closed, "refused", s.Refused)
	})
}

func (e *endpoint) state() view.Connections {
	t := e.table
	t.mu.Lock()
	defer t.mu.Unlock()
	return view.Connections{
		Open: len(t.open), Limit: t.limit, Closed: t.shed, Refused: t.refused, Full: t.full,
		Exhausted: e.server.exhausted.get(),
	}
}

type connKey struct{}

// connOf returns the connection of a request; nil if another server accepted it.
func connOf(r *http.Request) *conn { return connIn(r.Context()) }

func connIn(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// logWriter passes on what net/http has to say about connections that went wrong.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(line []byte) (int, error) {
	w.log.Debug("http", "message", strings.TrimSpace(string(line)))
	return len(line), nil
}
