package origin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tidings/lab/dataset"
	"tidings/source/feed/feedtest"
	"tidings/source/page/pagetest"
)

// clock is a time that tests move by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// history has states "0", "1", … each a minute after the one before.
func history(states int) dataset.History {
	h := dataset.History{Name: "h"}
	for i := range states {
		h.Snapshots = append(h.Snapshots, dataset.Snapshot{
			Run: "dense", N: i + 1, Ext: "xml", Time: time.Unix(int64(i)*60, 0),
			Body: fmt.Appendf(nil, "<?xml version='1.0'?><rss><channel><item>%d</item>%s</channel></rss>", i,
				strings.Repeat("x", 300)),
		})
	}
	return h
}

type fixture struct {
	*Origin
	clock *clock
	url   string
	t     *testing.T
}

func start(t *testing.T, speed float64) fixture {
	t.Helper()
	c := newClock()
	o := New(Config{Clock: c.Now, Speed: speed})
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	return fixture{Origin: o, clock: c, url: server.URL, t: t}
}

// plain neither asks for compression nor follows redirects.
func plain(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get asks for path with pairs of header names and values.
func (f fixture) get(path string, headers ...string) (*http.Response, string) {
	f.t.Helper()
	return f.do(http.MethodGet, path, headers...)
}

func (f fixture) do(method, path string, headers ...string) (*http.Response, string) {
	f.t.Helper()
	r, err := http.NewRequest(method, f.url+path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := plain(f.t).Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return response, string(body)
}

func (f fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func TestReplayFollowsTheClock(t *testing.T) {
	f := start(t, 60) // a minute a second
	f.must(f.Add("h", history(4), Options{}))
	began := f.clock.Now()
	for _, want := range []int{0, 1, 2, 3, 3} {
		_, body := f.get("/h")
		if !strings.Contains(body, fmt.Sprintf("<item>%d</item>", want)) {
			t.Errorf("after %v: %s", f.clock.Now().Sub(began), body[:60])
		}
		f.clock.Advance(time.Second)
	}
	changes, err := f.Changed("h")
	f.must(err)
	var want []Change
	for i := range 4 {
		want = append(want, Change{State: i, At: began.Add(time.Duration(i) * time.Second)})
	}
	if !reflect.DeepEqual(changes, want) {
		t.Errorf("changes %v", changes)
	}
}

func TestByHandEndsReplay(t *testing.T) {
	f := start(t, 60)
	f.must(f.Add("h", history(4), Options{}))
	f.clock.Advance(time.Second)
	if n, err := f.Step("h"); n != 2 || err != nil {
		t.Fatalf("step: %d, %v", n, err)
	}
	f.clock.Advance(time.Hour)
	if n, states, err := f.State("h"); n != 2 || states != 4 || err != nil {
		t.Errorf("state %d of %d, %v", n, states, err)
	}
	f.must(f.Set("h", 3))
	if _, err := f.Step("h"); !errors.Is(err, ErrNoState) {
		t.Errorf("step after the last: %v", err)
	}
	if err := f.Set("other", 0); !errors.Is(err, ErrNoDocument) {
		t.Errorf("set of nothing: %v", err)
	}
	changes, _ := f.Changed("h")
	var states []int
	for _, c := range changes {
		states = append(states, c.State)
	}
	if !reflect.DeepEqual(states, []int{0, 1, 2, 3}) {
		t.Errorf("changes %v", changes)
	}
}

func TestConditionalRequests(t *testing.T) {
	f := start(t, 0)
	f.must(f.Add("h", history(3), Options{MaxAge: time.Minute}))
	first, body := f.get("/h")
	etag, modified := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
	if etag == "" || strings.HasPrefix(etag, "W/") || modified == "" ||
		first.Header.Get("Cache-Control") != "max-age=60" || first.Header.Get("Content-Type") != "application/rss+xml" {
		t.Fatalf("headers %v", first.Header)
	}
	for _, c := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"same tag", []string{"If-None-Match", etag}, 304},
		{"one of several tags, weak", []string{"If-None-Match", `"x", W/` + etag}, 304},
		{"any", []string{"If-None-Match", "*"}, 304},
		{"other tag", []string{"If-None-Match", `"x"`}, 200},
		{"same date", []string{"If-Modified-Since", modified}, 304},
		{"earlier date", []string{"If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"}, 200},
		{"garbage date", []string{"If-Modified-Since", "yesterday"}, 200},
		{"the tag goes before the date", []string{"If-None-Match", `"x"`, "If-Modified-Since", modified}, 200},
	} {
		response, got := f.get("/h", c.headers...)
		if response.StatusCode != c.want || c.want == 304 && (got != "" || response.Header.Get("ETag") != etag) {
			t.Errorf("%s: %d %v", c.name, response.StatusCode, response.Header)
		}
	}
	f.must(f.Set("h", 1))
	changed, _ := f.get("/h", "If-None-Match", etag)
	if changed.StatusCode != 200 || changed.Header.Get("ETag") == etag {
		t.Errorf("after a change: %d %v", changed.StatusCode, changed.Header)
	}
	if d := changed.Header.Get("Last-Modified"); d != "" {
		t.Errorf("Last-Modified %q within its second, when another change could follow", d)
	}
	f.clock.Advance(time.Second)
	if r, _ := f.get("/h", "If-Modified-Since", modified); r.StatusCode != 200 ||
		r.Header.Get("Last-Modified") != "Sun, 01 Mar 2026 12:00:00 GMT" {
		t.Errorf("a second later: %d %v", r.StatusCode, r.Header)
	}
	head, nothing := f.do(http.MethodHead, "/h")
	if head.ContentLength != int64(len(body)) || nothing != "" {
		t.Errorf("HEAD: length %d, body %q", head.ContentLength, nothing)
	}
	if post, _ := f.do(http.MethodPost, "/h"); post.StatusCode != 405 {
		t.Errorf("POST: %d", post.StatusCode)
	}
}

func TestWithoutValidators(t *testing.T) {
	f := start(t, 0)
	f.must(f.Add("h", history(1), Options{NoETag: true, NoLastModified: true}))
	r, _ := f.get("/h", "If-None-Match", "*", "If-Modified-Since", f.clock.Now().Add(time.Hour).Format(http.TimeFormat))
	if r.StatusCode != 200 || r.Header.Get("ETag")+r.Header.Get("Last-Modified") != "" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
}

func TestContentCodings(t *testing.T) {
	f := start(t, 0)
	f.must(f.Add("h", history(1), Options{}))
	_, want := f.get("/h")
	tags := map[string]bool{}
	for accept, coding := range map[string]string{
		"gzip":                 "gzip",
		"gzip, br":             "br",
		"gzip, deflate, zstd":  "zstd",
		"gzip, br;q=0.5":       "gzip",
		"gzip;q=0, identity":   "",
		"deflate":              "",
		"br;q=0.9, zstd;q=0.1": "br",
	} {
		r, body := f.get("/h", "Accept-Encoding", accept)
		if got := r.Header.Get("Content-Encoding"); got != coding {
			t.Errorf("%s: coding %q, want %q", accept, got, coding)
		}
		if got := decoded(t, coding, body); got != want {
			t.Errorf("%s: body differs", accept)
		}
		if !strings.Contains(r.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: Vary %q", accept, r.Header.Get("Vary"))
		}
		tags[r.Header.Get("ETag")] = true
		if again, _ := f.get("/h", "If-None-Match", r.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("%s: its tag gives %d", accept, again.StatusCode)
		}
	}
	if len(tags) != 4 {
		t.Errorf("strong tags must differ between codings: %v", tags)
	}
}

func decoded(t *testing.T, coding, body string) string {
	t.Helper()
	var r io.Reader = strings.NewReader(body)
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "br":
		r = brotli.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDelta(t *testing.T) {
	f := start(t, 0)
	feed := MakeFeed(1, 5, 2000)
	f.must(f.AddFeed("f", feed, Options{Delta: true}))
	first, _ := f.get("/f")
	etag := first.Header.Get("ETag")
	f.must(f.Set("f", 2))
	r, body := f.get("/f", "If-None-Match", etag, "A-IM", "feed, gzip")
	if r.StatusCode != 226 || r.Header.Get("IM") != "feed" || r.Header.Get("Delta-Base") != etag ||
		r.Header.Get("Cache-Control") != "no-store, im" || !strings.Contains(r.Header.Get("Vary"), "A-IM") {
		t.Fatalf("%d %v", r.StatusCode, r.Header)
	}
	if n := strings.Count(body, "<item>"); n != 2 || !strings.Contains(body, "Item 6:") ||
		!strings.Contains(body, "Item 5:") || !strings.HasSuffix(body, "</channel></rss>\n") {
		t.Errorf("%d items in the delta:\n%s", n, body)
	}
	if again, _ := f.get("/f", "If-None-Match", r.Header.Get("ETag"), "A-IM", "feed"); again.StatusCode != 304 {
		t.Errorf("the tag of a delta names the whole: got %d", again.StatusCode)
	}
	if whole, _ := f.get("/f", "If-None-Match", `"unknown"`, "A-IM", "feed"); whole.StatusCode != 200 {
		t.Errorf("unknown tag: %d", whole.StatusCode)
	}
	if whole, _ := f.get("/f", "If-None-Match", etag); whole.StatusCode != 200 {
		t.Errorf("without A-IM: %d", whole.StatusCode)
	}
}

func TestItemsAreCutOnlyWhereTheyCanBe(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want int
		ok   bool
	}{
		{"<rss><channel><item>a</item><item><![CDATA[</item>]]></item></channel></rss>", 2, true},
		{"<feed><entry/><entry><entry/></entry></feed>", 2, true},
		{"<rdf:RDF><item/></rdf:RDF>", 0, false},
		{"<?xml version='1.0' encoding='koi8-r'?><rss/>", 0, false},
		{"<rss><channel><item>", 0, false},
		{"{}", 0, false},
	} {
		found, ok := items([]byte(c.doc))
		if ok != c.ok || ok && len(found) != c.want {
			t.Errorf("%s: %v %v", c.doc, found, ok)
		}
	}
}

func TestLogAndCounts(t *testing.T) {
	f := start(t, 0)
	f.must(f.Add("h", history(1), Options{}))
	r, body := f.get("/h", "User-Agent", "reader/1")
	f.get("/h", "If-None-Match", r.Header.Get("ETag"), "A-IM", "feed")
	f.get("/nothing")
	log := f.Requests("h")
	if len(log) != 2 || log[0].UserAgent != "reader/1" || log[0].Bytes != int64(len(body)) || log[1].Status != 304 ||
		log[1].IfNoneMatch != r.Header.Get("ETag") || log[1].AIM != "feed" || !log[1].Time.Equal(f.clock.Now()) ||
		log[1].Address == "" {
		t.Errorf("log %+v", log)
	}
	want := []Count{{"h", 2, int64(len(body)), map[int]int64{200: 1, 304: 1}},
		{"nothing", 1, f.Requests("nothing")[0].Bytes, map[int]int64{404: 1}}}
	if got := f.Counts(); !reflect.DeepEqual(got, want) {
		t.Errorf("counts %+v", got)
	}
}

func TestTheLogIsBounded(t *testing.T) {
	l := newRequestLog(3)
	for i := range 8 {
		l.add(Request{Name: "d", State: i})
	}
	var states []int
	for _, r := range (&Origin{log: l}).Requests("") {
		states = append(states, r.State)
	}
	if !reflect.DeepEqual(states, []int{5, 6, 7}) || l.counts["d"].Requests != 8 {
		t.Errorf("kept %v of %d", states, l.counts["d"].Requests)
	}
}

func TestTypes(t *testing.T) {
	for body, want := range map[string]string{
		"<?xml version='1.0'?><!-- <feed> is no root --><rss version='2.0'>": "application/rss+xml",
		"\xEF\xBB\xBF<feed xmlns='x'>":                                       "application/atom+xml",
		"<atom:feed >":                                                       "application/atom+xml",
		"<rdf:RDF xmlns='x'>":                                                "application/rdf+xml",
		"<?xml version='1.0'?><news>":                                        "application/xml",
		`{"version": "https://jsonfeed.org/version/1.1"}`:                    "application/feed+json",
		`[1]`:                     "application/json",
		"<!DOCTYPE html>\n<html>": "text/html; charset=utf-8",
		"<p>caf\xe9</p>":          "text/html",
		"hello":                   "text/plain; charset=utf-8",
	} {
		if got := typeOf([]byte(body)); got != want {
			t.Errorf("%q: %s, want %s", body, got, want)
		}
	}
}

// Each state of a history is served byte for byte, with the type that its content shows.
func TestHistoriesAreReplayedExactly(t *testing.T) {
	feeds, pages := feedtest.Histories(1), pagetest.Histories(1)
	f := start(t, 0)
	for i, h := range feeds {
		if testing.Short() && i%10 != 0 {
			continue
		}
		f.must(f.Add(h.Name, dataset.HistoryOf(h.Name, h.Ext, h.Bodies()...), Options{}))
		contentType := map[string]string{"rss": "application/rss+xml", "rdf": "application/rdf+xml",
			"atom": "application/atom+xml", "json feed": "application/feed+json"}[h.Format]
		f.isReplayed(h.Name, contentType, len(h.States))
	}
	for i, h := range pages {
		if testing.Short() && i%10 != 0 {
			continue
		}
		f.must(f.Add(h.Name, dataset.HistoryOf(h.Name, "html", h.Bodies()...), Options{}))
		f.isReplayed(h.Name, "text/html; charset=utf-8", len(h.States))
	}
	_, list := f.get("/")
	f.isListed(list, feeds[0].Name, "application/rss&#43;xml")
	f.isListed(list, pages[0].Name, "")
}

func TestRecordedHistoriesAreReplayedExactly(t *testing.T) {
	data := dataset.NeedDir(t)
	f := start(t, 0)
	most := 30
	if testing.Short() {
		most = 10
	}
	for file, contentType := range map[string]string{"feed-histories/xion-en": "application/atom+xml",
		"page-histories/kudu-blog-page4": "text/html; charset=utf-8"} {
		names, err := f.Load(filepath.Join(data, filepath.FromSlash(file)+".tar.bz2"), Options{})
		f.must(err)
		_, states, _ := f.State(names[0])
		f.isReplayed(names[0], contentType, min(states, most))
	}
	_, list := f.get("/")
	f.isListed(list, "xion-en", "application/atom&#43;xml")
	f.isListed(list, "kudu-blog-page4", "")
}

// isReplayed shows the first states of a history one by one.
func (f fixture) isReplayed(name, contentType string, states int) {
	f.t.Helper()
	for i := range states {
		f.must(f.Set(name, i))
		r, body := f.get("/" + name)
		want, err := f.Body(name, i)
		f.must(err)
		if !bytes.Equal([]byte(body), want) || contentType != "" && r.Header.Get("Content-Type") != contentType {
			f.t.Fatalf("%s state %d: %d bytes of %s, want %d", name, i, len(body), r.Header.Get("Content-Type"),
				len(want))
		}
	}
}

// isListed looks for a feed of the type, or a page, in the origin's list.
func (f fixture) isListed(list, name, contentType string) {
	f.t.Helper()
	want := `<a href="/` + name + `">`
	if contentType != "" {
		want = `<link rel="alternate" type="` + contentType + `" title="` + name + `" href="/` + name + `">`
	}
	if !strings.Contains(list, want) {
		f.t.Errorf("no %s in the list:\n%s", name, list)
	}
}
