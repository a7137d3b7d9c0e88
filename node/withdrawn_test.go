package node

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source/feed"
	"tidings/store"
	"tidings/store/shared"
)

// A whole node receives an update that is false. It withdraws the update in the API, the page and the feed, and
// remembers the nodes that vouched for it, over a restart too. Once a check of its own finds what the update says, the
// mark goes, and the penalties stay.
func TestHostile67AFalseUpdateIsWithdrawn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	doc, tag := rss(`<item><guid>true</guid><title>True</title></item>`), `"first"`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/rss+xml")
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag { // nothing has changed, whatever others claim
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte(doc))
	}))
	t.Cleanup(site.Close)
	url := site.URL + "/feed"
	data := t.TempDir()
	start := func() (*Node, *api.Client, func()) {
		c := Default()
		c.Data, c.HTTP, c.LabOrigins, c.Interval, c.NoMDNS = data, "127.0.0.1:0", true, 24*time.Hour, true
		c.Listen = []string{"/ip4/127.0.0.1/tcp/0"}
		n, stop := runNode(t, c)
		client := api.Dial(api.SocketPath(data))
		t.Cleanup(client.Close)
		t.Cleanup(stop)
		return n, client, stop
	}
	n, client, stop := start()
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: url}); err != nil {
		t.Fatal(err)
	}
	updates := func() []tidings.Update {
		t.Helper()
		all, err := client.Updates(t.Context(), tidings.UpdateQuery{})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	await(t, "the feed was read", func() bool { return len(updates()) == 1 })
	await(t, "it is among what the node shares", func() bool { return n.coop.Shares(tidings.IDOf(url)) })

	giver, finder := engine.IDOf([]byte("giver")), engine.IDOf([]byte("finder"))
	known, err := n.store.Content.KnownItems(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	both := rss(`<item><guid>false</guid><title>False</title></item><item><guid>true</guid><title>True</title></item>`)
	d, err := feed.Parse([]byte(both), "", url, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	hash := shared.Hash{7}
	lie := &tidings.Change{Kind: tidings.KindFeed, Items: feed.Match(known, d), KnownUpTo: known[0].Row,
		Found: time.Now(), FoundBy: finder.String()}
	if _, err := n.entrance.Apply(t.Context(), store.Remote{Version: shared.Version{URL: url, Number: 9, Hash: hash},
		Change: lie}); err != nil {
		t.Fatal(err)
	}
	n.coop.Listener().Contradicted(corona.Contradicted{Channel: engine.ID(tidings.IDOf(url)), Version: 9, Hash: hash,
		FoundBy: finder, Giver: giver, Shown: true})
	await(t, "it is withdrawn", func() bool { all := updates(); return len(all) == 2 && all[1].Withdrawn != nil })
	if w := updates()[1].Withdrawn; !slices.Equal(w.VouchedBy, []string{giver.String(), finder.String()}) {
		t.Errorf("%+v", w)
	}
	get := func(path string) string {
		t.Helper()
		res, err := http.Get(n.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if page := get("/"); !strings.Contains(page, "Withdrawn: Its origin does not show it.") ||
		!strings.Contains(page, "/node?id="+giver.String()) {
		t.Error("the page does not say that it is withdrawn")
	}
	if feed := get("/feed?url=" + url); strings.Count(feed, "<title>Withdrawn: False</title>") != 1 ||
		strings.Contains(feed, "Withdrawn: True") {
		t.Errorf("the feed does not say what is withdrawn: %s", feed)
	}
	check := func(withdrawn bool) {
		t.Helper()
		if _, err := client.Poll(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if all := updates(); len(all) != 2 || (all[1].Withdrawn != nil) != withdrawn {
			t.Errorf("after a check: %+v", all)
		}
	}
	check(true)
	stop()
	n, client, _ = start()
	status, err := client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p := status.Coop.Penalties; len(p) != 2 || p[0].Times != 1 || p[0].Reasons[0].Channel != url ||
		updates()[1].Withdrawn == nil {
		t.Errorf("after a restart: penalties %+v", p)
	}
	if r, err := n.trust.Republisher(t.Context(), giver.String()[:8]); err != nil || r.Node != giver.String() {
		t.Errorf("a penalized node is not known by the first digits of its ID: %v", err)
	}
	if page := get("/network?show=trust"); !strings.Contains(page, "gave a version that the origin did not show") {
		t.Error("the page does not list penalties")
	}
	mu.Lock()
	doc, tag = both, `"other"`
	mu.Unlock()
	check(false)
	if p, err := client.Status(t.Context()); err != nil || len(p.Coop.Penalties) != 2 ||
		strings.Contains(get("/"), "Withdrawn:") {
		t.Errorf("once it is there: %+v, %v", p.Coop.Penalties, err)
	}
}
