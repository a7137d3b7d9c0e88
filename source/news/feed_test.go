package news

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/feed"
)

// checkCarried checks that the items of a document are those of its feed, and that other nodes can be sent them.
func checkCarried(t interface {
	Errorf(string, ...any)
	Fatalf(string, ...any)
}, d *Document) {
	found := feed.Match(nil, d.Feed(feed.Default()))
	var carried []feed.Carried
	for i := range found {
		f := &found[i]
		n := f.News
		if n == nil || n.GUID != f.ID {
			t.Fatalf("item %q says %+v of itself", f.ID, n)
		}
		for j := range d.Items {
			of := d.Items[j].News
			if of.GUID == n.GUID && of.Version == n.Version && !of.Withdrawn() && !reflect.DeepEqual(of, *n) &&
				len(d.Items) == 1 {
				t.Errorf("in the feed it says\n%+v, in the document\n%+v", *n, of)
			}
		}
		carried = append(carried, feed.Carried{FoundItem: *f, Whole: true})
	}
	again, err := feed.MatchCarried(nil, carried, true, feed.Default())
	if err != nil {
		t.Fatalf("another node refuses it: %v", err)
	}
	for i := range again {
		if !reflect.DeepEqual(again[i].Item, found[i].Item) {
			t.Errorf("another node has\n%+v, this one\n%+v", again[i].Item, found[i].Item)
		}
	}
}

func TestItemsOfAFeedCanBeCarried(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it := drawItem(t, Ninjs)
		if it.News.GUID == "" {
			return
		}
		checkCarried(t, &Document{Format: Ninjs, Items: []Item{it}})
	})
}

func TestRecordedItemsCanBeCarried(t *testing.T) {
	for _, r := range recorded(t) {
		if d, err := Parse(r.body, "", Default()); err == nil {
			checkCarried(t, d)
		}
	}
}

func TestOfAnItemTheVersionThatCountsIsListed(t *testing.T) {
	item := func(version int, status tidings.NewsStatus) Item {
		return Item{Item: tidings.Item{ID: "urn:a"},
			News: tidings.News{GUID: "urn:a", Version: version, Status: status}}
	}
	for _, c := range []struct {
		name  string
		items []Item
		want  int // the version
	}{
		{"the later", []Item{item(1, tidings.Usable), item(2, tidings.Usable)}, 2},
		{"the later, before the earlier", []Item{item(2, tidings.Usable), item(1, tidings.Usable)}, 2},
		{"the one that cancels", []Item{item(2, tidings.Usable), item(1, tidings.Canceled)}, 1},
		{"what is canceled stays so", []Item{item(1, tidings.Canceled), item(3, tidings.Usable)}, 1},
	} {
		d := (&Document{Items: c.items}).Feed(feed.Default())
		if len(d.Items) != 1 || d.Items[0].News.Version != c.want {
			t.Errorf("%s: %+v, not version %d alone", c.name, d.Items, c.want)
		}
	}
}

// Each of these alone is a change that readers are notified of.
func TestWhatAnItemSaysOfItselfIsPartOfIt(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	base := tidings.News{GUID: "urn:a", Version: 1, Status: tidings.Usable, Urgency: 5, Headline: "H"}
	markOf := func(n tidings.News) tidings.ItemIdentity {
		return feed.NewDocument("", []tidings.Item{{ID: "urn:a", Title: "H", Content: "<p>x</p>", News: &n}},
			feed.Default()).Items[0].Mark
	}
	for name, change := range map[string]func(*tidings.News){
		"version": func(n *tidings.News) { n.Version = 2 }, "status": func(n *tidings.News) {
			n.Status = tidings.Withheld
		},
		"embargo": func(n *tidings.News) { n.Embargo = at }, "signal": func(n *tidings.News) {
			n.Signal = tidings.Corrected
		},
	} {
		n := base
		change(&n)
		if markOf(n).Print == markOf(base).Print {
			t.Errorf("%s: the item is known as if nothing had changed", name)
		}
	}
}

