package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"tidings"
	"tidings/delivery/auth"
)

// Store is what the page reads from and writes reader state to.
type Store interface {
	Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error)
	Channel(ctx context.Context, account tidings.AccountID, url string) (tidings.Subscription, error)
	Updates(ctx context.Context, account tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error)
	Update(ctx context.Context, account tidings.AccountID, id int64) (tidings.Update, error)
	Entries(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error)
	Entry(ctx context.Context, account tidings.AccountID, id int64) (tidings.Entry, error)
	State(ctx context.Context, url string, v tidings.Version) (tidings.State, error)
	MarkRead(ctx context.Context, account tidings.AccountID, items []int64, read bool) error
	MarkAllRead(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery, upTo int64) (int, error)
	Star(ctx context.Context, account tidings.AccountID, item int64, starred bool) error
	Tokens(ctx context.Context, account tidings.AccountID) ([]tidings.Token, error)
	auth.TokenStore
	DeleteToken(ctx context.Context, account tidings.AccountID, id int64) error
}

// Node is what the page asks the node to do.
type Node interface {
	Preview(ctx context.Context, account tidings.AccountID, order tidings.SubscribeRequest) (tidings.Preview, error)
	CheckQuery(ctx context.Context, text string) (tidings.QueryCheck, error)
	QueryOf(f tidings.QueryForm) string
	Subscribe(ctx context.Context, account tidings.AccountID, order tidings.SubscribeRequest) (tidings.Subscription, error)
	SubscribeLater(ctx context.Context, account tidings.AccountID, orders []tidings.SubscribeRequest) ([]error, error)
	Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error
	PollNow(ctx context.Context, account tidings.AccountID, url string) (tidings.Poll, error)
	Change(ctx context.Context, account tidings.AccountID, url string, change tidings.ChannelChange) error
	Trust(ctx context.Context, url, fingerprint string, thirdParty bool) error
	Distrust(ctx context.Context, url string) error
	Republisher(ctx context.Context, node string) (tidings.Republisher, error)
	Republishers(ctx context.Context) ([]tidings.Republisher, error)
	SetRepublisher(ctx context.Context, node string, standing tidings.TrustLevel) (tidings.Republisher, error)
	FetchFile(ctx context.Context, account tidings.AccountID, file string) (tidings.Copy, error)
	PollingStats(ctx context.Context, followed []tidings.Subscription) error
	CoopStatus(ctx context.Context) (tidings.CoopStatus, error)
	Trees() []string
	Status(ctx context.Context) (tidings.Status, error)
	Wake() <-chan struct{}
}

// Network is what the page asks of the node's part among other nodes.
type Network interface {
	Network(ctx context.Context) (tidings.Network, error)
	Peers(ctx context.Context) ([]tidings.Peer, error)
	Friends(ctx context.Context, account tidings.AccountID) ([]tidings.Friend, error)
	Overlay(ctx context.Context, account tidings.AccountID) (tidings.Overlay, error)
	Zone(ctx context.Context, path string) (tidings.Zone, error)
	Tree(ctx context.Context, url string) (tidings.Tree, error)
	AddJoin(ctx context.Context, address string) error
	RemoveJoin(ctx context.Context, address string) error
	NetworkChanged() <-chan struct{}
}

// Archive is what the page asks of who can read what was published before.
type Archive interface {
	Older(ctx context.Context, url string, q tidings.ArchiveQuery, tell func(tidings.Archived) error) (missing int, err error)
}

// Guard signs people in and out: an *auth.Guard.
type Guard interface {
	HasPassword(ctx context.Context) (bool, error)
	SignIn(w http.ResponseWriter, r *http.Request, name, password string) error
	Several(ctx context.Context) (bool, error)
	SignOut(w http.ResponseWriter, r *http.Request) error
	SetPassword(w http.ResponseWriter, r *http.Request, account tidings.AccountID, current, next string) error
}

