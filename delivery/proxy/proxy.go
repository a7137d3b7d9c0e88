// Package proxy gives any followed channel, be it a feed, a page, a query or a zone, to feed readers that exist:
//
//	GET /feed?url=CHANNEL        Atom (RFC 4287)
//	GET /feed.json?url=CHANNEL   JSON Feed 1.1 (https://jsonfeed.org/version/1.1)
//	GET /news.json?url=CHANNEL   ninjs 3.1, a list (https://iptc.org/standards/ninjs/)
//	GET /news.xml?url=CHANNEL    NewsML-G2, a news message (https://iptc.org/standards/newsml-g2/)
//
// An answer is made from the store alone, at once, and never waits for an origin. It holds the newest items of a feed,
// each once, in its newest revision; a revision keeps its item's ID, so that a reader shows it as changed and not as
// new. Of a page it holds one entry a version, with what changed.
//
// What is promised to readers: conditional requests by strong ETag and by date (RFC 9110, section 13), gzip, HEAD, and
// for A-IM: feed (RFC 3229 with the "feed" manipulation) 226 with only what the reader lacks, whenever its ETag names a
// state that is still known. Output is well-formed whatever the store holds.
//
// Beside that it has feeds of people's own, of several channels or one, at addresses with a secret (NewOwn). A feed of
// several channels holds 100 items and names the channel of each. It has no deltas and no dates as validators, because
// older items can be new in it.
//
// Files that are on this node are named at its own address (package delivery/files).
//
// The account is that of the request's context (auth.Account). Feed readers keep no cookies. So the guard before this
// package has to accept a token as the password of HTTP Basic, or in the query.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
)

// Store is what the proxy reads.
type Store interface {
	// Channel returns a followed channel, or tidings.ErrNotFollowed.
	Channel(ctx context.Context, account tidings.AccountID, url string) (tidings.Subscription, error)
	// Entries returns entries, newest first.
	Entries(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error)
}

// Config says what the proxy works with.
type Config struct {
	Store Store
	// BaseURL returns the address at which a request's sender sees this node, without
	// a slash at its end, for links to the feeds themselves.
	BaseURL func(*http.Request) string
	// Public is the address of this node for everybody, without a slash at its end, and Hub the URL of its WebSub hub.
	// Feeds of public channels name themselves at Public, and the hub; those of others do not. Empty: there is no hub.
	Public, Hub string
	// Canonical returns the canonical form of a channel's URL, for readers with another form of it. nil: URLs are used
	// as they come.
	Canonical func(string) (string, error)
	// Clock reports whether a date is old enough to be a validator. nil: time.Now.
	Clock func() time.Time
	// Ninjs and NewsML write items of a channel in formats of news agencies. nil: it is not given in that format.
	Ninjs, NewsML func(channel tidings.Channel, items []tidings.Item) ([]byte, error)
	Logger        *slog.Logger
}

// Validate reports what is missing.
func (c Config) Validate() error {
	switch {
	case c.Store == nil:
		return errors.New("proxy: no store")
	case c.BaseURL == nil:
		return errors.New("proxy: no base URL")
	case c.Logger == nil:
		return errors.New("proxy: no logger")
	}
	return nil
}

const (
	// window is how many entries are shown. A reader with an older last poll gets the whole feed instead of a delta.
	window = 100
	// maxItems is how many items a whole feed holds.
	maxItems = 50
	// maxContent bounds the texts of a document, in bytes; older entries are left out.
	maxContent = 8 << 20
	// maxURL bounds the url parameter, in bytes.
	maxURL = 8192
)

type handler struct {
	Config
	zippers sync.Pool
}

// Paths are where the handler is to be found.
func Paths() []string {
	return []string{atomFormat.path, jsonFormat.path, ninjsFormat.path, newsMLFormat.path}
}

// New returns the handler of Paths. It panics if c is not valid.
func New(c Config) http.Handler { return newHandler(c) }

func newHandler(c Config) *handler {
	if err := c.Validate(); err != nil {
		panic(err.Error())
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return &handler{Config: c}
}

// format is a syntax of feeds.
type format struct {
	path, contentType string
	render            func(document, Config) ([]byte, error)
}

var (
	atomFormat = format{path: "/feed", contentType: "application/atom+xml; charset=utf-8", render: always(renderAtom)}
	jsonFormat = format{path: "/feed.json", contentType: "application/feed+json; charset=utf-8",
		render: always(renderJSON)}

	ninjsFormat  = format{path: "/news.json", contentType: "application/json", render: renderNinjs}
	newsMLFormat = format{path: "/news.xml", contentType: "application/vnd.iptc.g2.newsmessage+xml",
		render: renderNewsML}
)

func always(render func(document) []byte) func(document, Config) ([]byte, error) {
	return func(d document, _ Config) ([]byte, error) { return render(d), nil }
}

// ServeHTTP answers one reader.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var f format
	switch path := r.URL.Path; {
	case path == atomFormat.path:
		f = atomFormat
	case path == jsonFormat.path:
		f = jsonFormat
	case path == ninjsFormat.path && h.Ninjs != nil:
		f = ninjsFormat
	case path == newsMLFormat.path && h.NewsML != nil:
		f = newsMLFormat
	default:
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "a feed can only be read: use GET", http.StatusMethodNotAllowed)
		return
	}
	account, ok := auth.Account(r.Context())
	if !ok {
		w.Header().Set("WWW-Authenticate", `Basic realm="Tidings", charset="UTF-8"`)
		http.Error(w, "this node wants to know who reads: make a token in its settings and give it as the password",
			http.StatusUnauthorized)
		return
	}
	doc, err := h.load(r, account, f)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	if err := h.answer(w, r, f, doc); err != nil {
		h.refuse(w, r, err)
	}
}

