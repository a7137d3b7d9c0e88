package proxy

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

// hostile texts, also the seeds of the fuzz targets.
var hostile = []string{
	"plain",
	"\x00",
	"]]> <![CDATA[ & &amp; &nbsp; <script>alert(1)</script>",
	"\x00\x01\x0b\x1b[31m\x7f\ufffe\uffff",
	"\xff\xfe broken \xed\xa0\x80 utf-8",
	"\"quotes' and --> comments <!-- ?>",
	"\u202eright to left\u2028\u2029",
	"https://u:p@x.example/?a=<b>&c=\"d\" e",
	"0a1\n> <b>\n1c1\n< old\n---\n> new\n\\ No newline\n",
	strings.Repeat("<div>", 2000),
}

func documentOf(text string, unix int64) document {
	channel := tidings.Subscription{Channel: tidings.Channel{URL: text, Title: text, Site: text}, Name: text,
		Since: time.Unix(unix, 0)}
	item := tidings.Item{ID: text, URL: text, Title: text, Author: text, Summary: text, Content: text,
		Published: time.Unix(unix, 0), Updated: time.Unix(-unix, 0),
		Enclosures: []tidings.Enclosure{{URL: "https://x.example/" + text, Type: text, Length: unix}},
		Categories: []string{text}}
	return newDocument(channel, []tidings.Entry{
		{ID: 3, Item: 3, Kind: tidings.KindPage, Version: 2, Delta: text, Content: item, Received: time.Unix(unix, 0)},
		{ID: 2, Item: 2, Kind: tidings.KindFeed, Content: item, Change: tidings.New, Received: time.Unix(unix, 0)},
		{ID: 1, Item: 1, Kind: tidings.KindFeed, Content: tidings.Item{Title: text}, Change: tidings.Changed},
	}, "", text)
}

// checkOutput fails unless both formats are well-formed and hold all entries.
func checkOutput(t *testing.T, d document) {
	t.Helper()
	atom := renderAtom(d)
	strict := xml.NewDecoder(strings.NewReader(string(atom)))
	entries := 0
	for {
		token, err := strict.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, atom)
		}
		if start, ok := token.(xml.StartElement); ok {
			if start.Name.Space != "http://www.w3.org/2005/Atom" {
				t.Fatalf("element %v", start.Name)
			}
			if start.Name.Local == "entry" {
				entries++
			}
		}
	}
	var f jsonFeed
	if err := json.Unmarshal(renderJSON(d), &f); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, renderJSON(d))
	}
	if entries != len(d.entries) || len(f.Items) != len(d.entries) {
		t.Fatalf("%d and %d entries of %d", entries, len(f.Items), len(d.entries))
	}
	for _, item := range f.Items {
		if item.ID == "" || item.Title == "" && item.ContentHTML == "" {
			t.Fatalf("item without ID or content: %+v", item)
		}
	}
}

func TestHostileContents(t *testing.T) {
	for _, text := range hostile {
		checkOutput(t, documentOf(text, 1_700_000_000))
	}
}

func FuzzContents(f *testing.F) {
	if len(hostile) < 5 {
		f.Fatal("the seeds are missing")
	}
	for i, text := range hostile {
		f.Add(text, int64(i)<<(7*i))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		checkOutput(t, documentOf(text, unix))
	})
}

// Whatever is asked, the answer is one of those that are promised, and a whole one is
// well-formed.
func FuzzQuery(f *testing.F) {
	seeds := []struct{ query, tag, date, aim, coding string }{
		{"url=https%3A%2F%2Fshop.example%2Fprices", `"1.abc.00"`, "Sun, 01 Mar 2026 12:00:01 GMT", "feed", "gzip"},
		{"url=http://[::1]:x/&url=2", "*", "yesterday", "feed;q=0,,", "gzip;q=nan"},
		{"url=query:a%2520%3C%25201", "", "", "", ""},
		{"url=zone:/%00\"<", "", "", "feed", ""},
		{"url=//x", `W/"-gzip`, "", ";", ",;q="},
		{"%", `"..-gzip"`, "\x00", "FEED", "*"},
	}
	for _, s := range seeds {
		f.Add(s.query, s.tag, s.date, s.aim, s.coding)
	}
	store := newFake()
	store.version(1, "0a1\n> x\n")
	for _, channel := range []string{tidings.QueryURL("a < 1"), tidings.ZoneURL("/\x00\"<")} {
		store.channels[channel] =
			tidings.Subscription{Channel: tidings.Channel{URL: channel, Kind: tidings.KindOf(channel), Added: noon}}
	}
	h := New(Config{Store: store, BaseURL: func(*http.Request) string { return "http://node" },
		Logger: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, query, tag, date, aim, coding string) {
		for _, at := range []string{"/feed", "/feed.json"} {
			r := httptest.NewRequest(http.MethodGet, at, nil)
			r.URL.RawQuery = query
			r.Header = http.Header{"If-None-Match": {tag}, "If-Modified-Since": {date}, "A-Im": {aim},
				"Accept-Encoding": {coding}}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
			switch w.Code {
			case 200, 226:
				if w.Header().Get("Content-Encoding") != "" {
					return
				}
				if at == "/feed" && xml.Unmarshal(w.Body.Bytes(), new(parsedFeed)) != nil ||
					at != "/feed" && !json.Valid(w.Body.Bytes()) {
					t.Fatalf("bad document: %s", w.Body)
				}
			case 304, 400, 404:
			default:
				t.Fatalf("status %d for %q", w.Code, query)
			}
		}
	})
}
