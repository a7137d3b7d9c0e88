// Package servers serves a node's interfaces. Page, API, proxy, files and the APIs of feed readers are at a TCP
// address, and the API also at a socket in the data directory. It admits only authorized clients, and connects each
// package below delivery with what it needs of the node.
package servers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/delivery/files"
	"tidings/delivery/mail"
	"tidings/delivery/media"
	"tidings/delivery/memory"
	"tidings/delivery/metrics"
	"tidings/delivery/openid"
	"tidings/delivery/passkeys"
	"tidings/delivery/pictures"
	"tidings/delivery/proxy"
	"tidings/delivery/server"
	"tidings/delivery/sync"
	"tidings/delivery/web"
	"tidings/delivery/xmlrpc"
	"tidings/node/channels"
	"tidings/source/delta"
	"tidings/source/news"
	"tidings/store/db"
	"tidings/view"
)

// Node is what the interfaces ask of the node.
type Node interface {
	api.Node
	api.Publisher
	api.Archive
	files.Source
	web.Node
	RemovePerson(ctx context.Context, account tidings.AccountID) error
}

// Store is the store as people see it.
type Store interface {
	api.Store
	auth.Store
	auth.Apps
	proxy.OwnStore
	web.Store
	passkeys.Store
	AddPerson(ctx context.Context, name string, role tidings.Role, passwordHash string) (tidings.Person, error)
	SetRole(ctx context.Context, account tidings.AccountID, role tidings.Role) error
	Sessions(ctx context.Context, account tidings.AccountID) ([]tidings.Session, error)
	EndSession(ctx context.Context, account tidings.AccountID, id string) error
}

// Notifications are the addresses at which people are notified.
type Notifications interface {
	api.Notifications
	web.Notifications
	mail.Recipients
}

// people are the persons of the node, as store and node know them.
type people struct {
	Store
	node Node
}

// RemovePerson is that of the node, which polls no longer what that person alone has followed.
func (p people) RemovePerson(ctx context.Context, account tidings.AccountID) error {
	return p.node.RemovePerson(ctx, account)
}

// Config is what is served, and to which clients.
type Config struct {
	Data string // the data directory
	HTTP string // the TCP address
	// holds the page's password on its first line; empty: the one that was set before, if any
	PasswordFile string
	AllowedHosts []string // names by which browsers may reach the page
	// by which others on the web reach the node, without a slash at its end; empty: they do not
	PublicURL       string
	TrustedProxies  []netip.Prefix  // addresses of reverse proxies
	ProxyUserHeader string          // by which these name people; empty: they do not
	OpenID          openid.Settings // of the provider that signs people in, too; no issuer: there is none
	OpenIDSecret    string          // file whose first line is the secret that the provider gave; empty: that of OpenID
	PrivateOrigins  bool            // the node may connect to private addresses
	ReaderRequests  int             // that a reader may send in a minute; 0: any number
	Page, Socket    int             // connections at a time
	AnswerMemory    int64           // bytes that all answers together may hold
	PlainReaders    bool            // feed readers on other machines may do without TLS

	Node     Node
	Network  api.Network // nil: the node works alone
	Store    Store
	Users    openid.Store       // the persons that a provider's users are; needed if there is a provider
	Notify   Notifications      // addresses at which people are notified; nil: none
	Filters  api.Filters        // of people; nil: none
	Poster   api.Poster         // puts items into channels of people's own; nil: none does
	Marks    web.Marks          // what people did without a network; nil: it cannot be applied
	Library  sync.Library       // for feed readers; nil: they find nothing
	Media    *media.Media       // plays sound and video of others; nil: the page has links in their place
	Pictures *pictures.Pictures // shows pictures of articles; nil: the page has links in their place
	Hub      http.Handler       // answers requests to the WebSub hub; nil: there is none
	Metrics  http.Handler

	Callbacks    http.Handler // answers hubs at which this node subscribes; nil: it does not
	CallbackPath string       // below which they are
	Version      string
	Log          *slog.Logger
}

// pageShare is the part of the page's connections that one client may have: one in so many.
const pageShare = 4

// Names of the endpoints.
const (
	pageEndpoint   = "page" // by TCP: with API, proxy and files
	socketEndpoint = "socket"
)

// Servers listen, and answer once they Serve.
type Servers struct {
	*server.Server

	Address string // of the page, for a browser
}

// Open listens at the TCP address and at the socket.
func Open(ctx context.Context, c Config) (*Servers, error) {
	c.Store = counted{c.Store}
	answers := memory.New(c.AnswerMemory, c.Log)
	socket, err := server.ListenSocket(ctx, api.SocketPath(c.Data))
	if err != nil {
		return nil, err
	}
	page, err := c.openPage(ctx, answers)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return &Servers{Address: addressOf(page.Listener), Server: server.New(c.Log, page, server.Endpoint{
		Name: socketEndpoint, Listener: socket, Handler: server.AsOwner(server.Vouched(c.api(true))), Limit: c.Socket,
		Memory: answers, Rank: memory.Socket,
	})}, nil
}