func TestNothingOfAWithdrawnItemIsLeft(t *testing.T) {
	n := tidings.News{GUID: "urn:a", Version: 2, Publisher: "A <b>& B", Status: tidings.Canceled, Headline: "SECRET",
		Slugline: "SECRET",
		Byline:   "SECRET", Note: "SECRET", Subjects: []tidings.Subject{{Name: "sport"}}}
	d := (&Document{Items: []Item{{Item: tidings.Item{ID: "urn:a", URL: "https://a.example/SECRET", Title: "SECRET",
		Author:  "SECRET",
		Summary: "SECRET", Content: "<p>SECRET</p>", Categories: []string{"SECRET"},
		Enclosures: []tidings.Enclosure{{URL: "https://a.example/SECRET"}}}, News: n}}}).Feed(feed.Default())
	d.Items[0].Render()
	it := d.Items[0].Item
	for _, text := range []string{it.URL, it.Title, it.Author, it.Summary, it.Content, d.Items[0].Raw,
		strings.Join(it.Categories, " "),
		it.News.Headline + it.News.Slugline + it.News.Byline + it.News.Note} {
		if strings.Contains(text, "SECRET") {
			t.Errorf("it says %q", text)
		}
	}
	if it.Title != "Withdrawn by A <b>& B" || !strings.Contains(it.Summary, "has canceled this item") ||
		len(it.Enclosures) > 0 || len(it.News.Subjects) != 1 {
		t.Errorf("it is told as %+v", it)
	}
	checkCarried(t, &Document{Items: []Item{{Item: it, News: *it.News}}})
}

// A withdrawn item with any other content is refused.
func TestAWithdrawnItemThatSaysMoreIsForged(t *testing.T) {
	n := tidings.News{GUID: "urn:a", Version: 2, Status: tidings.Withheld}
	good := feed.Match(nil, feed.NewDocument("", []tidings.Item{{ID: "urn:a", News: &n}}, feed.Default()))[0]
	for name, forge := range map[string]func(*tidings.FoundItem){
		"title":     func(f *tidings.FoundItem) { f.Title = "more" },
		"summary":   func(f *tidings.FoundItem) { f.Summary = "more" },
		"content":   func(f *tidings.FoundItem) { f.Content = "more" },
		"author":    func(f *tidings.FoundItem) { f.Author = "more" },
		"link":      func(f *tidings.FoundItem) { f.URL = "https://a.example/more" },
		"enclosure": func(f *tidings.FoundItem) { f.Enclosures = []tidings.Enclosure{{URL: "https://a.example/more"}} },
		"headline": func(f *tidings.FoundItem) {
			n := *f.News
			n.Headline = "more"
			f.News = &n
		},
		"subjects": func(f *tidings.FoundItem) {
			n := *f.News
			n.Subjects = make([]tidings.Subject, 65)
			f.News = &n
		},
		"urgency": func(f *tidings.FoundItem) {
			n := *f.News
			n.Urgency = 1
			f.News = &n
		},
	} {
		f := good
		forge(&f)
		if _, err := feed.MatchCarried(nil, []feed.Carried{{FoundItem: f, Whole: true}}, true,
			feed.Default()); err == nil {
			t.Errorf("%s: it is believed", name)
		}
	}
}

// What WriteAll writes is read back, item by item; items of ordinary feeds say what can be said of them.
func TestWrittenTogetherIsReadBack(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	n := tidings.News{GUID: "urn:a", Version: 3, Publisher: "Agency", Status: tidings.Canceled, Urgency: 2}
	items := []tidings.Item{{ID: "urn:a", News: &n, Updated: at},
		{ID: "2", Title: "T", Content: "<p>x</p>", Updated: at.Add(-time.Hour)}, {Title: "without an ID"}}
	for _, format := range []Format{NewsMLG2, Ninjs} {
		doc, err := WriteAll("https://www.blog.example/feed", "Blog", items, format)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse(doc, "", Default())
		if err != nil || len(d.Items) != 2 || d.Format != format || Sniff(doc, "") != format {
			t.Fatalf("%s: %+v, %v", doc, d, err)
		}
		if got := d.Items[0].News; !reflect.DeepEqual(got, n) {
			t.Errorf("%+v, not %+v", got, n)
		}
		if got := d.Items[1].News; got.Publisher != "blog.example" || got.Headline != "T" || got.GUID != "2" {
			t.Errorf("of an ordinary feed: %+v", got)
		}
		if sent := "<sent>2026-05-01T12:00:00Z</sent>"; format == NewsMLG2 && !strings.Contains(string(doc), sent) {
			t.Errorf("no %s in %s", sent, doc)
		}
	}
	if _, err := WriteAll("", "", items, NITF); err == nil {
		t.Error("NITF has one item a document")
	}
}
