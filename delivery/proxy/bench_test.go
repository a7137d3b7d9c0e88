package proxy

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/auth"
)

// BenchmarkNotModified is a reader's usual request, without the store's part: 50 items
// of 2 KB, of which it has all.
func BenchmarkNotModified(b *testing.B) {
	store := newFake()
	for n := range int64(maxItems) {
		store.item(n, strings.Repeat("word ", 400), tidings.New)
	}
	h := New(Config{Store: store, BaseURL: func(*http.Request) string { return "http://node" },
		Logger: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest(http.MethodGet, path(feedChannel), nil)
	r = r.WithContext(auth.WithAccount(r.Context(), tidings.Owner))
	first := httptest.NewRecorder()
	h.ServeHTTP(first, r)
	r.Header.Set("If-None-Match", first.Header().Get("ETag"))
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusNotModified {
			b.Fatal(w.Code)
		}
	}
}
