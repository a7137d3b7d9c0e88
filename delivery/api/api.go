// Package api is the interface for programs: JSON over HTTP under /api/v1/, with a live stream of updates, and the
// client that speaks it through a node's socket.
//
// It promises, to every account, only what that account follows:
//
//   - An update in JSON is [tidings.Update], nothing more or less.
//   - The live stream (server-sent events, WHATWG HTML section 9.2, or JSON Lines) has
//     a cursor: a client that reconnects with the last ID it saw gets every later
//     update once and in order, however often it is cut off.
//   - A client costs its cursor and its connection. One that does not read is cut.
//   - What fails says so in one object, {"error": "one plain line", "hint": "what to do"},
//     under the HTTP status that fits.
//
// The routes, below /api/v1/ (lists come as a JSON array, or as JSON Lines to those that send Accept:
// application/x-ndjson):
//
//	GET    channels                what the account follows [tidings.Subscription], and how all nodes poll it
//	POST   channels                follow a channel [tidings.SubscribeRequest]
//	DELETE channels?url=           follow it no longer
//	GET    channel?url=            one channel
//	PATCH  channel?url=            change what is given, but how a page is read [tidings.ChannelChange]
//	POST   poll?url=               poll its origin now
//	POST   trust?url=              {"fingerprint": "…"}: accept pushes that this publisher's key signs; answers [tidings.Subscription]
//	POST   distrust?url=           accept no pushes of its publisher; answers [tidings.Subscription]
//	GET    republishers            which of the nodes that find changes people here prefer and distrust [view.Republisher]
//	POST   republishers            {"node": ID or "all", "trust": "neutral", "preferred" or "distrusted"}; answers [view.Republisher]
//	POST   preview                 poll any address, store nothing [tidings.SubscribeRequest]
//	POST   query                   {"query": "…"} or {"form": [view.QueryForm]}: check it, and what it would have selected [view.QueryCheck]
//	GET    updates?since=&after=&limit=&newest=&channel=
//	GET    updates/ID
//	GET    stream?after=&since=    live; header Last-Event-ID goes before both
//	GET    entries?channel=&folder=&unread=&starred=&label=&search=&before=&after=&limit=
//	GET    entries/ID
//	POST   entries/read            {"items": [1, 2], "read": true}
//	POST   entries/read-all        {"up_to": ID, "channel", "folder", "search", "starred", "label"}
//	POST   entries/star            {"item": 1, "starred": true}
//	GET    state?url=&version=     a channel's content
//	GET    diff?url=&from=&to=     how it changed [Difference]
//	GET    status                  how the node is, among others too [view.Status]
//	GET    network                 how it stands among others [view.Network]
//	GET    network/stream          the same live: whole snapshots, at most one a second
//	GET    peers                   every live node that it knows [view.Peer]
//	GET    friends                 those through which it joins trees, where the router is rappel [view.Friend]
//	GET    zone?path=/eu/de        the table of a zone on its path, where the router is newswire [view.Zone]
//	POST   zone/items              {"zone", "where", "document"}: send a document's items there [view.ZoneSending]; answers [view.ZoneSent]
//	GET    overlay                 its links, where the router is spidercast [view.Overlay]
//	GET    tree?url=               how a followed channel's updates come to the node, and to which nodes it passes them on [view.Tree]
//	POST   joins                   {"address": "…"}: keep it, try it now; answers [view.Join]
//	DELETE joins?address=          forget it
//	GET    archive?url=&since=&before=&document=&places=&lacking=  what was published before, as JSON Lines [view.Archived]
//	GET    publications            what the node publishes, and has published [view.Publication]
//	POST   publications/entries    {"url": of the feed, "key", "entry"}: publish one [tidings.PublishedEntry]; answers [view.Issued]
//	DELETE publications?url=       publish it no longer
//	POST   publications/resume?url= go on with it, after another node published with the same key
//	POST   fulltext                {"entry": id, "again": bool}: fetch the full text of an entry's item; answers [tidings.Entry]
//	POST   files                   {"file": address or ref}: ask other nodes again for a file of an item; answers [tidings.Copy]
//	GET    users                   the persons of the node [tidings.Person]
//	POST   users                   {"name", "role": "reader" or "administrator", "password"} [NewPerson]; answers [tidings.Person]
//	PATCH  users/NAME              {"role", "password"}: change what is given [PersonChange]; answers [tidings.Person]
//	DELETE users/NAME              remove a person with all that is that person's
//	GET    sessions                the browsers in which the requester is signed in [tidings.Session]
//	DELETE sessions/ID             sign out of one
//	GET    passkeys                the requester's passkeys [tidings.Passkey]
//	DELETE passkeys/ID             remove one
//	POST   items                   put items into a channel of the requester's own [view.PostOrder]; answers [view.PostResult]
//	GET    targets                 the addresses at which the requester is notified [tidings.Target]
//	POST   targets                 add one [TargetSettings]; answers [AddedTarget]
//	PATCH  targets/ID              change what is given [TargetSettings]; answers [AddedTarget]
//	DELETE targets/ID              remove one, with what waits for it
//	POST   targets/ID/test         send it a message now: 204, or 502 and what went wrong
//	POST   targets/ID/confirm      {"code"}: confirm a mail address by the code that was sent there
//	GET    push-key                the key that browsers and apps of UnifiedPush subscribe with [PushKey]
//	GET    deliveries?after=&limit= what is pending and what was given up [tidings.Delivery]
//	POST   deliveries/retry?target=&delivery=&failed= try at once; answers {"count"}. Without parameters: all
//	DELETE deliveries?target=&delivery=&failed= drop; answers {"count"}. Without parameters: all
//	GET    feeds                   feeds of the requester's own, without their secrets [tidings.FeedAddress]
//	POST   feeds                   {"selection", "of", "name"}: make an address of one; answers [NewFeed]
//	DELETE feeds/ID                remove a feed and its addresses
//	GET    filters                 the requester's filters in their order [tidings.Filter]
//	POST   filters                 {"name", "condition" or "form", "actions"}: add one [tidings.FilterSettings]; answers [tidings.Filter]
//	POST   filters/check           {"condition"} or {"form": [tidings.FilterForm]}: what it is true of [view.FilterCheck]
//	PATCH  filters/ID              change what is given [FilterChange]; answers [tidings.Filter]
//	DELETE filters/ID              remove one; what it has dropped is shown again
//	POST   filters/ID/show         show what it has dropped; answers {"count"}
//	GET    opml?proxy=             the list of what is followed
//	POST   opml?pages=             follow a list, with pages also outlines that have no feed; progress as JSON Lines [ImportProgress]
//
// and through the socket in the data directory alone: POST publications [view.PublishOrder], zone/items with a
// "source", POST backup [view.BackupOrder], which answers with the bytes of the copy, and [view.Backup] in the
// header Tidings-Backup, PUT zone, zone/attributes and POST zone/functions, PUT password, GET tokens [tidings.Token]
// and POST {"label", "fever_user", "posts"}, which answers {"secret"}, DELETE tokens/ID.
//
// Where several people use a node, what is about the node, and not about what is the requester's own, is for
// administrators; a reader is answered 403. Package auth has the table.
//
// The package checks no passwords: the requester is found by middleware, which puts the account into the request's
// context (package auth). A request without one is answered 401. Requests that change something are refused when a
// browser says that another site sent them, or when they lack a Content-Type that a form cannot send. The names under
// which a page may be reached (DNS rebinding) are the middleware's.
package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/view"
)

