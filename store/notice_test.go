package store

import (
	"reflect"
	"strings"
	"testing"

	"tidings"
	"tidings/store/content"
)

func noticeOf(kind tidings.Kind) *tidings.Change {
	return &tidings.Change{Kind: kind,
		Notice: &tidings.Item{ID: "urn:ended", URL: feedURL, Title: "This channel has ended", Content: "<p>gone</p>"}}
}

func TestNoticeKeepsTheContent(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	follow(t, s, pageURL)
	publish(t, s, feedURL, story{"a", "x"})
	lines := []string{"1", "2"}
	record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, lines)})
	for url, kind := range map[string]tidings.Kind{feedURL: tidings.KindFeed, pageURL: tidings.KindPage} {
		before, err := s.Content.State(t.Context(), url, 0)
		if err != nil {
			t.Fatal(err)
		}
		u := record(t, s, content.Record{URL: url, Ended: true, Health: tidings.HealthEnded, Change: noticeOf(kind)})
		if u.Version != 2 || len(u.Items) != 1 || u.Items[0].ID != "urn:ended" {
			t.Fatalf("%s: told %+v", kind, u)
		}
		if read, err := s.Reader.Update(t.Context(), tidings.Owner, u.ID); err != nil || !reflect.DeepEqual(read, *u) {
			t.Errorf("%s: read %+v, told %+v (%v)", kind, read, u, err)
		}
		after, err := s.Content.State(t.Context(), url, 0)
		if err != nil || !reflect.DeepEqual(after.Items, before.Items) ||
			!reflect.DeepEqual(after.Lines, before.Lines) {
			t.Errorf("%s: content %+v, was %+v (%v)", kind, after, before, err)
		}
	}
	if w, err := s.Content.Watch(t.Context(), feedURL); err != nil || !w.Ended {
		t.Errorf("watch: %+v, %v", w, err)
	}
	if got := river(t, s, tidings.EntryQuery{Search: "gone"}); len(got) != 2 {
		t.Errorf("search finds %d notices, want 2", len(got))
	}
	// Polled again by hand, they go on where they were.
	if u := publish(t, s, feedURL, story{"b", "y"}, story{"a", "x"}); u == nil || u.Version != 3 || len(u.Items) != 1 {
		t.Errorf("feed after its end: %+v", u)
	}
	if u := record(t, s, content.Record{URL: pageURL, Change: pageChange(lines, []string{"3"})}); u.Version != 3 {
		t.Errorf("page after its end: %+v", u)
	}
}

// RFC 3229: what is missing from a part of a document has not left it.
func TestPartOfADocument(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "y"})
	f := document(t, s, feedURL, story{"c", "z"}, story{"b", "new"})
	f.Partial = true
	record(t, s, content.Record{URL: feedURL, Change: f})
	state, err := s.Content.State(t.Context(), feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, i := range state.Items {
		ids = append(ids, i.ID)
	}
	if got := strings.Join(ids, " "); got != "c b a" {
		t.Errorf("state has %s", got)
	}
}

func TestDocumentOfTheLatestVersionIsKept(t *testing.T) {
	s := newStore(t)
	follow(t, s, pageURL)
	if raw, kind, err := s.Content.Document(t.Context(), pageURL); err != nil || raw != nil || kind != "" {
		t.Errorf("document of a fresh page: %q %q %v", raw, kind, err)
	}
	for i, before := range [][]string{nil, {"0"}} {
		f := pageChange(before, []string{string(rune('0' + i))})
		f.Raw, f.RawType = []byte(strings.Repeat("<p>\xff", 100*(i+1))), "text/html"
		record(t, s, content.Record{URL: pageURL, Change: f})
		if raw, kind, err := s.Content.Document(t.Context(), pageURL); err != nil || string(raw) != string(f.Raw) ||
			kind != "text/html" {
			t.Errorf("document: %d bytes, %q, %v", len(raw), kind, err)
		}
	}
}
