package node

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/store"
	"tidings/store/db"
)

// startNode runs a node in a folder of its own until the test ends.
func startNode(t testing.TB, change ...func(*Config)) (*Node, *api.Client) {
	t.Helper()
	c := testConfig(t)
	for _, f := range change {
		f(&c)
	}
	n, stop := runNode(t, c)
	t.Cleanup(stop)
	client := api.Dial(api.SocketPath(c.Data))
	t.Cleanup(client.Close)
	return n, client
}

// testConfig returns the settings of a node that works alone, of origins on this machine.
func testConfig(t testing.TB) Config {
	t.Helper()
	c := Default()
	c.Data = t.TempDir()
	c.HTTP = "127.0.0.1:0"
	c.LabOrigins = true
	c.NoNetwork = true
	c.Interval = 24 * time.Hour
	c.Logger = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return c
}

// runNode starts a node; the returned function stops it and reports how it ended.
func runNode(t testing.TB, c Config) (*Node, func()) {
	t.Helper()
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	select {
	case <-n.Ready():
	case err := <-ended:
		cancel()
		t.Fatalf("the node did not start: %v", err)
	}
	stopped := false
	return n, func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		switch err := <-ended; {
		case errors.Is(err, db.ErrHung):
			awaitDisk(t, c.Data)
		case err != nil:
			t.Errorf("the node ended with: %v", err)
		}
	}
}

// awaitDisk waits until a store is closed whose disk had not answered when its node ended. A node waits for seconds,
// and the disk of a busy machine may take longer. Until it has answered, nothing can open the store again.
func awaitDisk(t testing.TB, dir string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		s, err := store.Open(context.Background(), store.Default(dir))
		if err == nil {
			err = s.Close()
		}
		if err == nil {
			return
		}
		if !errors.Is(err, db.ErrInUse) && !errors.Is(err, db.ErrHung) || time.Now().After(deadline) {
			t.Errorf("the store of a node that has ended: %v", err)
			return
		}
	}
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(line []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(line)))
	return len(line), nil
}

// startOrigin serves an origin on loopback until the test ends.
func startOrigin(t testing.TB) (*origin.Origin, string) {
	t.Helper()
	o := origin.New(origin.Config{})
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	return o, server.URL + "/"
}

func TestAFeedIsFoundFollowedAndToldOf(t *testing.T) {
	o, base := startOrigin(t)
	if err := o.AddFeed("feed", origin.MakeFeed(1, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	page := `<html><head><title>Home</title><link rel="alternate" type="application/rss+xml" href="/feed"></head><body>hello</body></html>`
	if err := o.AddStatic("home", "text/html", []byte(page), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n, client := startNode(t)
	ctx := t.Context()
	f, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: base + "home"})
	if err != nil {
		t.Fatal(err)
	}
	if f.URL != base+"feed" || f.Kind != tidings.KindFeed || f.Version != 1 || f.Unread != 5 {
		t.Errorf("followed %+v", f)
	}
	if got := len(o.Requests("home")) + len(o.Requests("feed")); got != 2 {
		t.Errorf("%d requests for a subscription by autodiscovery, want 2", got)
	}
	if _, err := o.Step("feed"); err != nil {
		t.Fatal(err)
	}
	wake := n.Wake()
	poll, err := client.Poll(ctx, f.URL)
	if err != nil || poll.Outcome != tidings.OutcomeChanged {
		t.Fatalf("check %+v, error %v", poll, err)
	}
	select {
	case <-wake:
	case <-time.After(patience):
		t.Error("nobody was woken")
	}
	updates, err := client.Updates(ctx, tidings.UpdateQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if len(updates) != 2 || len(updates[0].Items) != 5 || len(updates[1].Items) != 1 ||
		updates[1].Items[0].Change != tidings.New {
		t.Errorf("updates %+v", updates)
	}
	if updates[1].FoundBy != n.id || updates[1].Received.IsZero() {
		t.Errorf("found by %q, received %v", updates[1].FoundBy, updates[1].Received)
	}
	if poll, err = client.Poll(ctx, f.URL); err != nil || poll.Outcome != tidings.OutcomeNotModified {
		t.Errorf("a check without a change: %+v, error %v", poll, err)
	}
}

func TestThePageIsServed(t *testing.T) {
	n, _ := startNode(t)
	res, err := http.Get(n.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || !strings.Contains(string(body), "Tidings") {
		t.Errorf("%s: %.200s", res.Status, body)
	}
}

func TestASiteWhoseFeedIsFollowedIsNotAskedAgain(t *testing.T) {
	o, base := startOrigin(t)
	for name, doc := range map[string]string{
		"home": `<html><head><title>Home</title><link rel="alternate" type="application/rss+xml" href="/feed"></head><body>hello</body></html>`,
		"feed": `<rss version="2.0"><channel><title>F</title><link>` + base +
			`home</link><item><title>one</title><guid>1</guid></item></channel></rss>`,
	} {
		if err := o.AddStatic(name, "", []byte(doc), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	_, client := startNode(t)
	for range 2 {
		f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "home"})
		if err != nil || f.URL != base+"feed" {
			t.Fatalf("followed %+v, error %v", f, err)
		}
	}
	for _, name := range []string{"home", "feed"} {
		if n := len(o.Requests(name)); n != 1 {
			t.Errorf("%s was asked for %d times, want once", name, n)
		}
	}
}

func TestThePasswordOfASiteIsNotGivenToItsFeedElsewhere(t *testing.T) {
	site, base := startOrigin(t)
	other, elsewhere := startOrigin(t)
	home := `<html><head><title>Home</title><link rel="alternate" type="application/rss+xml" href="` + elsewhere +
		`feed"></head><body>hello</body></html>`
	if err := site.AddStatic("home", "", []byte(home), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	feed := `<rss version="2.0"><channel><title>F</title><link>` + base +
		`home</link><item><title>one</title><guid>1</guid></item></channel></rss>`
	if err := other.AddStatic("feed", "", []byte(feed), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n, client := startNode(t)
	for _, address := range []string{base + "home", strings.Replace(base, "http://", "http://me:secret@", 1) + "home"} {
		if f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: address}); err != nil ||
			f.URL != elsewhere+"feed" {
			t.Fatalf("followed %+v, error %v", f, err)
		}
		if w, err := n.store.Content.Watch(t.Context(), elsewhere+"feed"); err != nil || w.Access.User != "" ||
			w.Access.Password != "" {
			t.Errorf("the feed is asked for with a password of another host: user %q, error %v", w.Access.User, err)
		}
	}
}