// Store is what the API reads and changes. It changes only the reader's own state, and the hashes of the keys by which
// an account is entered from elsewhere.
type Store interface {
	Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error)
	Channel(ctx context.Context, account tidings.AccountID, url string) (tidings.Subscription, error)
	Updates(ctx context.Context, account tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error)
	Update(ctx context.Context, account tidings.AccountID, id int64) (tidings.Update, error)
	LatestUpdate(ctx context.Context) (int64, error)
	Entries(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error)
	Entry(ctx context.Context, account tidings.AccountID, id int64) (tidings.Entry, error)
	State(ctx context.Context, url string, v tidings.Version) (tidings.State, error)
	MarkRead(ctx context.Context, account tidings.AccountID, items []int64, read bool) error
	MarkAllRead(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery, upTo int64) (int, error)
	Star(ctx context.Context, account tidings.AccountID, item int64, starred bool) error

	SetPasswordHash(ctx context.Context, account tidings.AccountID, hash string) error
	auth.TokenStore
	auth.FeedStore
	Tokens(ctx context.Context, account tidings.AccountID) ([]tidings.Token, error)
	DeleteToken(ctx context.Context, account tidings.AccountID, id int64) error
}

// Node is what the API asks the node to do.
type Node interface {
	Preview(ctx context.Context, account tidings.AccountID, order tidings.SubscribeRequest) (tidings.Preview, error)
	Subscribe(ctx context.Context, account tidings.AccountID,
		order tidings.SubscribeRequest) (tidings.Subscription, error)
	SubscribeLater(ctx context.Context, account tidings.AccountID, orders []tidings.SubscribeRequest) ([]error, error)
	Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error
	PollNow(ctx context.Context, account tidings.AccountID, url string) (tidings.Poll, error)
	// all of it or nothing
	Change(ctx context.Context, account tidings.AccountID, url string, change tidings.ChannelChange) error
	Truster
	Republishers
	Files
	FullTexts
	Querier
	// PollingStats fills in what is known of how the network polls channels, and of how soon
	// changes were detected.
	PollingStats(ctx context.Context, followed []tidings.Subscription) error
	Status(ctx context.Context) (view.Status, error)
	// Backup makes a copy of the node's data, which is read once and closed.
	Backup(ctx context.Context, o view.BackupOrder) (view.Backup, io.ReadCloser, error)
	Wake() <-chan struct{}
}