// Config is what the page is made of. All fields but Network, Archive, Publisher, People and Log are needed.
type Config struct {
	Store   Store
	Node    Node
	Network Network // nil: the node works alone
	Archive Archive // nil: nobody reads archives
	Guard   Guard

	Publisher Publisher // nil: the node does not publish
	People    People    // nil: nothing is known of people

	Version string       // of the program, as shown
	Log     *slog.Logger // nil: none
}

// OpenPaths are the paths that the page answers whoever asks, for auth.Config.Open.
func OpenPaths() []string { return []string{"/login", "/assets/"} }

// site is the page.
type site struct {
	store   Store
	node    Node
	network Network // nil: the node works alone
	archive Archive // nil: nobody reads archives
	guard   Guard
	version string

	publisher Publisher // nil: the node does not publish
	people    People    // nil: nothing is known of people

	log     *slog.Logger
	streams chan struct{} // holds one for each open stream, at most maxStreams
}

// New returns the page, to be served at "/" behind an auth.Guard.
func New(c Config) (http.Handler, error) {
	if c.Store == nil || c.Node == nil || c.Guard == nil {
		return nil, errors.New("web: store, node and guard are needed")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &site{c.Store, c.Node, c.Network, c.Archive, c.Guard, c.Version, c.Publisher, c.People, c.Log, make(chan struct{}, maxStreams)}
	return withHeaders(s.routes()), nil
}

func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range handlersOf(s) {
		mux.Handle(pattern, s.known(pattern, h))
	}
	mux.Handle("GET /login", s.anybody(s.loginPage))
	mux.Handle("POST /login", s.anybody(s.login))
	mux.Handle("GET /assets/{file}", s.anybody(s.asset))
	return mux
}

// handlersOf returns the handlers for known persons, by their routes.
func handlersOf(s *site) map[string]handler {
	return map[string]handler{
		"GET /{$}":                     s.river,
		"GET /events":                  s.events,
		"POST /read":                   s.readAll,
		"GET /entry/{id}":              s.entry,
		"POST /entry/{id}":             s.mark,
		"POST /file":                   s.fetchFile,
		"GET /search":                  s.search,
		"GET /add":                     s.add,
		"POST /add/preview":            s.preview,
		"POST /add":                    s.subscribe,
		"GET /add/query":               s.addQuery,
		"POST /add/query/check":        s.checkQuery,
		"POST /add/query/follow":       s.followQuery,
		"GET /channels":                s.channels,
		"GET /channel":                 s.channel,
		"POST /channel":                s.editChannel,
		"GET /older":                   s.older,
		"GET /update/{id}":             s.update,
		"GET /version":                 s.versionText,
		"GET /opml":                    s.opml,
		"POST /opml":                   s.importOPML,
		"GET /opml/export":             s.exportOPML,
		"GET /settings":                s.settings,
		"POST /settings/appearance":    s.setAppearance,
		"POST /settings/password":      s.setPassword,
		"POST /settings/tokens":        s.createToken,
		"POST /settings/tokens/delete": s.deleteToken,
		"GET /network":                 s.networkView,
		"GET /network/events":          s.networkEvents,
		"POST /network/join":           s.join,
		"POST /network/forget":         s.forget,
		"GET /node":                    s.nodeView,
		"POST /node":                   s.believe,
		"GET /status":                  s.status,
		"POST /publishing/resume":      resumePublishing(s),
		"POST /settings/sessions/end":  endSession(s),
		"GET /people":                  peoplePage(s),
		"POST /people":                 addPerson(s),
		"POST /people/role":            setRole(s),
		"POST /people/password":        setPersonsPassword(s),
		"GET /people/remove/{name}":    confirmRemoval(s),
		"POST /people/remove":          removePerson(s),
		"GET /help":                    s.help,
		"POST /logout":                 s.logout,
		"/":                            s.nothingHere,
	}
}