// load makes the document that a request asks for.
func (h *handler) load(r *http.Request, account tidings.AccountID, f format) (document, error) {
	address, err := h.channelURL(r)
	if err != nil {
		return document{}, err
	}
	channel, err := h.Store.Channel(r.Context(), account, address)
	if given := r.URL.Query().Get("url"); given != address && errors.Is(err, tidings.ErrNotFollowed) {
		// It may have been followed when canonical addresses were made otherwise.
		channel, err = h.Store.Channel(r.Context(), account, given)
	}
	if err != nil {
		return document{}, fmt.Errorf("finding %s: %w", address, err)
	}
	entries, err := h.Store.Entries(r.Context(), account, tidings.EntryQuery{Channel: channel.URL, Limit: window})
	if err != nil {
		return document{}, fmt.Errorf("reading entries of %s: %w", address, err)
	}
	base := h.BaseURL(r)
	doc := newDocument(channel, entries, base, feedURL(base, f, channel.URL))
	if h.Hub != "" && channel.Privacy == tidings.Public && channel.Kind.HasOrigin() &&
		(f.path == atomFormat.path || f.path == jsonFormat.path) {
		doc.self, doc.hub = feedURL(h.Public, f, channel.URL), h.Hub
	}
	return doc, nil
}

// Address says where a feed is.
type Address struct {
	Base string // address of the node
	Hub  string // URL of its WebSub hub
	JSON bool   // a JSON Feed; else Atom
}

// Feed returns the feed of a channel that an account follows, with its Content-Type, as the handler of Paths would send
// it.
func Feed(ctx context.Context, s Store, account tidings.AccountID, url string,
	at Address) (body []byte, contentType string, err error) {
	f := atomFormat
	if at.JSON {
		f = jsonFormat
	}
	channel, err := s.Channel(ctx, account, url)
	if err != nil {
		return nil, "", err
	}
	entries, err := s.Entries(ctx, account, tidings.EntryQuery{Channel: url, Limit: window})
	if err != nil {
		return nil, "", err
	}
	doc := newDocument(channel, entries, at.Base, feedURL(at.Base, f, url))
	doc.hub = at.Hub
	body, err = f.render(doc.whole(), Config{})
	return body, f.contentType, err
}

// channelURL returns the channel that is asked for; else an error with ErrInvalid.
func (h *handler) channelURL(r *http.Request) (string, error) {
	address := r.URL.Query().Get("url")
	switch {
	case address == "":
		return "", tidings.Invalidf("say which channel, as in %s?url=https://example.org/feed", r.URL.Path)
	case len(address) > maxURL:
		return "", tidings.Invalidf("the url has more than %d bytes", maxURL)
	}
	if text, is := tidings.QueryText(address); is {
		return tidings.QueryURL(text), nil
	}
	if _, is := tidings.ZonePath(address); is || tidings.KindOf(address) == tidings.KindPosted {
		return address, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", tidings.Invalidf("the url is not that of a web page or feed (http or https), a query or a zone")
	}
	if h.Canonical == nil {
		return address, nil
	}
	canonical, err := h.Canonical(address)
	if err != nil {
		return "", tidings.Invalidf("%w", err)
	}
	return canonical, nil
}

// refuse reports to a person at the other end, in a line, what is wrong.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, tidings.ErrInvalid):
		http.Error(w, tidings.Explain(err), http.StatusBadRequest)
	case errors.Is(err, tidings.ErrNotFollowed):
		http.Error(w,
			"this channel is not followed here: subscribe to it first, in the page or with: tidings subscribe URL",
			http.StatusNotFound)
	case r.Context().Err() != nil: // nobody is there to be told
	case errors.Is(err, memory.ErrFull):
		w.Header().Set("Retry-After", memory.RetryAfter)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		h.Logger.Error("proxy cannot answer", "error", err)
		http.Error(w, "the store could not be read; the node's log says why", http.StatusInternalServerError)
	}
}
