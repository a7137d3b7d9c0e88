package proxy

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

// fakeStore holds channels and entries in memory.
type fakeStore struct {
	mu       sync.Mutex
	channels map[string]tidings.Subscription
	entries  []tidings.Entry // rising ID
	err      error
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	feedChannel = "https://blog.example/feed?a=1&b=2"
	pageChannel = "https://shop.example/prices"
)

func newFake() *fakeStore {
	return &fakeStore{channels: map[string]tidings.Subscription{
		feedChannel: {Channel: tidings.Channel{URL: feedChannel, Kind: tidings.KindFeed, Title: "A & B <blog>",
			Site: "https://blog.example/", Added: noon}, Since: noon},
		pageChannel: {Channel: tidings.Channel{URL: pageChannel, Kind: tidings.KindPage, Title: "Prices", Added: noon},
			Name: "My prices", Since: noon},
	}}
}

func (f *fakeStore) Channel(_ context.Context, account tidings.AccountID, url string) (tidings.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return tidings.Subscription{}, f.err
	}
	if c, ok := f.channels[url]; ok && account == tidings.Owner {
		return c, nil
	}
	return tidings.Subscription{}, fmt.Errorf("%w: %s", tidings.ErrNotFollowed, url)
}

func (f *fakeStore) Entries(_ context.Context, _ tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []tidings.Entry
	for _, e := range slices.Backward(f.entries) {
		if e.Channel == q.Channel && len(found) < q.Limit {
			found = append(found, e)
		}
	}
	return found, nil
}

// add stores an entry a second after the one before.
func (f *fakeStore) add(e tidings.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.ID = int64(len(f.entries) + 1)
	e.Received = noon.Add(time.Duration(e.ID) * time.Second)
	f.entries = append(f.entries, e)
}

// item adds an item of the feed; change makes it a revision.
func (f *fakeStore) item(n int64, title string, change tidings.ChangeKind) {
	f.add(tidings.Entry{
		Item: n, Channel: feedChannel, Kind: tidings.KindFeed, Change: change,
		Content: tidings.Item{
			ID: fmt.Sprint("guid-", n), URL: fmt.Sprint("https://blog.example/", n), Title: title, Author: "Ann",
			Published: noon.Add(time.Duration(n-1000) * time.Hour), Content: "<p>Text of " + title + " &amp; more</p>",
			Enclosures: []tidings.Enclosure{{URL: "https://blog.example/a.mp3", Type: "audio/mpeg", Length: 12}},
			Categories: []string{"c"},
		},
	})
}

func (f *fakeStore) version(v tidings.Version, delta string) {
	f.add(tidings.Entry{Item: 10_000 + int64(v), Channel: pageChannel, Kind: tidings.KindPage, Version: v,
		Change:  tidings.New,
		Content: tidings.Item{Title: "Prices", URL: pageChannel}, Delta: delta})
}

// testProxy is a proxy on a real connection, with a time of its own.
type testProxy struct {
	*fakeStore
	t        *testing.T
	url      string
	mu       sync.Mutex
	now      time.Time
	statuses []int
}

func open(t *testing.T) *testProxy {
	t.Helper()
	d := &testProxy{fakeStore: newFake(), t: t, now: noon.Add(time.Hour)}
	h := New(Config{
		Store:   d.fakeStore,
		BaseURL: func(r *http.Request) string { return "http://" + r.Host },
		Clock:   func() time.Time { return d.now },
		Logger:  slog.New(slog.DiscardHandler),
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(statusWriter{w, d}, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
	}))
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

// statusWriter notes a status before a reader can know of it.
type statusWriter struct {
	http.ResponseWriter
	d *testProxy
}

func (w statusWriter) WriteHeader(status int) {
	w.d.mu.Lock()
	w.d.statuses = append(w.d.statuses, status)
	w.d.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}

// took returns the statuses sent since it was last called.
func (d *testProxy) took() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.statuses
	d.statuses = nil
	return s
}

func (d *testProxy) get(path string, headers ...string) (*http.Response, string) {
	d.t.Helper()
	return d.do(http.MethodGet, path, headers...)
}

