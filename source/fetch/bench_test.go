package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"tidings/lab/cpu"
)

// The bare exchanges beside ours are the measure of what the client adds: the same
// requests over a plain net/http transport against the same origin. All run on one
// core, which both ends share, so that a figure is whole exchanges a second and core.

func benchOrigin(b *testing.B, body string) string {
	b.Helper()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		w.Header().Set("Cache-Control", "max-age=600")
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	b.Cleanup(origin.Close)
	return origin.URL + "/feed.xml"
}

func benchClient(b *testing.B) *Client {
	b.Helper()
	c := Default()
	c.Lab = true
	client, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close() })
	return client
}

// oneCore keeps a benchmark to one core, and returns what reports its figures: exchanges
// a second by the clock, and what they cost this process, which other work on the machine
// changes less.
func oneCore(b *testing.B) (report func()) {
	cores := runtime.GOMAXPROCS(1)
	b.Cleanup(func() { runtime.GOMAXPROCS(cores) })
	before := cpu.Time()
	return func() {
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
		b.ReportMetric(float64((cpu.Time()-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/op")
	}
}

func BenchmarkFetch304(b *testing.B) {
	report := oneCore(b)
	client, url := benchClient(b), benchOrigin(b, "")
	b.ReportAllocs()
	for b.Loop() {
		res, err := client.Fetch(context.Background(), Request{URL: url, ETag: `"v1"`})
		if err != nil || res.Status != http.StatusNotModified {
			b.Fatal(res, err)
		}
	}
	report()
}

// BenchmarkFetch304Open is BenchmarkFetch304 with the budget for hosts in force, though
// too large to hold anything up.
func BenchmarkFetch304Open(b *testing.B) {
	report := oneCore(b)
	c := Default()
	c.AllowPrivate, c.HostRate, c.HostBurst = true, 1e9, 1000
	client, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	url := benchOrigin(b, "")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Fetch(context.Background(), Request{URL: url, ETag: `"v1"`}); err != nil {
			b.Fatal(err)
		}
	}
	report()
}

func BenchmarkBare304(b *testing.B) {
	report := oneCore(b)
	url := benchOrigin(b, "")
	bare := &http.Transport{DialContext: new(net.Dialer).DialContext}
	defer bare.CloseIdleConnections()
	b.ReportAllocs()
	for b.Loop() {
		req, _ := http.NewRequest(http.MethodGet, url, nil)
		req.Header.Set("If-None-Match", `"v1"`)
		res, err := bare.RoundTrip(req)
		if err != nil || res.StatusCode != http.StatusNotModified {
			b.Fatal(res, err)
		}
		res.Body.Close()
	}
	report()
}

var body20K = strings.Repeat(fmt.Sprintf("<item><title>%s</title></item>\n", "something that changes seldom"), 328)

func BenchmarkFetch200(b *testing.B) {
	report := oneCore(b)
	client, url := benchClient(b), benchOrigin(b, body20K)
	b.SetBytes(int64(len(body20K)))
	b.ReportAllocs()
	for b.Loop() {
		res, err := client.Fetch(context.Background(), Request{URL: url})
		if err != nil || len(res.Body) != len(body20K) {
			b.Fatal(res, err)
		}
	}
	report()
}

func BenchmarkBare200(b *testing.B) {
	report := oneCore(b)
	url := benchOrigin(b, body20K)
	bare := &http.Transport{DialContext: new(net.Dialer).DialContext, DisableCompression: true}
	defer bare.CloseIdleConnections()
	b.SetBytes(int64(len(body20K)))
	b.ReportAllocs()
	for b.Loop() {
		req, _ := http.NewRequest(http.MethodGet, url, nil)
		res, err := bare.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || len(body) != len(body20K) {
			b.Fatal(len(body), err)
		}
		res.Body.Close()
	}
	report()
}

func BenchmarkMemory(b *testing.B) {
	m := fullMemory()
	encoded := m.Encode()
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = m.Encode()
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(encoded); err != nil {
				b.Fatal(err)
			}
		}
	})
}
