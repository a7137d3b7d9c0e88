package store

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/shared"
)

// An item with neither guid nor link has no ID, and is reported all the same.
func TestAnItemWithoutIDIsTold(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"", "it has a title and a text"})
	updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{})
	if err != nil || len(updates) != 1 || len(updates[0].Items) != 1 || updates[0].Items[0].Title != "Story " {
		t.Errorf("%+v, %v", updates, err)
	}
}

func TestFeedFromFirstVersionToRevision(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	f := follow(t, s, feedURL)
	if f.Health != tidings.HealthNew || f.Version != 0 || f.Label() != feedURL {
		t.Fatalf("fresh channel: %+v", f)
	}
	if state, err := s.Content.State(ctx, feedURL, 0); err != nil || state.Version != 0 || len(state.Items) != 0 {
		t.Fatalf("state of a fresh channel: %+v, %v", state, err)
	}

	one := publish(t, s, feedURL, story{"b", "second"}, story{"a", "first"})
	if one.Version != 1 || one.ID != 1 || len(one.Items) != 2 || one.Items[0].ID != "b" ||
		one.Items[0].Change != tidings.New {
		t.Fatalf("version 1: %+v", one)
	}
	if got := titles(river(t, s, tidings.EntryQuery{})); got != "b a" {
		t.Fatalf("river %q, want the document's order", got)
	}
	if u := publish(t, s, feedURL, story{"b", "second"}, story{"a", "first"}); u != nil {
		t.Fatalf("nothing new made an update: %+v", u)
	}
	two := publish(t, s, feedURL, story{"c", "third"}, story{"b", "second, corrected"})
	if two.Version != 2 || len(two.Items) != 2 || two.Items[1].Change != tidings.Changed {
		t.Fatalf("version 2: %+v", two)
	}

	entries := river(t, s, tidings.EntryQuery{})
	if titles(entries) != "c b b a" {
		t.Fatalf("river %q", titles(entries))
	}
	e, err := s.Reader.Entry(ctx, tidings.Owner, entries[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	if e.Before == nil || e.Before.Content != "<p>second</p>" || e.Content.Content != "<p>second, corrected</p>" {
		t.Fatalf("changed entry: %+v", e)
	}
	if e.Item != entries[2].Item || e.Change != tidings.Changed || e.Label != "A feed" || e.Version != 2 ||
		e.Update != two.ID {
		t.Fatalf("changed entry: %+v", e)
	}
	if raw, err := s.rawText(ctx, tidings.Owner, e.ID); err != nil || raw != "<p onclick=x>second, corrected</p>" {
		t.Fatalf("raw: %q, %v", raw, err)
	}

	for v, want := range map[tidings.Version]string{0: "c/third b/second, corrected", 2: "c/third b/second, corrected",
		1: "b/second a/first"} {
		state, err := s.Content.State(ctx, feedURL, v)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range state.Items {
			got = append(got, i.ID+"/"+strings.TrimSuffix(strings.TrimPrefix(i.Content, "<p>"), "</p>"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("state of version %d: %q, want %q", v, got, want)
		}
	}
	_, err = s.Content.State(ctx, feedURL, 3)
	mustErr(t, err, tidings.ErrNotFound)

	updates, err := s.Reader.Updates(ctx, tidings.Owner, tidings.UpdateQuery{})
	if err != nil || len(updates) != 2 {
		t.Fatalf("updates: %v, %v", updates, err)
	}
	if !reflect.DeepEqual(updates[0], *one) || !reflect.DeepEqual(updates[1], *two) {
		t.Fatalf("what is read differs from what was told:\n%+v\n%+v", updates, []any{*one, *two})
	}
	known, err := s.Content.KnownItems(ctx, feedURL)
	if err != nil || len(known) != 3 {
		t.Fatalf("known: %v, %v", known, err)
	}
	if known[0].ItemIdentity != markOf("b", "second, corrected") || !known[0].Listed || known[1].Listed ||
		!known[2].Listed {
		t.Fatalf("known: %+v", known)
	}
}

func TestItemIsStoredWhole(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	want := tidings.Item{
		ID: "urn:x", URL: "https://example.org/x", Title: "T\x00t", Author: "A",
		Published: time.Date(1, 2, 3, 4, 5, 6, 0, time.UTC), Updated: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
		Summary: "s", Content: strings.Repeat("long content ", 1000),
		Enclosures: []tidings.Enclosure{{URL: "https://example.org/a.mp3", Type: "audio/mpeg", Length: 1}},
		Categories: []string{"x", "y"}, Change: tidings.New,
	}
	want.Title = "Tt"
	f := &tidings.Change{Kind: tidings.KindFeed, Items: []tidings.FoundItem{{Item: want, Mark: markOf("x", "x")}}}
	u := record(t, s, content.Record{URL: feedURL, Change: f})
	if !reflect.DeepEqual(u.Items[0], want) {
		t.Errorf("told: %+v", u.Items[0])
	}
	if got := river(t, s, tidings.EntryQuery{})[0].Content; !reflect.DeepEqual(got, want) {
		t.Errorf("read: %+v", got)
	}
}

func TestQuietChangesMakeNoVersion(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "y"})
	f := document(t, s, feedURL, story{"a", "y"}, story{"b", "x"})
	f.Items[0].URL, f.Items[0].Quiet = "https://example.org/moved", true
	f.Items[0].Raw = ""
	f.Items[0].Mark.Link = 77
	if u := record(t, s, content.Record{URL: feedURL, Change: f}); u != nil {
		t.Fatalf("update: %+v", u)
	}
	state, err := s.Content.State(t.Context(), feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	if state.Version != 1 || state.Items[0].ID != "a" || state.Items[0].URL != "https://example.org/moved" {
		t.Fatalf("state: %+v", state)
	}
	known, err := s.Content.KnownItems(t.Context(), feedURL)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, k := range known {
		found = found || k.Link == 77
	}
	if !found {
		t.Errorf("the new mark is not kept: %+v", known)
	}
	entries := river(t, s, tidings.EntryQuery{})
	if raw, err := s.rawText(t.Context(), tidings.Owner, entries[1].ID); err != nil || raw != "<p onclick=x>y</p>" {
		t.Errorf("raw of the quiet item: %q, %v", raw, err)
	}
}

func TestEmptyFeedHasNoVersion(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	if u := publish(t, s, feedURL); u != nil {
		t.Fatalf("update: %+v", u)
	}
	f, err := s.Channel(t.Context(), tidings.Owner, feedURL)
	if err != nil || f.Kind != tidings.KindFeed || f.Title != "A feed" || f.Version != 0 {
		t.Fatalf("channel: %+v, %v", f, err)
	}
}

func TestVanishedRowsAreUnknownItems(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	f := changeOf(nil, story{"a", "x"}, story{"b", "y"}, story{"c", "z"})
	f.Items[0].Row, f.Items[0].Change = 41, ""
	f.Items[1].Row, f.Items[1].Change = 42, tidings.Changed
	u := record(t, s, content.Record{URL: feedURL, Change: f})
	if len(u.Items) != 3 {
		t.Fatalf("a channel that begins anew tells %d of 3 items", len(u.Items))
	}
	for _, i := range u.Items {
		if i.Change != tidings.New {
			t.Errorf("item %s is %q", i.ID, i.Change)
		}
	}
	// In a channel with a past, readers know what is unchanged.
	f = document(t, s, feedURL, story{"a", "x"}, story{"d", "new"})
	f.Items = append(f.Items, tidings.FoundItem{Item: tidings.Item{ID: "gone"}, Row: 99, Mark: markOf("gone", "")})
	u = record(t, s, content.Record{URL: feedURL, Change: f})
	if len(u.Items) != 1 || u.Items[0].ID != "d" {
		t.Fatalf("told: %+v", u.Items)
	}
	known, err := s.Content.KnownItems(t.Context(), feedURL)
	if err != nil || len(known) != 5 {
		t.Fatalf("known: %+v, %v", known, err)
	}
}

func TestRecordRefusesWhatContradictsItself(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	lines := []string{"a"}
	for name, f := range map[string]*tidings.Change{
		"no kind":     {},
		"wrong hash":  {Kind: tidings.KindPage, Lines: lines, Hash: hashOf(nil)},
		"broken line": {Kind: tidings.KindPage, Lines: []string{"a\nb"}, Hash: hashOf([]string{"a\nb"})},
		"too many":    {Kind: tidings.KindFeed, Items: make([]tidings.FoundItem, content.MaxItems+1)},
	} {
		if _, err := apply(t.Context(), s, &Record{Record: content.Record{URL: feedURL, Change: f}}); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			mustErr(t, err, tidings.ErrInvalid)
		}
	}
	_, err := apply(t.Context(), s, &Record{Record: content.Record{URL: "https://nobody.example/"}})
	mustErr(t, err, tidings.ErrNotFollowed)
}

// What a document does not say of its channel stays as it was said last; what it says anew replaces that.
func TestADocumentWithoutTitleKeepsTheChannels(t *testing.T) {
	t.Parallel()
	for _, kind := range []tidings.Kind{tidings.KindFeed, tidings.KindPage} {
		s := newStore(t)
		follow(t, s, feedURL)
		title, site := "", ""
		for i, say := range [][2]string{{"one", "https://one.example/"}, {"", "https://two.example/"}, {"two", ""},
			{"", ""}, {"three", "https://three.example/"}} {
			f := changeOf(nil, story{fmt.Sprint(i), "text"})
			if kind == tidings.KindPage {
				f = pageChange(nil, []string{fmt.Sprint("line ", i)})
				if i > 0 {
					f = pageChange([]string{fmt.Sprint("line ", i-1)}, f.Lines)
				}
			}
			f.Title, f.Site = say[0], say[1]
			u := record(t, s, content.Record{URL: feedURL, Change: f})
			title, site = cmp.Or(say[0], title), cmp.Or(say[1], site)
			ch, err := s.Channel(t.Context(), tidings.Owner, feedURL)
			if err != nil || ch.Title != title || ch.Site != site || u == nil || u.Title != title {
				t.Errorf("%s %d: %q at %q, want %q at %q: %+v, %v", kind, i, ch.Title, ch.Site, title, site, u, err)
			}
		}
	}
}

// An icon stays as it was said last, and an item has its chapters.
func TestIconsAndChaptersAreKept(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	chapters := &tidings.Chapters{List: []tidings.Chapter{{Title: "One"},
		{At: time.Minute, Title: "Two", URL: "https://example.org/2"}}, Address: "https://example.org/c.json"}
	for i, icon := range []string{"https://example.org/1.png", "", "https://example.org/2.png"} {
		f := changeOf(nil, story{fmt.Sprint(i), "text"})
		f.Icon, f.Items[0].Chapters = icon, chapters
		record(t, s, content.Record{URL: feedURL, Change: f})
		ch, err := s.Channel(t.Context(), tidings.Owner, feedURL)
		if want := []string{"https://example.org/1.png", "https://example.org/1.png",
			"https://example.org/2.png"}[i]; err != nil || ch.Icon != want {
			t.Errorf("%d: the icon is %q, want %q, %v", i, ch.Icon, want, err)
		}
	}
	entries, err := s.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{Limit: 9})
	if err != nil || len(entries) != 3 || !reflect.DeepEqual(entries[0].Content.Chapters, chapters) {
		t.Errorf("%+v, %v", entries, err)
	}
}

// A page's new title alone is no version, and no item.
func TestATitleAloneRenamesAPage(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	first := pageChange(nil, []string{"line"})
	first.Title = "one"
	record(t, s, content.Record{URL: feedURL, Change: first})
	u, err := apply(t.Context(), s,
		&Record{Record: content.Record{URL: feedURL, Change: &tidings.Change{Kind: tidings.KindPage, Title: "two",
			Lines: first.Lines, BaseHash: first.Hash, Hash: first.Hash}}})
	if err != nil || u != nil {
		t.Errorf("update %+v, %v", u, err)
	}
	ch, err := s.Channel(t.Context(), tidings.Owner, feedURL)
	if err != nil || ch.Title != "two" || ch.Version != 1 {
		t.Errorf("%q in version %d, %v", ch.Title, ch.Version, err)
	}
	if lines, _, _, err := s.Content.Lines(t.Context(), feedURL); err != nil || len(lines) != 1 {
		t.Errorf("lines %q, %v", lines, err)
	}
}

// Other nodes are given an item's text as it was published, whichever of its texts that is the same as.
func TestTextIsGivenAsItWasPublished(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"before", "x"})
	for _, summary := range []string{"", "one", "two"} {
		for _, text := range []string{"", "one", "two"} {
			for _, raw := range []string{"one", "two", "three"} {
				id := fmt.Sprintf("%q %q %q", summary, text, raw)
				f := document(t, s, feedURL, story{id, id})
				i := &f.Items[0]
				i.Summary, i.Content, i.Raw = summary, text, raw
				record(t, s, content.Record{URL: feedURL, Change: f})
				d, err := s.DeltaFrom(t.Context(), feedURL, shared.Hash{})
				if err != nil || len(d.Items) != 1 {
					t.Fatalf("%+v, %v", d.Items, err)
				}
				if i := &d.Items[0]; i.Summary != summary || i.Content != text || i.Raw != raw {
					t.Errorf("summary, content and text %s are given as %q, %q and %q", id, i.Summary, i.Content, i.Raw)
				}
			}
		}
	}
}