func (d *testProxy) do(method, path string, headers ...string) (*http.Response, string) {
	d.t.Helper()
	r, err := http.NewRequest(method, d.url+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return response, string(body)
}

func path(channel string) string     { return FeedURL("", channel) }
func jsonPath(channel string) string { return JSONFeedURL("", channel) }

// parsedFeed is what the tests read of an Atom document.
type parsedFeed struct {
	ID      string       `xml:"id"`
	Title   string       `xml:"title"`
	Updated string       `xml:"updated"`
	Author  string       `xml:"author>name"`
	Links   []parsedLink `xml:"link"`
	Entries []struct {
		ID        string       `xml:"id"`
		Title     string       `xml:"title"`
		Updated   string       `xml:"updated"`
		Published string       `xml:"published"`
		Content   string       `xml:"content"`
		Links     []parsedLink `xml:"link"`
	} `xml:"entry"`
}

type parsedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

func parseAtom(t *testing.T, body string) parsedFeed {
	t.Helper()
	var f parsedFeed
	if err := xml.Unmarshal([]byte(body), &f); err != nil {
		t.Fatalf("not well-formed: %v\n%s", err, body)
	}
	return f
}

func titles(f parsedFeed) []string {
	var all []string
	for _, e := range f.Entries {
		all = append(all, e.Title)
	}
	return all
}

func TestAFeedHoldsEachItemOnceInItsNewestRevision(t *testing.T) {
	d := open(t)
	d.item(1, "one", tidings.New)
	d.item(2, "two", tidings.New)
	_, before := d.get(path(feedChannel))
	d.item(1, "one, corrected", tidings.Changed)
	r, body := d.get(path(feedChannel))
	f := parseAtom(t, body)
	if got := strings.Join(titles(f), "; "); got != "one, corrected; two" {
		t.Errorf("titles: %s", got)
	}
	old := parseAtom(t, before)
	if f.Entries[0].ID != old.Entries[1].ID || f.Entries[0].ID == f.Entries[1].ID {
		t.Errorf("the revision has another ID than its item: %v", f.Entries)
	}
	if e := f.Entries[0]; e.Updated != "2026-03-01T12:00:03Z" || e.Published != "2026-01-18T21:00:00Z" {
		t.Errorf("revision updated %s, published %s", e.Updated, e.Published)
	}
	if e := old.Entries[1]; e.Updated != e.Published {
		t.Errorf("an item that nobody changed: updated %s, published %s", e.Updated, e.Published)
	}
	if f.Title != "A & B <blog>" || f.Author != f.Title || f.Updated != "2026-03-01T12:00:03Z" ||
		!strings.HasPrefix(f.ID, "urn:uuid:") {
		t.Errorf("feed %+v", f)
	}
	if !slices.Contains(f.Links, parsedLink{"self", d.url + "/feed?url=" + url.QueryEscape(feedChannel)}) ||
		!slices.Contains(f.Links, parsedLink{"via", feedChannel}) {
		t.Errorf("links %v", f.Links)
	}
	if f.Entries[1].Content != "<p>Text of two &amp; more</p>" {
		t.Errorf("content %q", f.Entries[1].Content)
	}
	if r.Header.Get("Content-Type") != "application/atom+xml; charset=utf-8" ||
		!strings.Contains(r.Header.Get("Link"), `rel="self"`) {
		t.Errorf("headers %v", r.Header)
	}
}

func TestAPageHasAnEntryForEachVersion(t *testing.T) {
	d := open(t)
	d.version(1, "0a1,2\n> tea 3 < 4\n> coffee 5\n")
	d.version(2, "1c1\n< tea 3 < 4\n---\n> tea 4\n3a3\n> <b>milk</b> 1\n")
	_, body := d.get(path(pageChannel))
	f := parseAtom(t, body)
	if got := strings.Join(titles(f), "; "); got != "My prices: 2 lines added, 1 removed; My prices: first version" {
		t.Errorf("titles: %s", got)
	}
	if want := "<pre><del>− tea 3 &lt; 4</del>\n<ins>+ tea 4</ins>\n</pre>\n<pre><ins>+ &lt;b&gt;milk&lt;/b&gt; 1</ins>\n</pre>\n"; f.Entries[0].Content != want {
		t.Errorf("content\n%s", f.Entries[0].Content)
	}
	if want := "<pre>tea 3 &lt; 4\ncoffee 5\n</pre>\n"; f.Entries[1].Content != want {
		t.Errorf("content of the first version\n%s", f.Entries[1].Content)
	}
	if f.Entries[0].Links[0].Href != pageChannel {
		t.Errorf("link %v", f.Entries[0].Links)
	}
}

func TestManyLinesAreCounted(t *testing.T) {
	content, added, _ := showDelta("1a1\n"+strings.Repeat("> x\n", maxLines+5), false)
	if added != maxLines+5 || !strings.HasSuffix(content, "<p>… and 5 more lines</p>\n") {
		t.Errorf("%d added, ends %q", added, content[len(content)-60:])
	}
}

func TestJSONFeed(t *testing.T) {
	d := open(t)
	d.item(1, "one", tidings.New)
	r, body := d.get(jsonPath(feedChannel))
	var f jsonFeed
	if err := json.Unmarshal([]byte(body), &f); err != nil {
		t.Fatal(err)
	}
	if f.Version != "https://jsonfeed.org/version/1.1" || f.FeedURL != d.url+jsonPath(feedChannel) ||
		f.HomePageURL != "https://blog.example/" || f.Title != "A & B <blog>" {
		t.Errorf("feed %+v", f)
	}
	i := f.Items[0]
	if i.ID == "" || i.ContentHTML != "<p>Text of one &amp; more</p>" || i.Authors[0].Name != "Ann" ||
		i.Tags[0] != "c" || i.Attachments[0] != (jsonAttachment{"https://blog.example/a.mp3", "audio/mpeg", 12}) ||
		i.DatePublished.IsZero() {
		t.Errorf("item %+v", i)
	}
	if r.Header.Get("Content-Type") != "application/feed+json; charset=utf-8" {
		t.Errorf("type %s", r.Header.Get("Content-Type"))
	}
	_, atom := d.get(path(feedChannel))
	if parseAtom(t, atom).Entries[0].ID != i.ID {
		t.Error("an item's ID differs between the formats")
	}
}

func TestOnlyTheNewestItemsAreGiven(t *testing.T) {
	d := open(t)
	for n := range int64(300) {
		d.item(n, fmt.Sprint(n), tidings.New)
	}
	_, body := d.get(path(feedChannel))
	f := parseAtom(t, body)
	if len(f.Entries) != maxItems || f.Entries[0].Title != "299" {
		t.Errorf("%d entries, first %s", len(f.Entries), f.Entries[0].Title)
	}
}

func TestConditionalRequests(t *testing.T) {
	d := open(t)
	d.item(1, "one", tidings.New)
	for _, at := range []string{path(feedChannel), jsonPath(feedChannel)} {
		whole, body := d.get(at)
		etag, modified := whole.Header.Get("ETag"), whole.Header.Get("Last-Modified")
		if modified != "Sun, 01 Mar 2026 12:00:01 GMT" || strings.HasPrefix(etag, "W/") || len(etag) < 10 {
			t.Fatalf("headers %v", whole.Header)
		}
		for _, c := range []struct {
			headers []string
			want    int
		}{
			{[]string{"If-None-Match", etag}, 304},
			{[]string{"If-None-Match", `"a", W/` + etag}, 304},
			{[]string{"If-None-Match", "*"}, 304},
			{[]string{"If-None-Match", `"a"`}, 200},
			{[]string{"If-None-Match", `"a"`, "If-Modified-Since", modified}, 200},
			{[]string{"If-Modified-Since", modified}, 304},
			{[]string{"If-Modified-Since", "Sun, 01 Mar 2026 12:00:00 GMT"}, 200},
			{[]string{"If-Modified-Since", "soon"}, 200},
		} {
			r, got := d.get(at, c.headers...)
			if r.StatusCode != c.want || c.want == 304 && (got != "" || r.Header.Get("ETag") != etag) {
				t.Errorf("%s %v: %d %v", at, c.headers, r.StatusCode, r.Header)
			}
		}
		head, nothing := d.do(http.MethodHead, at)
		if head.StatusCode != 200 || head.ContentLength != int64(len(body)) || head.Header.Get("ETag") != etag ||
			nothing != "" {
			t.Errorf("HEAD %d %v", head.StatusCode, head.Header)
		}
	}
	d.now = noon.Add(1500 * time.Millisecond)
	if r, _ := d.get(path(feedChannel)); r.Header.Get("Last-Modified") != "" {
		t.Error("Last-Modified within its second, when another entry could follow")
	}
}

func TestGzip(t *testing.T) {
	d := open(t)
	d.item(1, strings.Repeat("long ", 50), tidings.New)
	plain, want := d.get(path(feedChannel))
	for range 2 {
		r, body := d.get(path(feedChannel), "Accept-Encoding", "br, gzip;q=0.8")
		z, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(z)
		if err != nil || string(got) != want || r.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%v %v", err, r.Header)
		}
		if r.Header.Get("ETag") == plain.Header.Get("ETag") ||
			!strings.Contains(r.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("tag %s, Vary %s", r.Header.Get("ETag"), r.Header.Get("Vary"))
		}
		if again, _ := d.get(path(feedChannel), "If-None-Match", r.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("its tag gives %d", again.StatusCode)
		}
	}
	if r, _ := d.get(path(feedChannel), "Accept-Encoding", "gzip;q=0"); r.Header.Get("Content-Encoding") != "" {
		t.Error("gzip was refused and came")
	}
}

