package changeset

import (
	"fmt"
	"strings"
	"testing"

	"tidings"
	"tidings/source/feed"
)

// addressed writes a feed of n dated stories, the latest first, whose guids and links are made by address.
func addressed(n int, address func(i int) string) []byte {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>T</title>`)
	for i := n; i > 0; i-- {
		fmt.Fprintf(&b, `<item><guid>%s</guid><link>%s</link><title>Story %d</title><pubDate>%02d May 2024 01:02:03 GMT</pubDate><description>What %d says</description></item>`,
			address(i), address(i), i, i, i)
	}
	return []byte(b.String() + `</channel></rss>`)
}

// hostile 20, 71: a feed has moved, or gives its items new identifiers. Other nodes receive only what is new whole, and
// report no more of it than its finder. Their next poll finds the links out.
func TestHostile71NewIdentifiersAreNoNewsElsewhere(t *testing.T) {
	for name, now := range map[string]func(i int) string{
		"moved":    func(i int) string { return fmt.Sprint("https://b.example/", i) },
		"reissued": func(i int) string { return fmt.Sprintf("https://a.example/%x", i*7919+1) },
	} {
		t.Run(name, func(t *testing.T) {
			_, known := marksOf(
				read(t, addressed(3, func(i int) string { return fmt.Sprint("https://a.example/", i) })))
			items := read(t, addressed(4, now))
			marks, _ := marksOf(items)
			f, err := pass(t, of(items, marks[1:]...)).Feed(known, tidings.ContentHash(marks), feed.Default())
			if err != nil {
				t.Fatal(err)
			}
			var kept []tidings.ItemIdentity
			for i, item := range f.Items {
				if (item.Change == tidings.New) != (i == 0) ||
					i > 0 && (item.Change != "" || item.Row != known[i-1].Row) {
					t.Errorf("item %d: %q, row %d", i, item.Change, item.Row)
				}
				kept = append(kept, item.Mark)
			}
			if tidings.ContentHash(kept) != tidings.ContentHash(marks) {
				t.Error("what is kept has another hash than what was sent")
			}
			_, known = marksOf(f.Items)
			d, err := feed.Parse(addressed(4, now), "", "https://example.org/feed", feed.Default())
			if err != nil {
				t.Fatal(err)
			}
			for i, item := range feed.Match(known, d) {
				if item.Change != "" || item.Quiet != (i > 0) {
					t.Errorf("item %d of the next check: %q, quiet %v", i, item.Change, item.Quiet)
				}
			}
		})
	}
}

// A part of a feed, such as a pushed item, says nothing of what is gone from it: what has the title, text and date of a
// known item is another one if its identifiers are.
func TestAPartOfAFeedIsNoMove(t *testing.T) {
	_, known := marksOf(read(t, addressed(3, func(i int) string { return fmt.Sprint("https://a.example/", i) })))
	f, err := pass(t,
		of(read(t, addressed(3, func(i int) string { return fmt.Sprint("https://b.example/", i) })))).Entries(known,
		feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range f.Items {
		if item.Change != tidings.New {
			t.Errorf("item %d: %q", i, item.Change)
		}
	}
}
