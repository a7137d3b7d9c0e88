package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/lab/effort"
)

// mostBeforePaint bounds the bytes that a browser receives before it paints a page for the first time: the document,
// and the styles and scripts that the first paint waits for, compressed as they are sent.
const mostBeforePaint = 60_000

// noPages are the routes that answer with something other than a page.
var noPages = []string{
	"GET /assets/{file}", "GET /events", "GET /network/events", "GET /opml/export", "GET /offline/list",
	"GET /offline/articles",
	"GET /chapters/{id}",                            // a part of a page
	"GET /version",                                  // plain text
	"GET /login/openid", "GET /login/openid/return", // of nodes that have a provider
}

// pagesOf returns the addresses to try of each route that answers with a page, about a feed of the library, its newest
// entry and update.
func pagesOf(channel string, entry, update int64) map[string][]string {
	of := "url=" + url.QueryEscape(channel)
	numbered := func(path string, id int64) string { return fmt.Sprintf(path, id) }
	return map[string][]string{
		"GET /{$}": {"/", "/?show=unread", "/?show=all", "/?show=starred", "/?folder=Folder+07",
			"/?show=unread&folder=Folder+07", "/?tag=daily",
			"/?label=liked", numbered("/?before=%d", entry/2)},
		"GET /entry/{id}": {numbered("/entry/%d", entry), numbered("/entry/%d?in=/", entry),
			numbered("/entry/%d", entry/2)},
		"GET /search":    {"/search", "/search?q=belcordun", "/search?q=zeppelin"},
		"GET /add":       {"/add", "/add?url=x.example"},
		"GET /add/query": {"/add/query"},
		"GET /channels": {"/channels", "/channels?from=901", "/channels?q=library-7",
			"/channels?q=folder"},
		"GET /channel":                   {"/channel?" + of, "/channel?versions=200&" + of},
		"GET /older":                     {"/older?" + of},
		"GET /update/{id}":               {numbered("/update/%d", update)},
		"GET /opml":                      {"/opml"},
		"GET /settings":                  {"/settings"},
		"GET /notifications":             {"/notifications"},
		"GET /notifications/{id}":        {"/notifications/1"},
		"GET /notifications/{id}/remove": {"/notifications/1/remove"},
		"GET /filters":                   {"/filters"},
		"GET /filters/new": {"/filters/new", "/filters/new?channel=" + url.QueryEscape(channel),
			numbered("/filters/new?entry=%d", entry)},
		"GET /filters/{id}":  {"/filters/1"},
		"GET /offline/shell": {"/offline/shell"},
		"GET /help":          {"/help"},
		"GET /network": {"/network", "/network?show=ring", "/network?show=sharing",
			"/network?show=trust", "/network?show=node", "/network?show=traffic", "/network?channel=" +
				url.QueryEscape(channel)},
		"GET /node":                 {"/node?id=all"},
		"GET /status":               {"/status"},
		"GET /people":               {"/people"},
		"GET /people/remove/{name}": {"/people/remove/ann"},
	}
}

// With 1,000 channels and 100,000 items, the first paint of any page waits for at most 60,000 bytes, and for nothing
// that the document does not name: one round trip after it. All that it waits for has the digest of its content in its
// address, and is kept by browsers.
func TestFirstPaintOfEveryPageIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("many items: not with -short")
	}
	l := library{feeds: 1000, items: 20, bytes: 300, made: time.Now()}
	if effort.All() {
		l.items, l.bytes = 100, 1200
	}
	ctx := t.Context()
	b, err := newBed(ctx, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.stop(); err != nil {
			t.Error(err)
		}
	})
	if err := l.offer(b.origin); err != nil {
		t.Fatal(err)
	}
	if err := l.follow(ctx, b); err != nil {
		t.Fatal(err)
	}
	channel := b.base + l.name(7)
	entry, update := furnish(t, b, channel)
	pages := pagesOf(channel, entry, update)
	for _, route := range auth.Routes() {
		path, isGet := strings.CutPrefix(route, "GET ")
		if isGet && !strings.HasPrefix(path, api.Base) && path != "/login" && pages[route] == nil &&
			!slices.Contains(noPages, route) {
			t.Errorf("%s is neither tried nor among noPages", route)
		}
	}
	v := &weigher{t: t, base: b.node.URL(), assets: make(map[string]int)}
	v.weigh("/login")
	v.signIn()
	for _, paths := range pages {
		for _, path := range paths {
			v.weigh(path)
		}
	}
}

// password is the owner's.
const password = "long enough"

