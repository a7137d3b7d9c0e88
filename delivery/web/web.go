package web

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/openid"
	"tidings/delivery/passkeys"
	"tidings/delivery/web/filters"
	"tidings/delivery/web/networkroom"
	"tidings/delivery/web/shell"
	"tidings/view"
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
	auth.FeedStore
	DeleteToken(ctx context.Context, account tidings.AccountID, id int64) error
	shell.Chosen
}

// Node is what the page asks the node to do.
type Node interface {
	networkroom.Node
	Preview(ctx context.Context, account tidings.AccountID, order tidings.SubscribeRequest) (tidings.Preview, error)
	CheckQuery(ctx context.Context, text string) (view.QueryCheck, error)
	QueryOf(f view.QueryForm) string
	Subscribe(ctx context.Context, account tidings.AccountID,
		order tidings.SubscribeRequest) (tidings.Subscription, error)
	SubscribeLater(ctx context.Context, account tidings.AccountID, orders []tidings.SubscribeRequest) ([]error, error)
	Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error
	PollNow(ctx context.Context, account tidings.AccountID, url string) (tidings.Poll, error)
	// PollSoon has a channel polled as soon as its origin allows, and does not wait for that.
	PollSoon(url string)
	Change(ctx context.Context, account tidings.AccountID, url string, change tidings.ChannelChange) error
	// ChangeAll changes all channels that the account follows, or none, and returns how many are different now.
	ChangeAll(ctx context.Context, account tidings.AccountID, urls []string, change tidings.ChannelChange) (int, error)
	Trust(ctx context.Context, url, fingerprint string, thirdParty bool) error
	Distrust(ctx context.Context, url string) error
	FetchFile(ctx context.Context, account tidings.AccountID, file string) (tidings.Copy, error)
	FetchFullText(ctx context.Context, account tidings.AccountID, entry int64, again bool) (tidings.Entry, error)
	Wake() <-chan struct{}
}

// Archive is what the page needs of a reader of earlier publications.
type Archive interface {
	Older(ctx context.Context, url string, q view.ArchiveQuery, tell func(view.Archived) error) (missing int, err error)
}

// Guard signs people in and out: an *auth.Guard.
type Guard interface {
	HasPassword(ctx context.Context) (bool, error)
	SignIn(w http.ResponseWriter, r *http.Request, name, password string) error
	Several(ctx context.Context) (bool, error)
	SignOut(w http.ResponseWriter, r *http.Request) error
	SetPassword(w http.ResponseWriter, r *http.Request, account tidings.AccountID, current, next string) error
}

// Provider signs people in elsewhere: an *openid.Client.
type Provider interface {
	Name() string
	Begin(w http.ResponseWriter, r *http.Request, next string) (location string, err error)
	Finish(w http.ResponseWriter, r *http.Request) (next string, err error)
	End(w http.ResponseWriter, r *http.Request) (location string)
	Forget(w http.ResponseWriter, r *http.Request)
}

// Pictures shows the pictures of others by way of the node: a *pictures.Pictures.
type Pictures interface {
	// Path returns where the picture at an address is on this node.
	Path(address string) string
	// Size returns how large it is in pixels, if that is known; zero if not.
	Size(address string) (width, height int)
	// Icon returns where a channel's icon is on this node; "" if there is none so far.
	Icon(c tidings.Channel) string
}

// Players play sound and video of others by way of the node: a *media.Media.
type Players interface {
	// Path returns where the file at an address is played on this node.
	Path(address string) string
	// Chapters returns the chapters that the document at an address lists.
	Chapters(ctx context.Context, address string) ([]tidings.Chapter, error)
}

// Config is what the page is made of. Store, Node and Guard are needed.
type Config struct {
	Store   Store
	Node    Node
	Network networkroom.Network // nil: the node works alone
	Archive Archive             // nil: nobody reads archives
	Guard   Guard

	Filters filters.Filters // nil: nobody has any

	Provider  Provider  // nil: people sign in by passwords alone
	Publisher Publisher // nil: the node does not publish
	People    People    // nil: nothing is known of people

	Passkeys      *passkeys.Keys // nil: nobody can sign in by one
	Notifications Notifications  // nil: nobody is notified
	Pictures      Pictures       // nil: links stand in the place of pictures
	Marks         Marks          // nil: nothing that was done without a network can be applied
	Players       Players        // nil: links stand in the place of sound and video

	Version string       // of the program, as shown
	Log     *slog.Logger // nil: none
}

// OpenPaths are the paths that the page answers for every requester, for auth.Config.Open.
func OpenPaths() []string {
	return []string{"/login", "/login/passkey", "/login/passkey/options", openid.BeginPath, openid.ReturnPath,
		"/assets/"}
}

// site is the page.
type site struct {
	store   Store
	node    Node
	network networkroom.Network // nil: the node works alone
	archive Archive             // nil: nobody reads archives
	guard   Guard

	provider  Provider  // nil: people sign in by passwords alone
	publisher Publisher // nil: the node does not publish
	people    People    // nil: nothing is known of people

	passkeys      *passkeys.Keys // nil: nobody can sign in by one
	notifications Notifications  // nil: nobody is notified
	pictures      Pictures       // nil: links stand in the place of pictures
	marks         Marks          // nil: see Config
	players       Players        // nil: links stand in the place of sound and video

	shell.Room
	rooms   map[string]shell.Handler // of rooms with packages of their own, by their routes
	streams shell.Streams
}

