package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"tidings/delivery/web/wording"
	"time"

	"tidings"
)

func TestRevisionsTakeOneLine(t *testing.T) {
	v := visit(t, busy(), false)
	if text := v.get("/").Body.String(); !strings.Contains(text, `<span class="tag">revised</span>`) {
		t.Error("by date it is not said that it was revised")
	}
	v.get("/?sort=arrival")
	text := v.get("/").Body.String()
	if n := strings.Count(text, ">Harbour wall closed"); n != 1 {
		t.Errorf("the story has %d lines", n)
	}
	if !strings.Contains(text, `<span class="tag">revised 3 times</span>`) {
		t.Error("nobody is told that it was revised")
	}

	// Its own page leads to what it was, and back.
	text = v.get("/entry/35").Body.String()
	for _, want := range []string{`href="/entry/31"`, `href="/entry/33"`, "first seen", "revised, shown above"} {
		if !strings.Contains(text, want) {
			t.Errorf("the newest revision's page lacks %q", want)
		}
	}
	if text = v.get("/entry/31").Body.String(); !strings.Contains(text, `href="/entry/35"`) {
		t.Error("the first revision's page does not lead to the newest")
	}
	if text = v.get("/entry/25").Body.String(); strings.Contains(text, `id="revisions"`) {
		t.Error("an item that was never revised lists revisions")
	}
}