// furnish has the owner of a node use all that has pages: it returns the newest entry and update of a channel.
func furnish(t *testing.T, b *bed, channel string) (entry, update int64) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(b.client.SetPassword(ctx, password))
	must(b.node.Change(ctx, tidings.Owner, channel,
		tidings.ChannelChange{Tags: &tidings.TagChange{Add: []string{"daily"}}}))
	entries, err := b.client.Entries(ctx, tidings.EntryQuery{Channel: channel})
	must(err)
	updates, err := b.client.Updates(ctx, tidings.UpdateQuery{Channel: channel})
	must(err)
	if len(entries) == 0 || len(updates) == 0 {
		t.Fatalf("%s has %d entries and %d updates", channel, len(entries), len(updates))
	}
	_, err = b.client.Notify().Add(ctx, api.TargetSettings{Name: new("a program"), Kind: new(tidings.Webhook),
		URL: new("http://127.0.0.1:9/")})
	must(err)
	_, err = b.client.Filters().Add(ctx, tidings.FilterSettings{Condition: "headline LIKE '%harbour%'",
		Actions: tidings.FilterActions{Read: true}})
	must(err)
	_, err = b.client.Users().Add(ctx, api.NewPerson{Name: "ann", Password: password})
	must(err)
	return entries[0].ID, updates[0].ID
}

// weigher asks for pages as a browser does that has nothing in its cache.
type weigher struct {
	t      *testing.T
	base   string
	assets map[string]int // bytes of those that were requested already, by their addresses
	cookie *http.Cookie   // nil: not signed in
}

func (v *weigher) signIn() {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+"/login",
		strings.NewReader(url.Values{"password": {password}}.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, c := range resp.Cookies() {
		if c.Name == auth.CookieName {
			v.cookie = c
		}
	}
	if v.cookie == nil {
		v.t.Fatalf("signing in: %s", resp.Status)
	}
}

func (v *weigher) weigh(path string) {
	v.t.Helper()
	size, header, text := v.get(path)
	if !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		v.t.Errorf("%s is no page: %s", path, header.Get("Content-Type"))
		return
	}
	all := size
	for _, asset := range blocking(v.t, text) {
		if v.assets[asset] == 0 {
			size, header, text := v.get(asset)
			if v.assets[asset] = size; !strings.Contains(header.Get("Cache-Control"), "immutable") {
				v.t.Errorf("%s: browsers keep %s as %q", path, asset, header.Get("Cache-Control"))
			}
			if strings.Contains(text, "@import") || strings.Contains(text, "url(") {
				v.t.Errorf("%s asks for something else", asset)
			}
		}
		all += v.assets[asset]
	}
	v.t.Logf("%-60s %6d bytes, the document %6d", path, all, size)
	if all > mostBeforePaint {
		v.t.Errorf("%s needs %d bytes before it is painted, at most %d are meant", path, all, mostBeforePaint)
	}
}

// get returns the bytes of an answer as they were sent, and its text.
func (v *weigher) get(path string) (size int, header http.Header, text string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html,*/*")
	r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	if v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: %s %v", path, resp.Status, err)
	}
	plain, err := unpacked(resp.Header.Get("Content-Encoding"), body)
	if err != nil {
		v.t.Fatalf("%s: %v", path, err)
	}
	return len(body), resp.Header, plain
}

// blocking returns the addresses of all that a browser waits for before it paints a document: its style sheets, and its
// scripts that are neither deferred nor asynchronous.
func blocking(t *testing.T, document string) (addresses []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		at := make(map[string]string)
		for _, a := range n.Attr {
			at[a.Key] = a.Val
		}
		_, deferred := at["defer"]
		_, async := at["async"]
		switch {
		case n.Data == "link" && strings.Contains(at["rel"], "stylesheet"):
			addresses = append(addresses, at["href"])
		case n.Data == "script" && at["src"] != "" && !deferred && !async && at["type"] != "module":
			addresses = append(addresses, at["src"])
		}
	}
	if len(addresses) == 0 {
		t.Error("a page without a style")
	}
	return addresses
}

// Style sheets count, and scripts only if the page waits for them.
func TestBlockingAssetsAreFound(t *testing.T) {
	got := blocking(t,
		`<!doctype html><link rel=stylesheet href=a.css><link rel=icon href=i.svg><script src=b.js></script>
<script src=c.js defer></script><script src=d.js type=module></script>`)
	if !slices.Equal(got, []string{"a.css", "b.js"}) {
		t.Errorf("found %q", got)
	}
}

// unpacked returns the text of a body with a content encoding.
func unpacked(encoding string, body []byte) (string, error) {
	switch encoding {
	case "":
		return string(body), nil
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(z)
		return string(text), err
	}
	return "", fmt.Errorf("unknown encoding %q", encoding)
}
