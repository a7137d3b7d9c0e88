package publish

import (
	"errors"
	"testing"
	"time"

	"tidings"
	"tidings/source/feed"
)

// An entry of a content system is read as one of a feed is, and known again by its id.
func TestAnEntryIsAnItem(t *testing.T) {
	entry := tidings.PublishedEntry{
		ID: "7", URL: "/posts/7/", Title: "Seven", HTML: "<p onclick=\"x()\">text</p>", Author: "A",
		Tags:       []string{"t"},
		Published:  time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
		Enclosures: []tidings.Enclosure{{URL: "https://b.example/a.mp3", Type: "audio/mpeg", Length: 5}},
	}
	d, err := feed.OfEntry(entry, ownFeed, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	item := editionOf(d, nil, nil, false).items[0]
	if item.ID != "7" || item.URL != "https://blog.example/posts/7/" || item.Content != "<p>text</p>" ||
		item.Author != "A" ||
		!item.Published.Equal(entry.Published) || len(item.Enclosures) != 1 || item.Enclosures[0].Length != 5 {
		t.Errorf("%+v", item)
	}
	inFeed := mustParse(t, `<rss><channel><item><guid>7</guid><link>https://blog.example/posts/7/</link><title>Seven</title><description>text</description><enclosure url="https://b.example/a.mp3"/></item></channel></rss>`)
	if found := feed.Match([]tidings.KnownItem{{Row: 1, ItemIdentity: item.Mark}}, inFeed); found[0].Row != 1 ||
		found[0].Change != "" {
		t.Errorf("in the feed it is another: %+v", found[0])
	}
	for _, bad := range []tidings.PublishedEntry{{}, {ID: " ", Title: "T"}, {ID: "1"},
		{ID: "1", HTML: "a", Text: "b"}} {
		if _, err := feed.OfEntry(bad, ownFeed, feed.Default()); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
