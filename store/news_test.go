package store

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/shared"
)

// report is a news item of a document that a test writes.
type report struct {
	text string
	news tidings.News
}

func version(n int, edit ...func(*tidings.News)) report {
	r := report{fmt.Sprintf("text%d", n), tidings.News{GUID: "urn:a", Version: n, Publisher: "agency",
		Status: tidings.Usable, Urgency: 3}}
	for _, e := range edit {
		e(&r.news)
	}
	return r
}

func canceled(n *tidings.News) { n.Status = tidings.Canceled }
func withheld(n *tidings.News) { n.Status = tidings.Withheld }

func until(t time.Time) func(*tidings.News) { return func(n *tidings.News) { n.Embargo = t } }

// deliver records a document of one item of a news agency, with what a reader of documents makes of it where it is
// withdrawn.
func deliver(t testing.TB, s *Store, r report) *tidings.Update {
	t.Helper()
	f := document(t, s, feedURL,
		story{"a", r.text + string(r.news.Status) + fmt.Sprint(r.news.Version, r.news.Embargo.Unix(), r.news.Note)})
	item := &f.Items[0]
	item.News, item.Content, item.Raw = &r.news, "<p>"+r.text+"</p>", ""
	item.Enclosures = []tidings.Enclosure{{URL: "https://example.org/" + r.text + ".jpg"}}
	if r.news.Withdrawn() {
		item.Item = tidings.Item{ID: item.ID, Title: "Withdrawn", Summary: "by agency", News: &r.news,
			Change: item.Change}
	}
	return record(t, s, content.Record{URL: feedURL, Health: tidings.HealthGood, Change: f})
}

// readable returns everything that readers can be given of the channel.
func readable(t testing.TB, s *Store) string {
	t.Helper()
	var all []any
	ctx := t.Context()
	for _, e := range river(t, s, tidings.EntryQuery{}) {
		whole, err := s.Reader.Entry(ctx, tidings.Owner, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := s.rawText(ctx, tidings.Owner, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e, whole, raw)
		if whole.Before != nil {
			all = append(all, *whole.Before)
		}
	}
	updates, err := s.Reader.Updates(ctx, tidings.Owner, tidings.UpdateQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range updates {
		state, err := s.Content.State(ctx, feedURL, u.Version)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, u, state)
	}
	lead, err := s.DeltaFrom(ctx, feedURL, shared.Hash{})
	if err == nil {
		all = append(all, lead)
	}
	files, err := s.Pushed.Files(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", append(all, files))
}

func TestNewsIsKept(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	at := time.Date(2020, 1, 2, 3, 4, 5, 600, time.UTC)
	want := tidings.News{GUID: "urn:a", Version: 7, Publisher: "agency", Status: tidings.Usable,
		Signal: tidings.Corrected, Urgency: 1,
		Subjects: []tidings.Subject{{Code: "15000000", Scheme: "medtop", Name: "sport"}},
		Places:   []tidings.Subject{{Name: "Kyiv"}},
		Language: "en-gb", Genre: "g", Headline: "h", Slugline: "s", Byline: "b", Note: "n", Created: at, Revised: at,
		Embargo: at, Expires: at}
	u := deliver(t, s, report{"text", want})
	if !reflect.DeepEqual(u.Items[0].News, &want) {
		t.Errorf("told: %+v", u.Items[0].News)
	}
	if got := river(t, s, tidings.EntryQuery{})[0].Content.News; !reflect.DeepEqual(got, &want) {
		t.Errorf("kept: %+v", got)
	}
}

// What readers are shown of an item after versions of it have come in some order.
func TestVersionsOfAnItem(t *testing.T) {
	for _, c := range []struct {
		name string
		come []report
		told int
		want string // the content
	}{
		{"a later one", []report{version(1), version(2)}, 2, "text2"},
		{"an earlier one", []report{version(2), version(1)}, 1, "text2"},
		{"by turns", []report{version(2), version(1), version(2), version(1), version(2)}, 1, "text2"},
		{"a correction of the same number", []report{version(1), version(1, func(n *tidings.News) {
			n.Note = "a name"
		})}, 2, "text1"},
		{"canceled", []report{version(1), version(2, canceled)}, 2, ""},
		{"canceled by an earlier one", []report{version(3), version(2, canceled)}, 2, ""},
		{"canceled stays", []report{version(1), version(2, canceled), version(3), version(2)}, 2, ""},
		{"canceled twice", []report{version(1), version(2, canceled), version(2, canceled)}, 2, ""},
		{"withheld", []report{version(1), version(2, withheld)}, 2, ""},
		{"withheld by an earlier one", []report{version(3), version(2, withheld)}, 1, "text3"},
		{"withheld, and the same as before", []report{version(1), version(2, withheld), version(1)}, 2, ""},
		{"withheld until", []report{version(1), version(2, withheld), version(3)}, 3, "text3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			follow(t, s, feedURL)
			told := 0
			for _, r := range c.come {
				if deliver(t, s, r) != nil {
					told++
				}
			}
			now := river(t, s, tidings.EntryQuery{})[0].Content
			if want := strings.ReplaceAll("<p>"+c.want+"</p>", "<p></p>", ""); told != c.told || now.Content != want {
				t.Errorf("told %d times, not %d; %q, not %q", told, c.told, now.Content, want)
			}
		})
	}
}

// A part of a document that has an earlier version changes nothing, not even what the item is known by.
func TestAPartWithAnEarlierVersion(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	deliver(t, s, version(2))
	known, err := s.Content.KnownItems(t.Context(), feedURL)
	if err != nil {
		t.Fatal(err)
	}
	f := document(t, s, feedURL, story{"a", "earlier"})
	f.Partial = true
	old := version(1)
	f.Items[0].News = &old.news
	if u := record(t, s, content.Record{URL: feedURL, Change: f}); u != nil {
		t.Errorf("told: %+v", u)
	}
	if now, err := s.Content.KnownItems(t.Context(), feedURL); err != nil || !reflect.DeepEqual(now, known) {
		t.Errorf("known by %+v, not %+v: %v", now, known, err)
	}
}

func TestWhatIsWithdrawnIsNowhere(t *testing.T) {
	for name, kill := range map[string]func(*tidings.News){"canceled": canceled, "withheld": withheld} {
		for _, indexed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, indexed), func(t *testing.T) {
				s := newStore(t)
				follow(t, s, feedURL)
				deliver(t, s, version(1))
				deliver(t, s, version(2))
				search := tidings.EntryQuery{Search: "text1"}
				if indexed && len(river(t, s, search)) != 1 {
					t.Fatal("it was not found to begin with")
				}
				if err := s.write(t.Context(), func(x *content.Tx) error {
					return db.Exec(x.Conn, `INSERT INTO item_file (channel, url, ref, type, length, since)
						VALUES (1, 'https://example.org/text1.jpg', x'01', 'image/jpeg', 1, 1)`)
				}); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(readable(t, s), "text1") {
					t.Fatal("it was not there to begin with")
				}
				u := deliver(t, s, version(3, kill))
				if u == nil || u.Items[0].Change != tidings.Changed || u.Items[0].Title != "Withdrawn" {
					t.Fatalf("told: %+v", u)
				}
				if all := readable(t, s); strings.Contains(all, "text") || strings.Contains(all, "Story") {
					t.Errorf("it is still there: %s", all)
				}
				for _, word := range []string{"text1", "text2", "Story"} {
					if got := river(t, s, tidings.EntryQuery{Search: word}); len(got) > 0 {
						t.Errorf("%q still finds %+v", word, got)
					}
				}
				if got := river(t, s, tidings.EntryQuery{Search: "Withdrawn"}); len(got) != 3 {
					t.Errorf("the notice is found %d times, not as each of 3 revisions", len(got))
				}
				items, err := s.Content.WithdrawnItems(t.Context(), feedURL)
				if err != nil || len(items) != 1 || items[0].ID != markOf("a", "").ID {
					t.Errorf("withdrawn: %+v, %v", items, err)
				}
			})
		}
	}
}

