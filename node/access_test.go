package node

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
)

// A channel's own headers are sent to its origin from the first request on. They are shown nowhere: not by the API, in
// a list of subscriptions or in the log. That holds even if the origin redirects, fails, or echoes what it receives
// into its errors.
func TestOwnHeadersAreUsedAndNeverShown(t *testing.T) {
	const header, cookie = "h3ader-secret", "c00kie-secret"
	var allowed, refused, elsewhere atomic.Int64
	var broken atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("another origin is sent %q and %q", r.Header.Get("X-Key"), r.Header.Get("Cookie"))
		}
		elsewhere.Add(1)
		http.NotFound(w, r)
	}))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("sid"); r.Header.Get("X-Key") != header || err != nil || c.Value != cookie {
			refused.Add(1)
			http.Error(w, "not for you", http.StatusForbidden)
			return
		}
		allowed.Add(1)
		if broken.Load() {
			http.Redirect(w, r, other.URL+"/feed", http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, `<rss version="2.0"><channel><title>Private</title><item><title>One</title><guid>1</guid></item></channel></rss>`)
	}))
	t.Cleanup(server.Close)
	var logged bytes.Buffer
	c := Default()
	c.Data, c.HTTP, c.LabOrigins, c.Interval, c.NoNetwork = t.TempDir(), "127.0.0.1:0", true, time.Hour, true
	c.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	n, stop := runNode(t, c)
	client := api.Dial(api.SocketPath(c.Data))
	defer client.Close()
	order := tidings.SubscribeRequest{URL: server.URL + "/private",
		Access: tidings.AccessChange{Headers: []string{"X-Key: " + header}, Cookies: []string{"sid=" + cookie}}}
	if p, err := client.Preview(t.Context(), order); err != nil || p.Privacy != tidings.Credentialed || p.Count != 1 {
		t.Fatalf("preview %+v, %v", p, err)
	}
	f, err := client.Subscribe(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	if f.Privacy != tidings.Credentialed || len(f.Access.Headers) != 1 || f.Access.Headers[0] != "X-Key" ||
		len(f.Access.Cookies) != 1 || f.Access.Cookies[0] != "sid" || f.Access.Proxy {
		t.Errorf("channel %+v", f)
	}
	if w, err := n.store.Content.Watch(t.Context(), f.URL); err != nil || w.Privacy != tidings.Credentialed ||
		w.Access.IsZero() {
		t.Errorf("stored with privacy %s: %v", w.Privacy, err)
	}
	if _, err := client.Change(t.Context(), f.URL, tidings.ChannelChange{Privacy: new(tidings.Public)}); err == nil {
		t.Error("the channel was made public")
	}
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: f.URL, Privacy: tidings.Public,
		Access: tidings.AccessChange{Headers: []string{"X-Other: " + header}}}); err == nil {
		t.Error("the channel was made public, with another header")
	}
	broken.Store(true)
	if poll, err := client.Poll(t.Context(), f.URL); err != nil || poll.Outcome.Read() {
		t.Errorf("check %+v, error %v", poll, err)
	}
	if allowed.Load() < 2 || refused.Load() != 0 || elsewhere.Load() != 1 {
		t.Errorf("%d requests with the headers, %d without, %d elsewhere", allowed.Load(), refused.Load(),
			elsewhere.Load())
	}
	broken.Store(false)
	// Without the header, the origin refuses: it is not sent any more.
	if f, err = client.Change(t.Context(), f.URL,
		tidings.ChannelChange{Access: &tidings.AccessChange{Headers: []string{"X-Key:"}}}); err != nil ||
		len(f.Access.Headers) != 0 || f.Privacy != tidings.Credentialed {
		t.Errorf("after a header was removed: %+v, %v", f.Access, err)
	}
	if _, err := client.Poll(t.Context(), f.URL); err != nil {
		t.Error(err)
	}
	if refused.Load() == 0 {
		t.Error("the header is still sent")
	}
	_, err = client.Change(t.Context(), f.URL,
		tidings.ChannelChange{Access: &tidings.AccessChange{Headers: []string{"Host: " + header}}})
	if err == nil || strings.Contains(err.Error(), header) {
		t.Errorf("a header that the node sets itself: %v", err)
	}
	var shown strings.Builder
	for _, path := range []string{"channels", "updates", "entries", "status", "opml"} {
		fmt.Fprintln(&shown, get(t, api.SocketPath(c.Data), path))
	}
	if f, err = client.Change(t.Context(), f.URL,
		tidings.ChannelChange{Access: &tidings.AccessChange{Cookies: []string{"sid="}}}); err != nil ||
		f.Privacy != tidings.Unlisted {
		t.Errorf("without anything of its own: privacy %s, %v", f.Privacy, err)
	}
	stop()
	for where, text := range map[string]string{"the API": shown.String(), "the log": logged.String()} {
		if strings.Contains(text, header) || strings.Contains(text, cookie) {
			t.Errorf("%s shows what the origin is sent", where)
		}
	}
}

