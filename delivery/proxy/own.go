package proxy

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"tidings"
	"tidings/delivery/sync"
)

// OwnBase is the path below which feeds of people's own are:
//
//	GET /feeds/SECRET.atom
//	GET /feeds/SECRET.json
const OwnBase = "/feeds/"

// maxOwnItems is how many items a feed of a person's own holds.
const maxOwnItems = 100

// ServesOwn reports whether a path is one of NewOwn's.
func ServesOwn(path string) bool { return strings.HasPrefix(path, OwnBase) }

// OwnPaths returns the paths of a feed with a secret, as Atom and as JSON Feed.
func OwnPaths(secret string) (atom, json string) {
	return OwnBase + secret + ".atom", OwnBase + secret + ".json"
}

// OwnStore is what feeds of people's own are made of.
type OwnStore interface {
	Store
	// HasFolder reports whether an account has a folder, or one within it.
	HasFolder(ctx context.Context, account tidings.AccountID, path string) (bool, error)
}

// OwnGate finds out which feed a secret opens. The client's address, by which guesses are limited, is in the context.
//
// An error is [sync.ErrWrong], a [*sync.TooManyTries], a [*sync.TooManyRequests], or trouble of the node's own.
type OwnGate interface {
	Feed(ctx context.Context, secret string) (tidings.AccountID, tidings.FeedAddress, error)
}

// own serves feeds of people's own.
type own struct {
	*handler
	store OwnStore
	gate  OwnGate
}

// NewOwn returns the handler of all paths below OwnBase. The secret in the path is all that a request needs: no session
// and no address counts. Of c it needs what New does, but for Store. It panics if c is not valid.
func NewOwn(c Config, store OwnStore, gate OwnGate) http.Handler {
	c.Store = store
	return &own{newHandler(c), store, gate}
}

// ServeHTTP answers one reader. Whatever the reason for which there is no feed at a path, the answer is the same.
func (o *own) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "private, no-store")
	header.Set("Referrer-Policy", "no-referrer") // the address is the secret
	header.Set("X-Robots-Tag", "noindex")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "a feed can only be read: use GET", http.StatusMethodNotAllowed)
		return
	}
	secret, f, ok := parseOwn(r.URL.Path)
	if !ok {
		o.fail(w, r, sync.ErrWrong)
		return
	}
	account, feed, err := o.gate.Feed(r.Context(), secret)
	if err != nil {
		o.fail(w, r, err)
		return
	}
	base := o.BaseURL(r)
	doc, err := o.load(r.Context(), account, feed, base)
	if err != nil {
		o.fail(w, r, err)
		return
	}
	doc.id = nameUUID("tidings feed " + secret)
	doc.self = base + OwnBase + secret + f.suffix
	if err := o.answer(w, r, f.format, doc); err != nil {
		o.fail(w, r, err)
	}
}

// ownFormat is a syntax of feeds, by the end of a path.
type ownFormat struct {
	format
	suffix string
}

// ownFormats are those that a person's own feed has.
var ownFormats = []ownFormat{{atomFormat, ".atom"}, {jsonFormat, ".json"}}

// parseOwn returns the secret and the format that a path names.
func parseOwn(path string) (secret string, f ownFormat, ok bool) {
	for _, f := range ownFormats {
		if name, ok := strings.CutSuffix(path, f.suffix); ok {
			return strings.TrimPrefix(name, OwnBase), f, true
		}
	}
	return "", ownFormat{}, false
}

// fail says in a line why there is no feed.
func (o *own) fail(w http.ResponseWriter, r *http.Request, err error) {
	fault := sync.FaultOf(r.Context(), o.Logger, err)
	w.Header().Set("Cache-Control", "private, no-store")
	fault.SetHeader(w.Header())
	if errors.Is(err, sync.ErrWrong) {
		fault.Status, fault.Text = http.StatusNotFound, "there is no feed at this address"
	}
	http.Error(w, fault.Text, fault.Status)
}

// load makes the document of a feed, but for what depends on its address. What the feed is of may be gone: then it is
// empty, and its title says so.
func (o *own) load(ctx context.Context, account tidings.AccountID, feed tidings.FeedAddress,
	base string) (document, error) {
	q := feed.Query()
	q.Limit = maxOwnItems
	var channel tidings.Subscription
	if feed.Selection == tidings.SelectChannel {
		var err error
		channel, err = o.store.Channel(ctx, account, feed.Of)
		if errors.Is(err, tidings.ErrNotFollowed) {
			return emptyDocument(feed, base, "not followed any more"), nil
		}
		if err != nil {
			return document{}, err
		}
	}
	entries, err := o.store.Entries(ctx, account, q)
	switch {
	case errors.Is(err, tidings.ErrNotFollowed):
		return emptyDocument(feed, base, "not followed any more"), nil
	case err != nil:
		return document{}, err
	case feed.Selection == tidings.SelectChannel:
		doc := newDocument(channel, entries, "", "")
		doc.title, doc.most = cmp.Or(feed.Name, doc.title), maxOwnItems
		return doc, nil
	case feed.Selection == tidings.SelectFolder && len(entries) == 0:
		there, err := o.store.HasFolder(ctx, account, feed.Of)
		if err != nil {
			return document{}, err
		}
		if !there {
			return emptyDocument(feed, base, "there is no such folder"), nil
		}
	}
	doc := emptyDocument(feed, base, "")
	doc.show(entries, "", entryOfSeveral)
	return doc, nil
}

// emptyDocument returns the document of a feed before its entries are filled in. why says why there are none, if that
// is known.
func emptyDocument(feed tidings.FeedAddress, base, why string) document {
	title := feed.Label()
	if why != "" {
		title += " (" + why + ")"
	}
	return document{title: title, home: base + ownHome(feed), updated: feed.Created, unordered: true, most: maxOwnItems}
}

// ownHome returns the path of the page that shows what a feed does.
func ownHome(feed tidings.FeedAddress) string {
	switch feed.Selection {
	case tidings.SelectUnread, tidings.SelectStarred:
		return "/?show=" + string(feed.Selection)
	case tidings.SelectFolder:
		return "/?folder=" + url.QueryEscape(feed.Of)
	case tidings.SelectSearch:
		return "/search?q=" + url.QueryEscape(feed.Of)
	case tidings.SelectChannel:
		return "/channel?url=" + url.QueryEscape(feed.Of)
	}
	return "/"
}

// entryOfSeveral returns an entry of a feed of several channels: as the feed of its channel has it, with the channel as
// its source. What a query selected keeps the source that it has.
func entryOfSeveral(e tidings.Entry) entry {
	shown := newEntry(tidings.Subscription{Channel: tidings.Channel{URL: e.Channel, Title: e.Label, Kind: e.Kind}}, e)
	if shown.source == nil {
		shown.source = &tidings.Source{URL: e.Channel}
		if e.Label != e.Channel {
			shown.source.Title = e.Label
		}
	}
	return shown
}
