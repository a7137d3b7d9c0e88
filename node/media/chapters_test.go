package media

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"tidings"
	"tidings/egress"
	"tidings/source/feed"
)

// Chapters come from their document, which its origin is asked for once, without a word of the reader. What is none is
// refused.
func TestChapters(t *testing.T) {
	var requests atomic.Int32
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" || r.URL.RawQuery != "" {
			t.Errorf("the origin is sent %v, %s", r.Header, r.URL)
		}
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/chapters.json", http.StatusFound)
		case "/chapters.json", "/again.json":
			fmt.Fprint(w,
				`{"version":"1.2.0","chapters":[{"startTime":0,"title":"One"},{"startTime":60,"title":"Two"}]}`)
		case "/large":
			fmt.Fprint(w, `{"chapters":[{"startTime":0,"title":"`+strings.Repeat("x", feed.MaxChapterBytes)+`"}]}`)
		case "/text":
			fmt.Fprint(w, "<html>")
		default:
			http.NotFound(w, r)
		}
	}))
	defer origin.Close()
	c := client()
	for path, requested := range map[string]int32{"/chapters.json?utm_source=x": 1, "/moved": 2} {
		for i := range 3 {
			list, err := c.Chapters(t.Context(), origin.URL+path)
			if err != nil || len(list) != 2 || list[1].Title != "Two" {
				t.Errorf("%s, %d: %+v, %v", path, i, list, err)
			}
		}
		if n := requests.Swap(0); n != requested {
			t.Errorf("%s: %d requests", path, n)
		}
	}
	for path, want := range map[string]error{"/large": feed.ErrLimit, "/text": feed.ErrNotChapters, "/gone": nil} {
		for range 2 {
			if _, err := c.Chapters(t.Context(), origin.URL+path); err == nil || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", path, err, want)
			}
		}
		if n := requests.Swap(0); n != 1 {
			t.Errorf("%s: %d requests", path, n)
		}
	}
	if _, err := c.Chapters(t.Context(), "file:///etc/passwd"); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("a file: %v", err)
	}
	// A requester that leaves does not have others find nothing.
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := c.Chapters(gone, origin.URL+"/again.json"); err == nil {
		t.Error("one that has gone is answered")
	}
	if list, err := c.Chapters(t.Context(), origin.URL+"/again.json"); err != nil || len(list) != 2 {
		t.Errorf("the next one: %+v, %v", list, err)
	}
	guarded := New(Config{Guard: egress.Guard{Ports: egress.HighPorts}, Agent: "test"})
	if _, err := guarded.Chapters(t.Context(), origin.URL+"/chapters.json"); !errors.Is(err, egress.ErrAddress) {
		t.Errorf("an address of this machine: %v", err)
	}
}