// If several people use the node, a channel with a header is the person's own. Its header changes for that person
// alone. A channel that others may follow cannot get a header, and the refusal does not reveal whether others do.
func TestHeadersAreOnePersons(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>Feed</title><item><title>For %s</title><guid>%[1]s</guid></item></channel></rss>`, cmp.Or(r.Header.Get("X-Who"), "all"))
	}))
	t.Cleanup(server.Close)
	_, owner, readers := startShared(t, "ann", "bob")
	ann, bob := readers[0], readers[1]
	address := server.URL + "/feed"
	if _, err := owner.Subscribe(t.Context(), tidings.SubscribeRequest{URL: address}); err != nil {
		t.Fatal(err)
	}
	with := func(header string) tidings.SubscribeRequest {
		return tidings.SubscribeRequest{URL: address,
			Access: tidings.AccessChange{Headers: []string{"X-Who: " + header}}}
	}
	for name, who := range map[string]person{"ann": ann, "bob": bob} {
		var f tidings.Subscription
		if status := who.json("POST", "channels", with(name), &f); status != http.StatusCreated || f.URL != address ||
			len(f.Access.Headers) != 1 {
			t.Fatalf("%s: %d %+v", name, status, f)
		}
	}
	reads := func(who person, want string) {
		t.Helper()
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			var entries []tidings.Entry
			who.get("entries", &entries)
			for _, e := range entries {
				if e.Content.Title == want && tidings.IsOwnURL(e.Channel) {
					return
				}
			}
		}
		t.Errorf("%q has not come", want)
	}
	reads(ann, "For ann")
	reads(bob, "For bob")
	if status := ann.json("POST", "channels", with("anna"), nil); status != http.StatusCreated {
		t.Errorf("another header: %d", status)
	}
	reads(ann, "For anna")
	header := &tidings.AccessChange{Headers: []string{"X-Who: s3cret"}}
	if _, err := owner.Change(t.Context(), address, tidings.ChannelChange{Access: header}); err == nil ||
		!strings.Contains(err.Error(), "others may follow") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a header for a channel of all: %v", err)
	}
	entries, err := owner.Entries(t.Context(), tidings.EntryQuery{})
	if err != nil || len(entries) != 1 || entries[0].Content.Title != "For all" {
		t.Errorf("the owner reads %+v, %v", entries, err)
	}
}

// A channel with a header, a cookie or a proxy is named to no other node. If others know of it, they forget it as soon
// as it has one.
func TestAChannelWithHeadersIsToldToNobody(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 2, 2*time.Second)
	_, url := w.ownedBy(1)
	if _, err := w.client(0).Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: url, Access: tidings.AccessChange{Headers: []string{"X-Key: k"}}}); err != nil {
		t.Fatal(err)
	}
	public := w.base + "other"
	if err := w.origin.AddFeed("other", origin.MakeFeed(77, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	w.follow(0, public)
	w.awaitNumber(0, public)
	if w.nodes[1].coop.Shares(tidings.IDOf(url)) {
		t.Errorf("the other node knows of %s", url)
	}
	if err := w.nodes[0].Change(t.Context(), tidings.Owner, public,
		tidings.ChannelChange{Access: &tidings.AccessChange{Cookies: []string{"sid=s"}}}); err != nil {
		t.Fatal(err)
	}
	await(t, "what has a cookie now is forgotten", func() bool {
		return !w.nodes[1].coop.Shares(tidings.IDOf(public))
	})
}