func TestRevisedText(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "revised", 2: "revised twice", 3: "revised 3 times",
		1000: "revised 1,000 times"} {
		if got := revisedText(wording.Words{}, line{Revised: n}); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// A first version stays whole, though one of its items was revised since.
func TestFirstVersionStaysWhole(t *testing.T) {
	f := folding{together: foldFirsts}
	item := func(id, item int64, version tidings.Version, change tidings.ChangeKind) tidings.Entry {
		return tidings.Entry{ID: id, Item: item, Update: int64(version), Version: version, Kind: tidings.KindFeed,
			Change: change, Label: "Big"}
	}
	for _, e := range []tidings.Entry{item(4, 2, 2, tidings.Changed), item(3, 3, 1, tidings.New),
		item(2, 2, 1, tidings.New), item(1, 1, 1, tidings.New)} {
		f.add(e, 2)
	}
	if len(f.lines) != 2 || f.lines[1].Total != 3 || f.lines[0].Revised != 1 {
		t.Errorf("lines are %+v", f.lines)
	}
	if f.add(item(9, 9, 3, tidings.New), 2) {
		t.Error("there is no room for a third line")
	}
}

// What a program posts first, or a query selects first, is news: it has a line of its own.
func TestTheFirstItemOfAChannelWithoutAnOrigin(t *testing.T) {
	for channel, want := range map[string]string{
		tidings.PostedURL("Backups", []byte("secret")): "Done", tidings.QueryURL("all"): "Done",
		"https://example.org/feed": "Now following Backups",
	} {
		f := folding{together: foldFirsts}
		f.add(tidings.Entry{ID: 1, Item: 1, Channel: channel, Label: "Backups", Kind: tidings.KindFeed, Version: 1,
			Change: tidings.New, Content: tidings.Item{Title: "Done"}}, 10)
		if len(f.lines) != 1 || f.lines[0].Title != want {
			t.Errorf("%s: %+v, want %s", channel, f.lines, want)
		}
	}
}

// By date, a burst of a channel has three lines and one for the rest, wherever its items stand in a row. Other entries
// between them divide the row. Newly followed pages have one line together.
func TestBurstsAreFolded(t *testing.T) {
	item := func(id, update int64, channel string) tidings.Entry {
		return tidings.Entry{ID: id, Item: id, Update: update, Version: 3, Channel: channel, Label: channel,
			Kind: tidings.KindFeed, Change: tidings.New,
			Content: tidings.Item{Title: fmt.Sprint("Story ", id)}}
	}
	notice := func(id int64, channel string) tidings.Entry {
		return tidings.Entry{ID: id, Item: id, Update: id, Version: 1, Channel: channel, Label: channel,
			Kind: tidings.KindPage, Change: tidings.New}
	}
	row := func(from, n int64, channel string) (all []tidings.Entry) {
		for id := from; id < from+n; id++ {
			all = append(all, item(id, from, channel))
		}
		return all
	}
	for name, test := range map[string]struct {
		entries []tidings.Entry
		want    []string
	}{
		"five":  {row(10, 5, "a"), []string{"Story 10", "Story 11", "Story 12", "Story 13", "Story 14"}},
		"six":   {row(10, 6, "a"), []string{"Story 10", "Story 11", "Story 12", "3 more items from a"}},
		"sixty": {row(10, 60, "a"), []string{"Story 10", "Story 11", "Story 12", "57 more items from a"}},
		"two in a row": {append(row(10, 6, "a"), row(20, 4, "b")...),
			[]string{"Story 10", "Story 11", "Story 12", "3 more items from a", "Story 20", "Story 21", "Story 22",
				"Story 23"}},
		"other updates": {append(row(10, 4, "a"), row(20, 4, "a")...),
			[]string{"Story 10", "Story 11", "Story 12", "Story 13", "Story 20", "Story 21", "Story 22", "Story 23"}},
		"parted": {append(append(row(10, 4, "a"), item(50, 50, "b")), row(10, 4, "a")...),
			[]string{"Story 10", "Story 11", "Story 12", "Story 13", "Story 50"}},
		"one page": {[]tidings.Entry{notice(1, "p")}, []string{"Now following p"}},
		"pages": {[]tidings.Entry{notice(1, "p"), notice(2, "q"), item(3, 3, "a"), notice(4, "r")},
			[]string{"Now following 2 pages", "Story 3", "Now following r"}},
	} {
		f := folding{together: foldBursts}
		for _, e := range test.entries {
			if !f.add(e, 40) {
				t.Fatalf("%s: there is no room for %d", name, e.ID)
			}
		}
		var got []string
		for _, l := range f.lines {
			got = append(got, l.Title)
			if l.IsFolded() && (l.Total != len(l.Folded) && l.Total <= maxFolded || l.Folded[0].Title == l.Title) {
				t.Errorf("%s: %s has %d of %d titles, the first is %q", name, l.Title, len(l.Folded), l.Total,
					l.Folded[0].Title)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	// A revision that comes behind the row that holds its item has no line of its own.
	f := folding{together: foldBursts}
	for _, e := range append(row(10, 7, "a"), item(14, 10, "a"), item(50, 50, "b"), item(15, 9, "a")) {
		f.add(e, 40)
	}
	if n := len(f.lines); n != 5 || f.lines[3].Revised != 0 {
		t.Errorf("%d lines", n)
	}
}

// A cursor leads on from where a page ended, in its own order, whatever the browser prefers now; what is none changes
// nothing.
func TestCursors(t *testing.T) {
	for _, byDate := range []bool{false, true} {
		for cursor, want := range map[string]tidings.EntryQuery{
			"17": {Before: 17},
			"1700000000123456.42": {ByDate: true, Behind: tidings.Place{Dated: time.UnixMicro(1_700_000_000_123_456),
				Item: 42}},
		} {
			q := tidings.EntryQuery{ByDate: byDate}
			if setCursor(&q, cursor); q != want || cursorOf(q) != cursor {
				t.Errorf("%q: %+v, which is %q", cursor, q, cursorOf(q))
			}
		}
		for _, none := range []string{"", "x", "-3", "1e5.7", ".", "99999999999999999999.1"} {
			q := tidings.EntryQuery{ByDate: byDate}
			if setCursor(&q, none); q != (tidings.EntryQuery{ByDate: byDate}) {
				t.Errorf("%q: %+v", none, q)
			}
		}
	}
}
