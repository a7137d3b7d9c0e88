package node

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/node/channels"
	"tidings/node/history"
	"tidings/source/fetch"
	"tidings/view"
)

// A refusal that a flag lifts names the flag.
func TestRefusalsNameTheirFlag(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		answer.Write([]byte(rss(entry("1", "One", strings.Repeat("long ", 1000)))))
	}))
	t.Cleanup(site.Close)
	for flag, edit := range map[string]func(*Config){
		"--allow-private-origins": func(c *Config) { c.LabOrigins, c.AllowPrivateOrigins = false, false },
		"--body-limit":            func(c *Config) { c.BodyLimit = 1 << 10 },
	} {
		n := newRestartable(t, edit, func(c *Config) { c.Interval = MinInterval })
		client := api.Dial(api.SocketPath(n.config.Data))
		t.Cleanup(client.Close)
		order := tidings.SubscribeRequest{URL: site.URL + "/feed.xml"}
		_, subscribing := client.Subscribe(t.Context(), order)
		_, previewing := client.Preview(t.Context(), order)
		for _, err := range []error{subscribing, previewing} {
			var refused *api.Error
			if !errors.As(err, &refused) || !strings.Contains(refused.Hint, "tidings up "+flag) {
				t.Errorf("%s: refused with %v, which is said to be mended so: %+v", flag, err, refused)
			}
		}
	}
}

// All requests for one poll of an address without followers have one deadline. So have the documents of an origin's
// archive.
func TestPollsThatSomebodyWaitsForHaveADeadline(t *testing.T) {
	t.Parallel()
	var deadlines []time.Time
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			answer.Write(
				[]byte(`<html><head><link rel="alternate" type="application/rss+xml" href="/none"><link rel="alternate" type="application/rss+xml" href="/feed"></head></html>`))
		case "/feed":
			answer.Write([]byte(strings.Replace(rss(entry("2", "Two", "text")), "<channel>",
				`<channel xmlns:a="http://www.w3.org/2005/Atom"><a:link rel="prev-archive" href="/feed/1"/>`, 1)))
		case "/feed/1":
			answer.Write([]byte(rss(entry("1", "One", "text"))))
		default:
			http.NotFound(answer, r)
		}
	}))
	t.Cleanup(site.Close)
	n, client := startNode(t)
	real := n.poller.Fetch
	n.poller.Fetch = func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		until, _ := ctx.Deadline()
		deadlines = append(deadlines, until)
		return real(ctx, r)
	}
	hold := func(what string, least int, began time.Time, within time.Duration) {
		t.Helper()
		if len(deadlines) < least {
			t.Fatalf("%s: %d documents were fetched, want %d", what, len(deadlines), least)
		}
		for _, until := range deadlines {
			if until != deadlines[0] || until.IsZero() || until.After(time.Now().Add(within)) ||
				until.Before(began.Add(within)) {
				t.Errorf("%s: a document may take until %s, the first until %s; begun at %s", what, until, deadlines[0],
					began)
			}
		}
		deadlines = nil
	}
	began := time.Now()
	if _, err := client.Preview(t.Context(), tidings.SubscribeRequest{URL: site.URL}); err != nil {
		t.Fatal(err)
	}
	hold("a check", 3, began, channels.PreviewWithin)
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: site.URL + "/feed"}); err != nil {
		t.Fatal(err)
	}
	deadlines = nil
	began = time.Now()
	told := 0
	if _, err := client.Older(t.Context(), site.URL+"/feed", view.ArchiveQuery{},
		func(view.Archived) error { told++; return nil }); err != nil || told == 0 {
		t.Fatalf("%d entries, %v", told, err)
	}
	hold("an archive", 2, began, history.ReadWithin)
}

// A node that is started with a shorter interval does not wait for checks that were planned by the longer one.
func TestAShorterIntervalHoldsAtOnce(t *testing.T) {
	t.Parallel()
	polls := make(chan struct{}, 100)
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		polls <- struct{}{}
		answer.Write([]byte(rss(entry("1", "One", "text"))))
	}))
	t.Cleanup(site.Close)
	n := newRestartable(t, func(c *Config) { c.Interval, c.NoNetwork = MaxInterval, true })
	f, err := n.client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: site.URL + "/feed.xml"})
	if err != nil || time.Until(f.Last.Next) < 24*time.Hour {
		t.Fatalf("the next check is at %v (%v)", f.Last.Next, err)
	}
	n.stop()
	for len(polls) > 0 {
		<-polls
	}
	n.config.Interval = time.Second
	n.start()
	select {
	case <-polls:
	case <-time.After(10 * time.Minute): // only a failure waits for it
		t.Error("the check waits for the end of the former interval")
	}
	await(t, "the next check is planned by the shorter interval", func() bool { // once this one is stored
		again, err := n.client.Channel(t.Context(), f.URL)
		return err == nil && time.Until(again.Last.Next) < time.Hour &&
			strings.Contains(again.Last.NextWhy, "every 1 s")
	})
}