// A reader that speaks RFC 3229 gets what it lacks, and nothing else, for as long as
// its state is known.
func TestDeltaConversation(t *testing.T) {
	d := open(t)
	d.item(1, "one", tidings.New)
	d.item(2, "two", tidings.New)
	first, _ := d.get(path(feedChannel), "A-IM", "feed")
	if first.StatusCode != 200 || first.Header.Get("IM") != "" {
		t.Fatalf("without a state: %d %v", first.StatusCode, first.Header)
	}
	base := first.Header.Get("ETag")
	if r, _ := d.get(path(feedChannel), "A-IM", "feed", "If-None-Match", base); r.StatusCode != 304 {
		t.Errorf("nothing new: %d", r.StatusCode)
	}
	d.item(3, "three", tidings.New)
	d.item(1, "one, corrected", tidings.Changed)
	for _, headers := range [][]string{{}, {"Accept-Encoding", "gzip"}} {
		r, body := d.get(path(feedChannel), append(headers, "A-IM", "gzip, feed;q=1", "If-None-Match", base)...)
		h := r.Header
		if r.StatusCode != 226 || h.Get("IM") != "feed" || h.Get("Delta-Base") != base ||
			h.Get("Cache-Control") != "no-store, im" || h.Get("Vary") != "Accept-Encoding, A-IM, If-None-Match" {
			t.Fatalf("%d %v", r.StatusCode, h)
		}
		if h.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			plain, _ := io.ReadAll(z)
			body = string(plain)
		}
		if got := strings.Join(titles(parseAtom(t, body)), "; "); got != "one, corrected; three" {
			t.Errorf("delta: %s", got)
		}
		if again, _ := d.get(path(feedChannel), "A-IM", "feed", "If-None-Match",
			h.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("after the delta: %d", again.StatusCode)
		}
	}
	if r, _ := d.get(jsonPath(feedChannel), "A-IM", "feed", "If-None-Match", base); r.StatusCode != 226 {
		t.Errorf("JSON: %d", r.StatusCode)
	}
	for name, headers := range map[string][]string{
		"no A-IM":         {"If-None-Match", base},
		"refused":         {"A-IM", "feed;q=0", "If-None-Match", base},
		"other":           {"A-IM", "vcdiff", "If-None-Match", base},
		"unknown tag":     {"A-IM", "feed", "If-None-Match", `"x"`},
		"reused ID":       {"A-IM", "feed", "If-None-Match", `"2.1.00"`},
		"numbers too big": {"A-IM", "feed", "If-None-Match", `"zzzzzzzzzzzzzzzz.1.00"`},
	} {
		if r, body := d.get(path(feedChannel), headers...); r.StatusCode != 200 ||
			len(parseAtom(t, body).Entries) != 3 {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	for n := range int64(window) {
		d.item(100+n, "later", tidings.New)
	}
	if r, _ := d.get(path(feedChannel), "A-IM", "feed", "If-None-Match", base); r.StatusCode != 200 {
		t.Errorf("a state too far back: %d", r.StatusCode)
	}
}

// What is too much for one document is left out, and then no delta reaches back there.
func TestContentIsBounded(t *testing.T) {
	d := open(t)
	for n := range int64(10) {
		d.item(n, strings.Repeat(string(rune('a'+n)), 1<<20), tidings.New)
	}
	doc := newDocument(d.channels[feedChannel], backward(d.entries), "", "self")
	if n := len(doc.entries); n == 0 || n == 10 || len(doc.states) != n {
		t.Fatalf("%d entries, %d states", n, len(doc.states))
	}
	if _, ok := doc.since(state{1, d.entries[0].Received.UnixMicro()}); ok {
		t.Error("a state that was left out is known")
	}
}

func backward(entries []tidings.Entry) []tidings.Entry {
	turned := slices.Clone(entries)
	slices.Reverse(turned)
	return turned
}

func TestRefusals(t *testing.T) {
	d := open(t)
	for _, c := range []struct {
		method, path string
		status       int
		hint         string
	}{
		{"GET", "/feed", 400, "say which channel"},
		{"GET", "/feed?url=", 400, "say which channel"},
		{"GET", "/feed?url=javascript:alert(1)", 400, "http or https"},
		{"GET", "/feed.json?url=%zz", 400, "say which channel"},
		{"GET", "/feed?url=http://", 400, "http or https"},
		{"GET", "/feed?url=http://x.example/" + strings.Repeat("x", maxURL), 400, "bytes"},
		{"GET", "/feed?url=http://other.example/", 404, "tidings subscribe"},
		{"GET", "/feedx", 404, ""},
		{"POST", path(feedChannel), 405, "GET"},
	} {
		r, body := d.do(c.method, c.path)
		if r.StatusCode != c.status || !strings.Contains(body, c.hint) || strings.Count(body, "\n") > 1 {
			t.Errorf("%s %.60s: %d %s", c.method, c.path, r.StatusCode, body)
		}
	}
	d.err = errors.New("disk on fire")
	if r, body := d.get(path(feedChannel)); r.StatusCode != 500 || strings.Contains(body, "fire") {
		t.Errorf("store error: %d %s", r.StatusCode, body)
	}
}

func TestNobodyIsAsked(t *testing.T) {
	h := New(Config{Store: newFake(), BaseURL: func(*http.Request) string { return "" },
		Logger: slog.New(slog.DiscardHandler)})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path(feedChannel), nil))
	if w.Code != 401 || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic ") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestCanonicalURL(t *testing.T) {
	store := newFake()
	store.channels["https://Old.example/"] = store.channels[feedChannel] // in a spelling that was canonical once
	h := New(Config{
		Store: store, BaseURL: func(*http.Request) string { return "http://node" },
		Logger: slog.New(slog.DiscardHandler),
		Canonical: func(s string) (string, error) {
			if strings.Contains(s, "bad") {
				return "", errors.New("no")
			}
			return strings.ToLower(s), nil
		},
	})
	for address, want := range map[string]int{"HTTPS://shop.example/PRICES": 200, "https://SHOP.example/prices": 200,
		"https://Old.example/": 200, "https://OLD.example/": 404, "https://bad.example/": 400} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path(address), nil)
		h.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
		if w.Code != want {
			t.Errorf("%s: %d", address, w.Code)
		}
	}
}

