package web

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/web/shell"
)

// stream opens the stream of events and returns what comes, until ctx ends.
func openStream(t *testing.T, ctx context.Context, base, path, lastID string) *bufio.Scanner {
	t.Helper()
	r, _ := http.NewRequestWithContext(ctx, "GET", base+path, nil)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", answer.StatusCode, answer.Header)
	}
	in := bufio.NewScanner(answer.Body)
	in.Buffer(nil, 1<<20)
	return in
}

// next returns the ID and content of the next event.
func next(t *testing.T, in *bufio.Scanner) (id string, e event) {
	t.Helper()
	for in.Scan() {
		if v, ok := strings.CutPrefix(in.Text(), "id: "); ok {
			id = v
		}
		if v, ok := strings.CutPrefix(in.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(v), &e); err != nil {
				t.Fatal(err)
			}
			return id, e
		}
	}
	t.Fatal("the stream ended")
	return
}

// A client that comes again misses nothing and sees nothing twice.
func TestEvents(t *testing.T) {
	f := sample()
	base := serve(t, f, false, nil)
	ctx, cancel := context.WithCancel(t.Context())
	in := openStream(t, ctx, base, "/events?after=28", "")
	if id, e := next(t, in); id != "30" || e.Count != 2 || strings.Index(e.HTML, `id="e30"`) > strings.Index(e.HTML,
		`id="e29"`) {
		t.Errorf("what came in between: %s, %+v", id, e)
	}
	f.arrive("https://compiler.example/blog/feed.atom", 6, tidings.Entry{Content: tidings.Item{Title: "Fresh <b>"}})
	id, e := next(t, in)
	if id != "31" || e.Count != 1 || !strings.Contains(e.HTML, "Fresh &lt;b&gt;") {
		t.Errorf("what came just now: %s, %+v", id, e)
	}
	cancel()
	f.arrive("https://compiler.example/blog/feed.atom", 7, tidings.Entry{Content: tidings.Item{Title: "While away"}})
	in = openStream(t, t.Context(), base, "/events?after=28", id)
	if id, e := next(t, in); id != "32" || e.Count != 1 {
		t.Errorf("after coming again: %s, %+v", id, e)
	}
}

func TestEventsOfOneFolder(t *testing.T) {
	f := sample()
	in := openStream(t, t.Context(), serve(t, f, false, nil), "/events?folder=Town&after=30", "")
	f.arrive("https://compiler.example/blog/feed.atom", 6, tidings.Entry{Content: tidings.Item{Title: "Elsewhere"}})
	f.arrive("https://ferry.example/timetable", 15, tidings.Entry{Delta: "1c1\n< a\n---\n> b\n"})
	if id, e := next(t, in); id != "32" || e.Count != 1 {
		t.Errorf("%s, %+v", id, e)
	}
}

// More than fits in one event is said, not sent.
func TestEventsAreBounded(t *testing.T) {
	f := sample()
	for i := range 3 * maxFragment {
		f.arrive("https://compiler.example/blog/feed.atom", tidings.Version(i+6), tidings.Entry{})
	}
	in := openStream(t, t.Context(), serve(t, f, false, nil), "/events?after=1", "")
	if id, e := next(t, in); id != "330" || e.Count != maxFragment || !e.More {
		t.Errorf("%s, %d, %v", id, e.Count, e.More)
	}
}

// hostile 56: streams are counted; the first too many is sent away, and one that ends makes room.
func TestStreamsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := sample()
		page, err := New(Config{Store: f, Node: f, Guard: must(auth.New(auth.Config{Store: f}))})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(auth.WithAccount(context.Background(), tidings.Owner))
		defer cancel()
		open := func(ctx context.Context) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			page.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/events?after=30", nil))
			return w
		}
		one, leave := context.WithCancel(ctx)
		go open(one)
		for range shell.MaxStreams - 1 {
			go open(ctx)
		}
		synctest.Wait()
		if w := open(ctx); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("one too many: %d", w.Code)
		}
		leave()
		synctest.Wait()
		last := make(chan *httptest.ResponseRecorder, 1)
		go func() { last <- open(ctx) }()
		time.Sleep(2*heartbeat + time.Second)
		cancel()
		if w := <-last; w.Code != 200 || strings.Count(w.Body.String(), ":\n\n") != 2 {
			t.Errorf("after one left: %d %q", w.Code, w.Body)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
