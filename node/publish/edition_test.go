package publish

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/store/published"
)

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

// An item that is too large to be sent whole is sent with less, in the end with its mark alone.
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
		doc := mustParse(t, "<rss><channel><item><guid>1</guid><description>"+c.text+
			"</description></item></channel></rss>")
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

// What was published is not published again, in any order. What changed is.
func TestAnEditionHoldsWhatIsNew(t *testing.T) {
	stories := []story{{"a", "1"}, {"b", "2"}, {"c", "3"}}
	e := editionOf(mustParse(t, feedOf(stories...)), nil, nil, true)
	known := slices.Clone(e.marks)
	for i := range known {
		known[i].Row, known[i].Listed = int64(i+1), true
	}
	slices.Reverse(stories)
	stories[0].text = "3 and more" // of c, which is number 0 now
	doc := strings.NewReplacer("<guid>0", "<guid>2", "posts/0", "posts/2", "<guid>2", "<guid>0", "posts/2",
		"posts/0").Replace(feedOf(stories...))
	e = editionOf(mustParse(t, doc), known, nil, true)
	if titles(e) != "c" || e.items[0].Change != tidings.Changed || len(e.listed) != 3 {
		t.Errorf("%+v", e)
	}
	if e := editionOf(mustParse(t, doc), slices.Concat(known, []published.Mark{}), nil, false); e.listed != nil {
		t.Error("a part of a document says what is listed")
	}
}
