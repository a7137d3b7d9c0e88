package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/delivery/files"
	"tidings/delivery/metrics"
	"tidings/delivery/proxy"
	"tidings/delivery/server"
	"tidings/delivery/web"
	"tidings/delivery/xmlrpc"
	"tidings/node/channels"
	"tidings/node/descriptors"
	"tidings/source/delta"
	"tidings/source/news"
	"tidings/store"
)

// pageShare is the part of the page's connections that one client may have: one in so many.
const pageShare = 4

// Names of the endpoints.
const (
	pageEndpoint   = "page" // by TCP: with API, proxy and files
	socketEndpoint = "socket"
)

// openServers listens at the TCP address and at the socket in the data directory.
func (n *Node) openServers(ctx context.Context) error {
	socket, err := server.ListenSocket(ctx, api.SocketPath(n.config.Data))
	if err != nil {
		return err
	}
	page, err := n.openPage(ctx)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	n.address = addressOf(page.Listener)
	n.server = server.New(n.log, page, server.Endpoint{
		Name: socketEndpoint, Listener: socket, Handler: server.AsOwner(server.Vouched(n.api(true))), Limit: descriptors.Of(n.config.Polls).Socket,
	})
	return nil
}

// openPage listens at the TCP address, once it is sure that only the right people can enter.
func (n *Node) openPage(ctx context.Context) (e server.Endpoint, err error) {
	tcp, err := n.listenPage(ctx)
	if err != nil {
		return e, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tcp.Close())
		}
	}()
	open := !isLoopback(tcp.Addr())
	if err := n.setPassword(ctx, open); err != nil {
		return e, err
	}
	guard, err := auth.New(auth.Config{
		Store: n.store, RequirePassword: open, Hosts: n.config.AllowedHosts, Proxies: n.config.TrustedProxies,
		Open: web.OpenPaths(), Log: n.log,
	})
	if err != nil {
		return e, err
	}
	page, err := web.New(web.Config{Store: n.library(), Node: n, Network: n.others(), Archive: n, Guard: guard, Version: Version, Log: n.log})
	if err != nil {
		return e, err
	}
	feeds := proxy.New(proxy.Config{Store: n.library(), BaseURL: baseURL, Canonical: channels.Canonical, Ninjs: ninjs, NewsML: newsML, Logger: n.log})
	mux := http.NewServeMux()
	mux.Handle(api.Base, n.api(false))
	mux.Handle(metrics.Path, n.metrics)
	for _, path := range proxy.Paths() {
		mux.Handle(path, feeds)
	}
	mux.Handle(xmlrpc.Path, xmlrpc.New(xmlrpc.Config{Node: n, Store: n.library(), Logger: n.log}))
	mux.Handle(files.Base, files.New(files.Config{Source: n, Logger: n.log}))
	mux.Handle("/", page)
	limit := descriptors.Of(n.config.Polls).Page
	return server.Endpoint{
		Name: pageEndpoint, Listener: tcp, Handler: guard.Handler(server.Vouched(mux)),
		Limit: limit, Share: limit / pageShare, Proxies: n.config.TrustedProxies, Client: guard.Client,
	}, nil
}

// listenPage listens at the TCP address.
func (n *Node) listenPage(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", n.config.HTTP)
	if err != nil {
		return nil, fmt.Errorf("opening the page at %s: %w (choose another address with --http)", n.config.HTTP, err)
	}
	return l, nil
}

// tryPage says whether a new node could listen at the TCP address, before it makes its data directory: where it cannot,
// nothing is left behind. A node that has data already finds that out later, as its more likely fault is that it runs.
func (n *Node) tryPage(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(n.config.Data, store.FileName)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	l, err := n.listenPage(ctx)
	if err != nil {
		return err
	}
	return l.Close()
}

func (n *Node) api(local bool) http.Handler {
	return api.New(api.Config{
		Store: n.library(), Node: n, Network: n.others(), Publisher: n, Archive: n, Local: local, Logger: n.log, Canonical: channels.Canonical,
		Diff: func(from, to []string) (string, error) { return delta.Compute(from, to).String(), nil },
	})
}

// ninjs and newsML write items of a channel in formats of news agencies, for the proxy.
func ninjs(c tidings.Channel, items []tidings.Item) ([]byte, error) {
	return news.WriteAll(c.URL, c.Title, items, news.Ninjs)
}

func newsML(c tidings.Channel, items []tidings.Item) ([]byte, error) {
	return news.WriteAll(c.URL, c.Title, items, news.NewsMLG2)
}

// addressOf returns where a browser finds the page.
func addressOf(page net.Listener) string {
	host, port, err := net.SplitHostPort(page.Addr().String())
	if err != nil {
		return "http://" + page.Addr().String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
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
