package node

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/delivery/files"
	"tidings/delivery/metrics"
	"tidings/delivery/proxy"
	"tidings/delivery/web"
	"tidings/source/delta"
	"tidings/source/feed"
)

// doors are the listeners of a node and what serves them.
type doors struct {
	tcp, socket net.Listener
	page, local http.Handler
	log         *slog.Logger
}

// openDoors listens at the TCP address and at the socket in the data directory.
func (n *Node) openDoors(ctx context.Context) (*doors, error) {
	d := &doors{log: n.log}
	var err error
	if d.socket, err = listenSocket(ctx, api.SocketPath(n.config.Data)); err != nil {
		return nil, err
	}
	if err = n.openPage(ctx, d); err != nil {
		return nil, errors.Join(err, d.socket.Close())
	}
	d.local = asOwner(n.api(true))
	return d, nil
}

// openPage listens at the TCP address, once it is sure that only the right people can enter.
func (n *Node) openPage(ctx context.Context, d *doors) (err error) {
	var lc net.ListenConfig
	if d.tcp, err = lc.Listen(ctx, "tcp", n.config.HTTP); err != nil {
		return fmt.Errorf("opening the page at %s: %w (choose another address with --http)", n.config.HTTP, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.tcp.Close())
		}
	}()
	open := !isLoopback(d.tcp.Addr())
	if err := n.setPassword(ctx, open); err != nil {
		return err
	}
	guard, err := auth.New(auth.Config{
		Store: n.store, RequirePassword: open, Hosts: n.config.AllowedHosts, Proxies: n.config.TrustedProxies,
		Open: web.OpenPaths(), Log: n.log,
	})
	if err != nil {
		return err
	}
	page, err := web.New(web.Config{Store: n.shown(), Node: n, Network: n.others(), Archive: n, Guard: guard, Version: Version, Log: n.log})
	if err != nil {
		return err
	}
	feeds := proxy.New(proxy.Config{Store: n.shown(), BaseURL: baseURL, Canonical: feed.Canonical, Logger: n.log})
	mux := http.NewServeMux()
	mux.Handle(api.Base, n.api(false))
	mux.Handle(metrics.Path, n.metrics)
	mux.Handle("/feed", feeds)
	mux.Handle("/feed.json", feeds)
	mux.Handle(files.Base, files.New(files.Config{Source: n, Logger: n.log}))
	mux.Handle("/", page)
	d.page = guard.Handler(mux)
	return nil
}

func (n *Node) api(local bool) http.Handler {
	return api.New(api.Config{
		Store: n.shown(), Node: n, Network: n.others(), Publisher: n, Archive: n, Local: local, Logger: n.log, Canonical: feed.Canonical,
		Diff: func(from, to []string) (string, error) { return delta.Compute(from, to).String(), nil },
	})
}

// address returns where a browser finds the page.
func (d *doors) address() string {
	host, port, err := net.SplitHostPort(d.tcp.Addr().String())
	if err != nil {
		return "http://" + d.tcp.Addr().String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	// stopTimeout is how long answers under way may take after the node was told to stop.
	stopTimeout = 2 * time.Second
)

// serve answers at both doors until ctx ends or one of them fails.
func (d *doors) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	servers := []*http.Server{d.server(ctx, d.page), d.server(ctx, d.local)}
	failed := make(chan error, len(servers))
	for i, l := range []net.Listener{d.tcp, d.socket} {
		go func() { failed <- servers[i].Serve(l) }()
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
	for _, s := range servers {
		if s.Shutdown(stopping) != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

func (d *doors) server(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(logWriter{d.log}, "", 0),
	}
}

// logWriter passes on what net/http has to say about connections that went wrong.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(line []byte) (int, error) {
	w.log.Debug("http", "message", strings.TrimSpace(string(line)))
	return len(line), nil
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// baseURL returns the address of this node as the sender of r knows it.
func baseURL(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
