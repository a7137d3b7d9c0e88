package proxy

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/auth"
)

// ask asks a proxy for the feed at a path, as its owner.
func ask(h http.Handler, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path+"?url="+url.QueryEscape(feedChannel), nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
	return w
}

// What an item says of itself stands in feeds: its subjects as categories, each once, and all of it.
func TestNewsInFeeds(t *testing.T) {
	store := newFake()
	store.add(tidings.Entry{Item: 1, Channel: feedChannel, Kind: tidings.KindFeed, Change: tidings.New,
		Content: tidings.Item{
			ID: "urn:1", Title: "T", Content: "x", Categories: []string{"soccer", "other"},
			News: &tidings.News{GUID: "urn:1", Version: 2, Publisher: "A <&> B", Subjects: []tidings.Subject{
				{Code: "15054000", Scheme: "medtop", Name: "soccer"}, {Code: "x", Scheme: "http://s.example/"},
				{Name: "bare"}}},
		}})
	h := New(Config{Store: store, BaseURL: func(*http.Request) string { return "http://node" },
		Logger: slog.New(slog.DiscardHandler)})
	atom := ask(h, "/feed").Body.String()
	for _, want := range []string{`<category term="15054000" label="soccer">`,
		`<category term="x" scheme="http://s.example/">`, `<category term="bare" label="bare">`,
		`<category term="other">`, `<news:item xmlns:news="urn:tidings:news:1">{&#34;guid&#34;:&#34;urn:1&#34;`} {
		if strings.Count(atom, want) != 1 {
			t.Errorf("no %s in %s", want, atom)
		}
	}
	if n := strings.Count(atom, "<category"); n != 4 {
		t.Errorf("%d categories", n)
	}
	var feed struct {
		Items []struct {
			News tidings.News `json:"_tidings_news"`
		}
	}
	if err := json.Unmarshal(ask(h, "/feed.json").Body.Bytes(), &feed); err != nil || len(feed.Items) != 1 ||
		feed.Items[0].News.Publisher != "A <&> B" {
		t.Errorf("%+v, %v", feed, err)
	}
}

// Formats of news agencies are there if somebody can write them, with the newest revision of each item.
func TestNewsFormats(t *testing.T) {
	store := newFake()
	store.item(1, "Old", tidings.New)
	store.item(1, "New", tidings.Changed)
	c := Config{Store: store, BaseURL: func(*http.Request) string { return "http://node" },
		Logger: slog.New(slog.DiscardHandler)}
	if w := ask(New(c), "/news.json"); w.Code != http.StatusNotFound {
		t.Errorf("without a writer: %d", w.Code)
	}
	var fails error
	c.Ninjs = func(channel tidings.Channel, items []tidings.Item) ([]byte, error) {
		if channel.URL != feedChannel || len(items) != 1 || items[0].Title != "New" || items[0].News != nil ||
			!strings.HasPrefix(items[0].ID, "urn:uuid:") {
			t.Errorf("to be written: %+v of %+v", items, channel)
		}
		return []byte("[]"), fails
	}
	if w := ask(New(c), "/news.json"); w.Code != http.StatusOK || w.Body.String() != "[]" ||
		w.Header().Get("Content-Type") != "application/json" || w.Header().Get("ETag") == "" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
	fails = errors.New("cannot write")
	if w := ask(New(c), "/news.json"); w.Code != http.StatusInternalServerError {
		t.Errorf("where it fails: %d", w.Code)
	}
	if w := ask(New(c), "/news.xml"); w.Code != http.StatusNotFound {
		t.Errorf("without a writer: %d", w.Code)
	}
}
