package origin

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// raw sends a plain request over a connection of its own and returns all that comes back, at most limit bytes.
func (f fixture) raw(path string, limit int64) ([]byte, error) {
	f.t.Helper()
	return f.rawFor(path, limit, time.Minute)
}

// rawFor is raw for a client that gives up after so long.
func (f fixture) rawFor(path string, limit int64, patience time.Duration) ([]byte, error) {
	f.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	f.must(err)
	defer conn.Close()
	f.must(conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path)
	f.must(err)
	return io.ReadAll(io.LimitReader(conn, limit))
}

func faulty(t *testing.T) fixture {
	f := start(t, 0)
	f.must(f.Add("h", history(3), Options{}))
	return f
}

func TestFaultsLastAsLongAsSet(t *testing.T) {
	f := faulty(t)
	f.must(f.Fail("h", Fault{Kind: "500", Times: 2}))
	var got []int
	for range 3 {
		r, _ := f.get("/h")
		got = append(got, r.StatusCode)
	}
	if fmt.Sprint(got) != "[500 500 200]" {
		t.Errorf("statuses %v", got)
	}
	f.must(f.Fail("h", Fault{Kind: "410"}))
	if r, _ := f.get("/h?fault=none"); r.StatusCode != 200 {
		t.Errorf("fault=none: %d", r.StatusCode)
	}
	f.must(f.Heal("h"))
	if r, _ := f.get("/h"); r.StatusCode != 200 {
		t.Errorf("healed: %d", r.StatusCode)
	}
	for _, bad := range []Fault{{Kind: "unheard of"}, {Kind: "slow", Value: "much"}, {Kind: "500", Times: -1},
		{Kind: "status", Value: "20"}} {
		if f.Fail("h", bad) == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

func TestStatusesAndHeaders(t *testing.T) {
	f := faulty(t)
	for _, c := range []struct {
		query, header, want string
		status              int
	}{
		{"fault=429", "Retry-After", "60", 429},
		{"fault=429&value=soon", "Retry-After", "soon", 429},
		{"fault=429&value=Fri,+31+Dec+1999+23:59:59+GMT", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", 429},
		{"fault=503", "Retry-After", "", 503},
		{"fault=503&value=10", "Retry-After", "10", 503},
		{"fault=404", "", "", 404},
		{"fault=410", "", "", 410},
		{"fault=status&value=451", "", "", 451},
		{"fault=301&value=/other", "Location", "/other", 301},
		{"fault=302&value=/other", "Location", "/other", 302},
		{"fault=307&value=/other", "Location", "/other", 307},
		{"fault=308&value=http://10.0.0.1/", "Location", "http://10.0.0.1/", 308},
		{"fault=loop", "Location", "/h?fault=loop", 302},
		{"fault=challenge", "Cf-Mitigated", "challenge", 403},
		{"fault=login", "Content-Type", "text/html; charset=utf-8", 200},
		{"fault=charset", "Content-Type", "application/rss+xml; charset=utf-16", 200},
		{"fault=type", "Content-Type", "text/plain", 200},
		{"fault=304", "", "", 304},
		{"fault=same-etag", "ETag", `"same"`, 200},
		{"fault=future", "Last-Modified", "Sat, 01 Mar 2036 12:00:00 GMT", 200},
	} {
		r, _ := f.get("/h?" + c.query)
		if r.StatusCode != c.status || c.header != "" && r.Header.Get(c.header) != c.want {
			t.Errorf("%s: %d %v", c.query, r.StatusCode, r.Header)
		}
	}
	if r, body := f.get("/h?fault=empty"); r.StatusCode != 200 || body != "" {
		t.Errorf("empty: %d %q", r.StatusCode, body)
	}
}

func TestChainEndsWell(t *testing.T) {
	f := faulty(t)
	client := plain(t)
	hops := 0
	client.CheckRedirect = func(*http.Request, []*http.Request) error { hops++; return nil }
	r, err := client.Get(f.url + "/h?fault=chain&value=4")
	f.must(err)
	r.Body.Close()
	if r.StatusCode != 200 || hops != 4 {
		t.Errorf("%d after %d redirects", r.StatusCode, hops)
	}
}

func TestWrongLengths(t *testing.T) {
	f := faulty(t)
	whole, err := f.Body("h", 0)
	f.must(err)
	for kind, want := range map[string]error{"truncated": io.ErrUnexpectedEOF, "chunk-cut": io.ErrUnexpectedEOF,
		"reset-middle": syscall.ECONNRESET} {
		r, err := plain(t).Get(f.url + "/h?fault=" + kind)
		if err != nil {
			if kind == "reset-middle" && errors.Is(err, want) {
				continue // the reset overtook the head
			}
			t.Errorf("%s: %v", kind, err)
			continue
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if !errors.Is(err, want) || len(body) > len(whole)/2 {
			t.Errorf("%s: %d bytes, %v", kind, len(body), err)
		}
	}
	if _, err := plain(t).Get(f.url + "/h?fault=reset"); !errors.Is(err, syscall.ECONNRESET) &&
		!errors.Is(err, io.EOF) {
		t.Errorf("reset: %v", err)
	}
	if answer, err := f.raw("/h?fault=too-long", 1<<20); err != nil || !bytes.HasSuffix(answer, whole) ||
		!bytes.Contains(answer, fmt.Appendf(nil, "Content-Length: %d\r\n", len(whole)/2)) {
		t.Errorf("too-long: %v\n%s", err, answer)
	}
	if answer, err := f.raw("/h?fault=negative-length", 1<<20); err != nil ||
		!bytes.Contains(answer, []byte("Content-Length: -1\r\n")) {
		t.Errorf("negative-length: %v\n%s", err, answer)
	}
}

func TestFloods(t *testing.T) {
	f := faulty(t)
	const limit = 8 << 20
	for _, kind := range []string{"endless", "endless-headers"} {
		if answer, err := f.raw("/h?fault="+kind, limit); err != nil || len(answer) != limit {
			t.Errorf("%s: stops after %d bytes, %v", kind, len(answer), err)
		}
	}
	answer, err := f.raw("/h?fault=many-headers&value=500", limit)
	if n := bytes.Count(answer, []byte("\r\nX-Filler-")); err != nil || n != 500 {
		t.Errorf("many-headers: %d, %v", n, err)
	}
	r, body := f.get("/h?fault=bomb&value=64")
	z, err := gzip.NewReader(strings.NewReader(body))
	f.must(err)
	n, err := io.Copy(io.Discard, z)
	if err != nil || n < 64<<20 || len(body) > 1<<20 || r.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("bomb: %d bytes become %d, %v", len(body), n, err)
	}
}

func TestDoubleGzip(t *testing.T) {
	f := faulty(t)
	_, body := f.get("/h?fault=double-gzip")
	once := decoded(t, "gzip", body)
	want, _ := f.Body("h", 0)
	if decoded(t, "gzip", once) != string(want) {
		t.Error("not gzip in gzip")
	}
}

func TestSlowIsSlow(t *testing.T) {
	f := faulty(t)
	began := time.Now() // earlier than the first byte is sent, so that a slow reader only makes it longer
	r, err := plain(t).Get(f.url + "/h?fault=slow&value=10")
	f.must(err)
	defer r.Body.Close()
	b := make([]byte, 4)
	if _, err := io.ReadFull(bufio.NewReaderSize(r.Body, 1), b); err != nil {
		t.Fatal(err)
	}
	if elapsed := time.Since(began); elapsed < 150*time.Millisecond {
		t.Errorf("4 bytes at 10 a second came in %v", elapsed)
	}
}

func TestNoiseDiffersAtEachRequest(t *testing.T) {
	f := start(t, 0)
	page := []byte("<!DOCTYPE html><html><body><p>core</p></body></html>")
	f.must(f.AddStatic("page", "", page, Options{}))
	f.must(f.Add("h", history(1), Options{}))
	for _, name := range []string{"page", "h"} {
		f.must(f.Fail(name, Fault{Kind: "noise"}))
		r, first := f.get("/" + name)
		f.clock.Advance(time.Millisecond)
		_, second := f.get("/" + name)
		if first == second || r.Header.Get("ETag")+r.Header.Get("Last-Modified") != "" {
			t.Errorf("%s: %v\n%s", name, r.Header, first)
		}
	}
	_, body := f.get("/page")
	for _, part := range []string{"<p>core</p>", "csrf_token", "Page generated at", "advertisement", "</body></html>"} {
		if !strings.Contains(body, part) {
			t.Errorf("no %q in %s", part, body)
		}
	}
}

// Every kind is explained and every one leaves the origin alive.
func TestEveryFaultIsSurvived(t *testing.T) {
	f := faulty(t)
	for _, doc := range Faults() {
		if doc.Text == "" || (doc.Value == "") != (doc.Default == "") {
			t.Errorf("%s is badly explained", doc.Kind)
		}
		query, patience := "/h?fault="+string(doc.Kind), time.Minute
		switch doc.Kind {
		case "slow":
			query += "&value=10000"
		case "silent", "switching": // no client ever gets an answer, however long it waits
			patience = 100 * time.Millisecond
		}
		if _, err := f.rawFor(query, 2000, patience); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) &&
			!errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: %v", doc.Kind, err)
		}
	}
	if r, _ := f.get("/h"); r.StatusCode != 200 {
		t.Errorf("afterwards: %d", r.StatusCode)
	}
}
