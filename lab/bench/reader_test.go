package bench

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/browser"
	"tidings/source/feed"
)

func TestReaderConfig(t *testing.T) {
	if err := DefaultReader().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*ReaderConfig){
		"no feeds":    func(c *ReaderConfig) { c.Feeds = 0 },
		"no items":    func(c *ReaderConfig) { c.Items = 0 },
		"no repeats":  func(c *ReaderConfig) { c.Repeats = 0 },
		"no database": func(c *ReaderConfig) { c.Miniflux = "miniflux" },
		"no program":  func(c *ReaderConfig) { c.Database = "postgres://127.0.0.1/" },
	} {
		c := DefaultReader()
		if change(&c); !errors.Is(c.Validate(), tidings.ErrInvalid) {
			t.Errorf("%s: %v", name, c.Validate())
		}
	}
}

// The made-up library is what the sizes say: feeds of distinct items, whose dates fall, and a list of all feeds.
func TestLibrary(t *testing.T) {
	l := library{feeds: 90, items: 7, bytes: 2500, made: time.Now()}
	seen := make(map[string]bool)
	for _, i := range []int{0, 1, 89} {
		doc, err := feed.Parse(l.document(i), "application/rss+xml", "https://library.example/", feed.Default())
		if err != nil {
			t.Fatal(err)
		}
		if len(doc.Items) != l.items {
			t.Errorf("feed %d has %d items", i, len(doc.Items))
		}
		before := l.made.Add(time.Second)
		for _, item := range doc.Items {
			if seen[item.ID] || !item.Published.Before(before) || l.made.Sub(item.Published) > librarySpan ||
				len(item.Raw) < l.bytes || len(item.Title) < 10 {
				t.Errorf("item %s of %s: %q, %d bytes", item.ID, item.Published, item.Title, len(item.Raw))
			}
			seen[item.ID], before = true, item.Published
		}
	}
	if list := l.opml("https://library.example/"); bytes.Count(list, []byte("xmlUrl=")) != l.feeds ||
		bytes.Count(list, []byte("</outline>")) != libraryFolders {
		t.Errorf("the list of subscriptions is %.300s", list)
	}
}

// All measurements are made with a small library in a browser, and Miniflux is left out where there is none.
func TestReaderAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time: not with -short")
	}
	var out strings.Builder
	err := Reader(t.Context(), ReaderConfig{Feeds: 5, Items: 6, Repeats: 1}, &out)
	if errors.Is(err, browser.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"Miniflux is left out", "unread list, cold", "a channel’s list, warm",
		"channels, warm", "search, cold",
		"an article, by a click", "by the key j in the list", "by the key j on its page", "a letter, in the field"} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("the table lacks %q:\n%s", row, out.String())
		}
	}
}