func TestDates(t *testing.T) {
	received := noon
	for name, c := range map[string]struct{ published, updated, want time.Time }{
		"none":      {want: received},
		"published": {published: noon.Add(-time.Hour), want: noon.Add(-time.Hour)},
		"updated": {published: noon.Add(-2 * time.Hour), updated: noon.Add(-time.Hour),
			want: noon.Add(-time.Hour)},
		"in the future":    {published: noon.AddDate(70, 0, 0), want: received},
		"before computers": {published: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), want: received},
		"year 10,000":      {published: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), want: received},
	} {
		if got := firstDate(tidings.Item{Published: c.published, Updated: c.updated}, received); !got.Equal(c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestEveryEntryHasATitle(t *testing.T) {
	for _, c := range []struct {
		item tidings.Item
		want string
	}{
		{tidings.Item{Title: " t "}, "t"},
		{tidings.Item{Content: "<p>Some   <b>text</b> &amp; more</p>"}, "Some text & more"},
		{tidings.Item{Summary: strings.Repeat("word ", 100)}, strings.Repeat("word ", 15) + "word…"},
		{tidings.Item{URL: "https://x.example/"}, "https://x.example/"},
		{tidings.Item{Content: "<img src=x>"}, "(untitled)"},
	} {
		if got := titleOf(c.item); got != c.want {
			t.Errorf("%+v: %q", c.item, got)
		}
	}
}
