package node

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/store"
)

func mustParse(t *testing.T, doc string) *feed.Document {
	t.Helper()
	d, err := feed.Parse([]byte(doc), "", ownFeed, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func titles(e edition) string {
	var all []string
	for _, i := range e.items {
		all = append(all, i.Title)
	}
	return strings.Join(all, ", ")
}

// Items are published in the order of their dates; without dates on all, as feeds list them, from the end.
func TestTheOldestItemIsPublishedFirst(t *testing.T) {
	item := func(title, date string) string {
		return "<item><guid>" + title + "</guid><title>" + title + "</title>" + date + "</item>"
	}
	at := func(day string) string { return "<pubDate>" + day + " Mar 2026 10:00:00 GMT</pubDate>" }
	for doc, want := range map[string]string{
		item("c", "") + item("b", "") + item("a", ""):                "a, b, c",
		item("b", at("2")) + item("c", at("3")) + item("a", at("1")): "a, b, c",
		item("c", at("3")) + item("b", "") + item("a", at("9")):      "a, b, c",
	} {
		e := editionOf(mustParse(t, "<rss><channel>"+doc+"</channel></rss>"), nil, nil, true)
		if got := titles(e); got != want {
			t.Errorf("%s gives %s", doc, got)
		}
	}
}

// An item that is too large to be sent with all that there is of it goes with less, in the end with its mark
// alone.
func TestALargeItemTravelsWithLess(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	noise := func(n int) string { // which cannot be compressed
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('!' + chance.IntN(90))
		}
		return strings.NewReplacer("<", "x", "&", "y").Replace(string(b))
	}
	small, large := noise(1000), noise(900_000)
	for name, c := range map[string]struct {
		text, rich, want string
		whole            bool
	}{
		"all of it":         {small, small + "!", small + "!", true},
		"as the feed has":   {small, large, "", true},
		"by its mark alone": {large, "", "", false},
	} {
		doc := mustParse(t, "<rss><channel><item><guid>1</guid><description>"+c.text+"</description></item></channel></rss>")
		e := editionOf(doc, nil, nil, true)
		e.texts[0] = c.rich
		b, err := e.entry(0, "T", "")
		if err != nil || len(b) > feedtree.MaxEntry {
			t.Fatalf("%s: %d bytes, %v", name, len(b), err)
		}
		p, err := changeset.Decode(b, feed.Default())
		if err != nil || len(p.Items) != 1 || p.Items[0].Whole != c.whole || p.Items[0].Content != c.want {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// What was published is not published again, whatever the order; what changed is.
func TestAnEditionHoldsWhatIsNew(t *testing.T) {
	stories := []pushedStory{{"a", "1"}, {"b", "2"}, {"c", "3"}}
	e := editionOf(mustParse(t, feedOf(stories...)), nil, nil, true)
	known := slices.Clone(e.marks)
	for i := range known {
		known[i].Row, known[i].Listed = int64(i+1), true
	}
	slices.Reverse(stories)
	stories[0].text = "3 and more" // of c, which is number 0 now
	doc := strings.NewReplacer("<guid>0", "<guid>2", "posts/0", "posts/2", "<guid>2", "<guid>0", "posts/2", "posts/0").Replace(feedOf(stories...))
	e = editionOf(mustParse(t, doc), known, nil, true)
	if titles(e) != "c" || e.items[0].Change != tidings.Changed || len(e.listed) != 3 {
		t.Errorf("%+v", e)
	}
	if e := editionOf(mustParse(t, doc), slices.Concat(known, []store.PublishedMark{}), nil, false); e.listed != nil {
		t.Error("a part of a document says what is listed")
	}
}

func TestContentFiles(t *testing.T) {
	for _, c := range []struct{ url, id, want string }{
		{"https://b.example/2026/03/hello/", "tag:b.example,2026:hello", "2026/03/hello/index.html 2026/03/hello.html hello.html tag-b.example-2026-hello.html"},
		{"https://b.example/p/x.html?a=b", "7", "p/x.html x.html 7.html"},
		{"https://b.example/", "", "index.html"},
		{"https://b.example/../../etc/passwd", "../../etc/passwd", "etc/passwd/index.html etc/passwd.html passwd.html ..-..-etc-passwd.html"},
		{"", "..", ""},
	} {
		if got := strings.Join(contentFiles(&tidings.Item{URL: c.url, ID: c.id}), " "); got != c.want {
			t.Errorf("%s %s: %s", c.url, c.id, got)
		}
	}
}

// A directory of contents gives what is in it, and nothing else.
func TestContentsStayInTheirDirectory(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "secret.html"), "secret")
	writeFile(t, filepath.Join(dir, "site/a.html"), "<p>A")
	writeFile(t, filepath.Join(dir, "site/b.html"), strings.Repeat("x", maxFullContent+1))
	writeFile(t, filepath.Join(dir, "site/d/index.html"), "<!doctype html><html><body>all<main><p onclick='x()'>M</p></main></body></html>")
	if err := errors.Join(os.Symlink("../secret.html", filepath.Join(dir, "site/c.html")), os.Mkdir(filepath.Join(dir, "site/e.html"), 0o700)); err != nil {
		t.Fatal(err)
	}
	c, err := openContents(filepath.Join(dir, "site"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for place, want := range map[string]string{"a": "<p>A</p>", "b": "", "c": "", "d": "<p>M</p>", "e": "", "../secret": ""} {
		if got := c.of(&tidings.Item{URL: "https://b.example/" + place}); got != want {
			t.Errorf("%s: %q", place, got)
		}
	}
	if _, err := openContents(filepath.Join(dir, "none")); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("no directory: %v", err)
	}
}

// An entry of a content system is read as one of a feed is, and known again by its id.
func TestAnEntryIsAnItem(t *testing.T) {
	entry := tidings.PublishedEntry{
		ID: "7", URL: "/posts/7/", Title: "Seven", HTML: "<p onclick=\"x()\">text</p>", Author: "A", Tags: []string{"t"},
		Published: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), Enclosures: []tidings.Enclosure{{URL: "https://b.example/a.mp3", Type: "audio/mpeg", Length: 5}},
	}
	d, err := documentOf(entry, ownFeed, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	item := editionOf(d, nil, nil, false).items[0]
	if item.ID != "7" || item.URL != "https://blog.example/posts/7/" || item.Content != "<p>text</p>" || item.Author != "A" ||
		!item.Published.Equal(entry.Published) || len(item.Enclosures) != 1 || item.Enclosures[0].Length != 5 {
		t.Errorf("%+v", item)
	}
	inFeed := mustParse(t, `<rss><channel><item><guid>7</guid><link>https://blog.example/posts/7/</link><title>Seven</title><description>text</description><enclosure url="https://b.example/a.mp3"/></item></channel></rss>`)
	if found := feed.Match([]tidings.KnownItem{{Row: 1, ItemIdentity: item.Mark}}, inFeed); found[0].Row != 1 || found[0].Change != "" {
		t.Errorf("in the feed it is another: %+v", found[0])
	}
	for _, bad := range []tidings.PublishedEntry{{}, {ID: " ", Title: "T"}, {ID: "1"}, {ID: "1", HTML: "a", Text: "b"}} {
		if _, err := documentOf(bad, ownFeed, feed.Default()); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