// Config configures the API. Zero values of the fields after Logger mean the default.
type Config struct {
	Store Store
	Node  Node

	// Network is the node's part among others. Nil: the node works alone, and the routes
	// network, peers, friends, overlay, zone, tree and joins answer 503.
	Network Network

	// Publisher is the node as one that publishes. Nil: it does not, and those routes answer 503.
	Publisher Publisher

	// People are the persons that use the node. Nil: the routes users, sessions and passkeys answer 503.
	People People

	// Notifications are the requesters' targets and deliveries. Nil: those routes answer 503.
	Notifications Notifications

	// Poster puts items into channels of the requester's own. Nil: that route answers 503.
	Poster Poster

	// Filters are the requesters' filters. Nil: those routes answer 503.
	Filters Filters

	// Archive reads what was published before. Nil: nobody does, and that route answers 503.
	Archive Archive

	// Diff gives the delta from one list of lines to another, as POSIX diff's normal
	// output. Nil: pages are not compared over more than what Updates report.
	Diff func(from, to []string) (string, error)

	// Canonical gives the address under which a channel is kept. Nil: as given.
	Canonical func(address string) (string, error)

	// Local says that only the owner of the node can reach this interface (the socket in the
	// data directory). It opens what touches files and keys: backup, password, tokens, and where the
	// node is in the network's zones.
	Local bool

	Logger *slog.Logger // nil: nothing is logged

	Heartbeat   time.Duration // a silent stream says that it lives; default 15 s
	Recent      int           // updates of an account kept encoded while it has streams; default 256
	RecentBytes int           // and their size; default 8 MiB
	MaxStreams  int           // live streams at a time, further ones are answered 503; default 20,000
}

func (c *Config) setDefaults() {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Canonical == nil {
		c.Canonical = func(address string) (string, error) { return address, nil }
	}
	setDefault(&c.Heartbeat, 15*time.Second)
	setDefault(&c.Recent, 256)
	setDefault(&c.RecentBytes, 8<<20)
	setDefault(&c.MaxStreams, 20_000)
}

func setDefault[T time.Duration | int](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Base is the path under which it is served.
const Base = "/api/v1/"

// handler serves the routes.
type handler struct {
	Config
	live      *live
	snapshots *snapshots
}

// handler answers a request of account, or returns why it cannot. It has written
// nothing if it returns an error, unless it is a stream.
type endpoint func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error

// New returns the handler. It starts nothing: goroutines live only while there are streams,
// which end with their requests' contexts.
func New(c Config) http.Handler {
	c.setDefaults()
	d := &handler{Config: c, live: newLive(c), snapshots: newSnapshots(c)}
	mux := http.NewServeMux()
	for path, methods := range d.routes() {
		mux.Handle(Base+path, d.dispatch(path, methods))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.fail(w, r, refuse(http.StatusNotFound, "there is nothing at this address", "the routes are under "+Base))
	})
	return mux
}