// New returns the page, to be served at "/" behind an auth.Guard.
func New(c Config) (http.Handler, error) {
	if c.Store == nil || c.Node == nil || c.Guard == nil {
		return nil, errors.New("web: store, node and guard are needed")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	around, streams := shell.Shell{Store: c.Store, Chosen: c.Store, Version: c.Version, Log: c.Log}, shell.NewStreams()
	if c.Pictures != nil {
		around.Icon = c.Pictures.Icon
	}
	rooms := filters.Handlers(around, c.Filters, c.Store)
	maps.Copy(rooms,
		networkroom.Handlers(networkroom.Config{Shell: around, Store: c.Store, Node: c.Node, Network: c.Network,
			Streams: streams}))
	s := &site{c.Store, c.Node, c.Network, c.Archive, c.Guard, c.Provider, c.Publisher, c.People, c.Passkeys,
		c.Notifications, c.Pictures, c.Marks, c.Players, shell.Room{Shell: around, Templates: pages}, rooms, streams}
	return shell.WithHeaders(s.routes()), nil
}

func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	for _, room := range []map[string]shell.Handler{handlersOf(s), s.rooms} {
		for pattern, h := range room {
			mux.Handle(pattern, s.Known(pattern, h))
		}
	}
	mux.Handle("GET /login", s.Anybody(s.loginPage))
	mux.Handle("POST /login", s.Anybody(s.login))
	mux.Handle("POST /login/passkey/options", s.Anybody(passkeyStep(s, (*passkeys.Keys).SignInOptions)))
	mux.Handle("POST /login/passkey", s.Anybody(passkeyStep(s, (*passkeys.Keys).SignIn)))
	mux.Handle("GET "+openid.BeginPath, s.Anybody(beginSignIn(s)))
	mux.Handle("GET "+openid.ReturnPath, s.Anybody(finishSignIn(s)))
	mux.Handle("GET /assets/{file}", s.Anybody(shell.ServeAsset))
	return mux
}

// handlersOf returns the handlers for known persons, by their routes.
func handlersOf(s *site) map[string]shell.Handler {
	return map[string]shell.Handler{
		"GET /{$}":                     s.river,
		"GET /events":                  s.events,
		"POST /read":                   s.readAll,
		"GET /entry/{id}":              s.entry,
		"GET /chapters/{id}":           showChapters(s),
		"POST /entry/{id}":             s.mark,
		"POST /file":                   s.fetchFile,
		"POST /text":                   fetchFullText(s),
		"GET /search":                  s.search,
		"GET /add":                     s.add,
		"POST /add/preview":            s.preview,
		"POST /add":                    s.subscribe,
		"GET /add/query":               s.addQuery,
		"POST /add/query/check":        s.checkQuery,
		"POST /add/query/follow":       s.followQuery,
		"GET /channels":                s.channels,
		"POST /channels":               changeChannels(s),
		"POST /view":                   setView(s),
		"GET /channel":                 s.channel,
		"POST /channel":                s.editChannel,
		"GET /older":                   s.older,
		"GET /update/{id}":             s.update,
		"GET /version":                 s.versionText,
		"GET /opml":                    s.opml,
		"POST /opml":                   s.importOPML,
		"GET /opml/export":             s.exportOPML,
		"GET /settings":                s.settings,
		"POST /settings/appearance":    setAppearance(s),
		"POST /settings/password":      s.setPassword,
		"POST /settings/tokens":        s.createToken,
		"POST /settings/tokens/delete": s.deleteToken,
		"GET /status":                  s.status,
		"POST /publishing/resume":      resumePublishing(s),
		"POST /settings/sessions/end":  endSession(s),
		"POST /settings/feeds":         createFeed(s),
		"POST /settings/feeds/remove":  removeFeed(s),

		"GET /notifications":               notificationsPage(s),
		"POST /notifications":              addTarget(s),
		"GET /notifications/{id}":          targetPage(s),
		"POST /notifications/{id}":         changeTarget(s),
		"POST /notifications/{id}/test":    testTarget(s),
		"POST /notifications/{id}/confirm": confirmTarget(s),
		"GET /notifications/{id}/remove":   confirmTargetRemoval(s),
		"POST /notifications/{id}/remove":  removeTarget(s),
		"POST /notifications/preview":      previewTarget(s),
		"POST /notifications/retry":        ofDeliveries(s, "retried", Notifications.Retry),
		"POST /notifications/drop":         ofDeliveries(s, "dropped", Notifications.Drop),

		"POST /settings/passkeys":         passkeyStep(s, (*passkeys.Keys).Add),
		"POST /settings/passkeys/options": passkeyStep(s, (*passkeys.Keys).AddOptions),
		"POST /settings/passkeys/confirm": passkeyStep(s, (*passkeys.Keys).ConfirmOptions),
		"POST /settings/passkeys/remove":  removePasskey(s),

		"GET /offline/list":     offlineList(s),
		"GET /offline/articles": offlineArticles(s),
		"GET /offline/shell":    offlineShell(s),
		"POST /offline/marks":   applyMarks(s),

		"GET /people":               peoplePage(s),
		"POST /people":              addPerson(s),
		"POST /people/role":         setRole(s),
		"POST /people/password":     setPersonsPassword(s),
		"GET /people/remove/{name}": confirmRemoval(s),
		"POST /people/remove":       removePerson(s),
		"GET /help":                 s.help,
		"POST /logout":              s.logout,
		"/":                         nothingHere,
	}
}

func nothingHere(http.ResponseWriter, shell.Request) error { return tidings.ErrNotFound }