// Connections returns how many use the page.
func (s *Servers) Connections() view.Connections { return s.State(pageEndpoint) }

// openPage listens at the TCP address, once it is sure that only the right people can enter.
func (c Config) openPage(ctx context.Context, answers *memory.Budget) (e server.Endpoint, err error) {
	tcp, err := c.listenPage(ctx)
	if err != nil {
		return e, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tcp.Close())
		}
	}()
	open := !isLoopback(tcp.Addr())
	if err := c.setPassword(ctx, open); err != nil {
		return e, err
	}
	guard, err := auth.New(auth.Config{
		Store: c.Store, RequirePassword: open, Hosts: c.AllowedHosts, Proxies: c.TrustedProxies,
		UserHeader: c.ProxyUserHeader,
		Open:       append(web.OpenPaths(), pictures.IconBase), Readers: provesItself, PlainReaders: c.PlainReaders,
		ReaderRequests: c.ReaderRequests, Log: c.Log,
	})
	if err != nil {
		return e, err
	}
	provider, err := c.provider(guard)
	if err != nil {
		return e, err
	}
	page, err := web.New(web.Config{Store: c.Store, Node: c.Node, Network: c.Network, Archive: c.Node,
		Provider: provider, Publisher: c.Node, People: people{c.Store, c.Node}, Notifications: c.Notify,
		Filters: c.Filters, Guard: guard,
		Pictures: c.pictures(), Players: c.players(), Marks: c.Marks, Passkeys: passkeys.New(c.Store, guard, c.Log),
		Version: c.Version, Log: c.Log})
	if err != nil {
		return e, err
	}
	feeds := proxy.New(proxy.Config{Store: c.Store, BaseURL: server.BaseURL, Public: c.PublicURL, Hub: c.hubURL(),
		Canonical: channels.Canonical, Ninjs: ninjs, NewsML: newsML, Logger: c.Log})
	mux := http.NewServeMux()
	mux.Handle(api.Base, compressed(c.api(false)))
	others := map[string]http.Handler{
		metrics.Path: c.Metrics,
		xmlrpc.Path:  xmlrpc.New(xmlrpc.Config{Node: c.Node, Store: c.Store, Logger: c.Log}),
		files.Base:   files.New(files.Config{Source: c.Node, Logger: c.Log}),
	}
	if c.Media != nil {
		others[media.Base] = c.Media
	}
	if c.Pictures != nil {
		others[pictures.Base], others[pictures.IconBase] = c.Pictures, c.Pictures
	}
	for _, path := range proxy.Paths() {
		others[path] = feeds
	}
	for path, h := range others {
		mux.Handle(path, admitted(path, h))
	}
	mux.Handle("/", compressed(page))
	return server.Endpoint{
		Name: pageEndpoint, Listener: tcp,
		Handler: c.withMail(c.withPublic(guard,
			guard.Handler(c.withReaders(guard, c.withOwnFeeds(guard, server.Vouched(mux)))))),
		Limit: c.Page, Share: c.Page / pageShare, Proxies: c.TrustedProxies, Client: guard.Client,
		Memory: answers, Rank: memory.Local,
	}, nil
}

// players returns what plays sound and video on the page; nil: nothing does.
func (c Config) players() web.Players {
	if c.Media == nil {
		return nil
	}
	return c.Media
}

// pictures returns what shows pictures on the page; nil: nothing does.
func (c Config) pictures() web.Pictures {
	if c.Pictures == nil {
		return nil
	}
	return c.Pictures
}

// admitted serves h, of a route, to clients that auth's table admits to the route.
func admitted(route string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !auth.Admits(r.Context(), route) {
			http.Error(w, auth.Refusal, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// listenPage listens at the TCP address.
func (c Config) listenPage(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", c.HTTP)
	if err != nil {
		return nil, fmt.Errorf("opening the page at %s: %w (choose another address with --http)", c.HTTP, err)
	}
	return l, nil
}

// Try reports whether a new node could listen at the TCP address, before it makes its data directory. If it cannot,
// nothing is left behind. A node that has data already finds that out later, as its more likely fault is that it runs.
func (c Config) Try(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(c.Data, db.FileName)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	l, err := c.listenPage(ctx)
	if err != nil {
		return err
	}
	return l.Close()
}

func (c Config) api(local bool) http.Handler {
	return api.New(api.Config{
		Store: c.Store, Node: c.Node, Network: c.Network, Publisher: c.Node, People: people{c.Store, c.Node},
		Archive: c.Node, Poster: c.Poster, Filters: c.Filters, Notifications: c.Notify, Local: local, Logger: c.Log,
		Canonical: channels.Canonical,
		Diff:      func(from, to []string) (string, error) { return delta.Compute(from, to).String(), nil },
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
