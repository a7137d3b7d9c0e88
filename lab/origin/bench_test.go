package origin

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// discard is a ResponseWriter that costs nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

func benchmark(b *testing.B, opts Options, headers ...string) {
	o := New(Config{})
	if err := o.AddFeed("f", MakeFeed(1, 20, 20_000), opts); err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/f", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := &discard{header: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		o.ServeHTTP(w, r)
	}
}

func BenchmarkNotModified(b *testing.B) { benchmark(b, Options{}, "If-None-Match", "*") }
func BenchmarkWhole(b *testing.B)       { benchmark(b, Options{NoETag: true, NoLastModified: true}) }
func BenchmarkWholeGzip(b *testing.B)   { benchmark(b, Options{}, "Accept-Encoding", "gzip") }
func BenchmarkChanged(b *testing.B)     { benchmark(b, Options{EachRequest: true}) }
func BenchmarkChangedGzip(b *testing.B) {
	benchmark(b, Options{EachRequest: true}, "Accept-Encoding", "gzip")
}
func BenchmarkChangedZstd(b *testing.B) {
	benchmark(b, Options{EachRequest: true}, "Accept-Encoding", "gzip, br, zstd")
}