// An item that is withdrawn does not come back because a document says nothing of that any more.
func TestAWithdrawnItemStaysWithoutItsNews(t *testing.T) {
	for name, kill := range map[string]func(*tidings.News){"canceled": canceled, "withheld": withheld} {
		s := newStore(t)
		follow(t, s, feedURL)
		deliver(t, s, version(1))
		deliver(t, s, version(2, kill))
		if u := publish(t, s, feedURL, story{"a", "text1"}); u != nil {
			t.Errorf("%s: told %+v", name, u)
		}
		if all := readable(t, s); strings.Contains(all, "text1") {
			t.Errorf("%s: it is back: %s", name, all)
		}
	}
}

// A correction that keeps its number is reported if any field that readers see has changed, and only then.
func TestOneFieldOfACorrection(t *testing.T) {
	for name, edit := range map[string]func(*tidings.FoundItem){
		"none":     func(*tidings.FoundItem) {},
		"title":    func(i *tidings.FoundItem) { i.Title = "Corrected" },
		"summary":  func(i *tidings.FoundItem) { i.Summary = "corrected" },
		"content":  func(i *tidings.FoundItem) { i.Content = "<p>corrected</p>" },
		"headline": func(i *tidings.FoundItem) { i.News.Headline = "Corrected" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			follow(t, s, feedURL)
			deliver := func(print string, edit func(*tidings.FoundItem)) *tidings.Update {
				f := document(t, s, feedURL, story{"a", print})
				news := version(1).news
				i := &f.Items[0]
				i.News, i.Summary, i.Content = &news, "summary", "<p>text</p>"
				edit(i)
				return record(t, s, content.Record{URL: feedURL, Change: f})
			}
			if deliver("first", func(*tidings.FoundItem) {}) == nil {
				t.Fatal("nothing was told")
			}
			if u := deliver("second", edit); (u != nil) != (name != "none") {
				t.Errorf("told: %+v", u)
			}
			if u := deliver("third", edit); u != nil {
				t.Errorf("told again: %+v", u)
			}
		})
	}
}