func (h *handler) routes() map[string]map[string]endpoint {
	routes := map[string]map[string]endpoint{
		"channels":             {"GET": h.channels, "POST": h.subscribe, "DELETE": h.unsubscribe},
		"channel":              {"GET": h.channel, "PATCH": h.changeChannel},
		"poll":                 {"POST": h.poll},
		"trust":                {"POST": h.trust},
		"distrust":             {"POST": h.distrust},
		"republishers":         {"GET": h.republishers, "POST": h.setRepublisher},
		"preview":              {"POST": h.preview},
		"query":                {"POST": h.checkQuery},
		"updates":              {"GET": h.updates},
		"updates/{id}":         {"GET": h.update},
		"stream":               {"GET": h.stream},
		"entries":              {"GET": h.entries},
		"entries/{id}":         {"GET": h.entry},
		"entries/read":         {"POST": h.markRead},
		"entries/read-all":     {"POST": h.markAllRead},
		"entries/star":         {"POST": h.star},
		"state":                {"GET": h.state},
		"diff":                 {"GET": h.diff},
		"status":               {"GET": h.status},
		"network":              {"GET": h.network},
		"network/stream":       {"GET": h.networkStream},
		"peers":                {"GET": h.peers},
		"friends":              {"GET": h.friends},
		"overlay":              {"GET": h.overlay},
		"tree":                 {"GET": h.tree},
		"joins":                {"POST": h.addJoin, "DELETE": h.removeJoin},
		"publications":         {"GET": h.publications, "DELETE": h.stopPublishing},
		"publications/entries": {"POST": h.publishEntry},
		"publications/resume":  {"POST": resumePublishing(h)},
		"archive":              {"GET": h.archive},
		"files":                {"POST": h.fetchFile},
		"fulltext":             {"POST": fetchFullText(h)},
		"items":                {"POST": postItems(h)},
		"opml":                 {"GET": h.exportOPML, "POST": h.importOPML},
	}
	maps.Copy(routes, userRoutes(h))
	maps.Copy(routes, notificationRoutes(h))
	maps.Copy(routes, feedRoutes(h))
	maps.Copy(routes, filterRoutes(h))
	maps.Copy(routes, zoneRoutes(h))
	if h.Local {
		routes["publications"]["POST"] = h.publish
		routes["backup"] = map[string]endpoint{"POST": h.backup}
		routes["password"] = map[string]endpoint{"PUT": h.setPassword}
		routes["tokens"] = map[string]endpoint{"GET": h.tokens, "POST": h.newToken}
		routes["tokens/{id}"] = map[string]endpoint{"DELETE": h.deleteToken}
	}
	return routes
}

// dispatch answers one path: it admits, finds the method's handler and reports errors.
func (h *handler) dispatch(path string, methods map[string]endpoint) http.Handler {
	allowed := allowedMethods(methods)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		account, ok := auth.Account(r.Context())
		if !ok {
			h.fail(w, r, refuse(http.StatusUnauthorized, "who you are is not known",
				"send a token: Authorization: Bearer … (make one with: tidings token new)"))
			return
		}
		handle, ok := methods[r.Method]
		if !ok && r.Method == http.MethodHead {
			handle, ok = methods[http.MethodGet]
		}
		if !ok {
			header.Set("Allow", allowed)
			h.fail(w, r, refuse(http.StatusMethodNotAllowed, fmt.Sprintf("%s is not possible here", r.Method),
				"possible: "+allowed))
			return
		}
		if !auth.Admits(r.Context(), routeOf(r, path)) {
			h.fail(w, r, refusal(r.Context()))
			return
		}
		if err := admit(r); err != nil {
			h.fail(w, r, err)
			return
		}
		if err := checkParameters(r, path); err != nil {
			h.fail(w, r, err)
			return
		}
		if err := handle(w, r, account); err != nil {
			h.fail(w, r, err)
		}
	})
}

// errAdministrators refuses a reader.
var errAdministrators = refuse(http.StatusForbidden, auth.Refusal, "ask one of them")

// refusal says why the sender of a request is not admitted to a route.
func refusal(ctx context.Context) error {
	if p, _ := auth.Person(ctx); p.Role == tidings.Poster {
		return refuse(http.StatusForbidden, auth.PosterRefusal, "make another with: tidings token new")
	}
	return errAdministrators
}

// routeOf returns the route of a request to a path, as auth's table has it.
func routeOf(r *http.Request, path string) string {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return method + " " + Base + path
}
