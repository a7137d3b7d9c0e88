package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/auth"
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
	page, err := web.New(web.Config{Store: n.store, Node: n, Network: n.others(), Guard: guard, Version: Version, Log: n.log})
	if err != nil {
		return err
	}
	feeds := proxy.New(proxy.Config{Store: n.store, BaseURL: baseURL, Canonical: feed.Canonical, Logger: n.log})
	mux := http.NewServeMux()
	mux.Handle(api.Base, n.api(false))
	mux.Handle(metrics.Path, n.metrics)
	mux.Handle("/feed", feeds)
	mux.Handle("/feed.json", feeds)
	mux.Handle("/", page)
	d.page = guard.Handler(mux)
	return nil
}

// setPassword takes over the password of Config.PasswordFile, and refuses to open a
// node without one to others than the people of this machine.
func (n *Node) setPassword(ctx context.Context, open bool) error {
	hash, err := n.store.PasswordHash(ctx, tidings.Owner)
	if err != nil {
		return err
	}
	if n.config.PasswordFile != "" {
		text, err := os.ReadFile(n.config.PasswordFile)
		if err != nil {
			return fmt.Errorf("reading the password: %w", err)
		}
		password, _, _ := strings.Cut(string(text), "\n")
		password = strings.TrimSuffix(password, "\r")
		if same, err := auth.CheckPassword(hash, password); hash != "" && err == nil && same {
			return nil
		}
		if hash, err = auth.HashPassword(password); err != nil {
			return fmt.Errorf("password in %s: %w", n.config.PasswordFile, err)
		}
		return n.store.SetPasswordHash(ctx, tidings.Owner, hash)
	}
	if open && hash == "" {
		return invalid("others can reach %s, so the page needs a password: "+
			"give one with --password-file, or start on a loopback address and run `tidings password`", n.config.HTTP)
	}
	return nil
}

func (n *Node) api(local bool) http.Handler {
	return api.New(api.Config{
		Store: n.store, Node: n, Network: n.others(), Local: local, Logger: n.log, Canonical: feed.Canonical,
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

// listenSocket opens the socket for commands, for the owner of the data directory alone.
func listenSocket(ctx context.Context, file string) (net.Listener, error) {
	// The store's lock is held: whoever left a socket here is gone.
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("removing the socket of a former node: %w", err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", file)
	if err != nil {
		if len(file) > 100 {
			return nil, fmt.Errorf("opening the socket for commands: its path is too long for this system, choose a shorter --data: %w", err)
		}
		return nil, fmt.Errorf("opening the socket for commands: %w", err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protecting the socket for commands: %w", err), l.Close())
	}
	return l, nil
}

// asOwner lets every request through as the owner's: it came through a socket that
// nobody else can open.
func asOwner(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
	})
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
