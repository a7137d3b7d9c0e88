package store

import (
	"strings"
	"testing"

	"tidings"
	"tidings/store/content"
)

const pageURL = "https://example.org/page"

func TestPageVersions(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	follow(t, s, pageURL)
	if lines, hash, v, err := s.Content.Lines(ctx, pageURL); err != nil || lines != nil || hash != "" || v != 0 {
		t.Fatalf("lines of a fresh page: %q %q %d %v", lines, hash, v, err)
	}
	one, two := []string{"price 10"}, []string{"price 12", "", "sold out"}
	u := record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, one)})
	if u.Version != 1 || u.Hash != hashOf(one) || u.Items != nil {
		t.Fatalf("version 1: %+v", u)
	}
	if u := record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, one)}); u != nil {
		t.Fatalf("the same lines made an update: %+v", u)
	}
	_, err := apply(ctx, s, &Record{Record: content.Record{URL: pageURL, Change: pageChange(two, []string{"x"})}})
	mustErr(t, err, tidings.ErrStale)

	f := pageChange(one, two)
	u = record(t, s, content.Record{URL: pageURL, Change: f})
	lines, hash, v, err := s.Content.Lines(ctx, pageURL)
	if err != nil || strings.Join(lines, "|") != "price 12||sold out" || hash != hashOf(two) || v != 2 {
		t.Fatalf("lines: %q %q %d %v", lines, hash, v, err)
	}
	for v, want := range map[tidings.Version]string{1: "price 10", 2: "price 12||sold out", 0: "price 12||sold out"} {
		state, err := s.Content.State(ctx, pageURL, v)
		if err != nil || strings.Join(state.Lines, "|") != want {
			t.Errorf("state %d: %+v, %v", v, state, err)
		}
	}
	entries := river(t, s, tidings.EntryQuery{})
	if len(entries) != 2 || entries[0].Delta != f.Delta || entries[0].Kind != tidings.KindPage ||
		entries[0].Content.Title != "A page" ||
		entries[0].Change != tidings.Changed || entries[1].Change != tidings.New || entries[0].Item == entries[1].Item {
		t.Fatalf("entries: %+v", entries)
	}
	if got, err := s.Reader.Update(ctx, tidings.Owner, u.ID); err != nil || got.Delta != f.Delta ||
		got.BaseHash != hashOf(one) {
		t.Fatalf("update: %+v, %v", got, err)
	}
	found := river(t, s, tidings.EntryQuery{Search: "sold"})
	if len(found) != 1 || found[0].Snippet != "price 12 \u0002sold\u0003 out" {
		t.Fatalf("search: %+v", found)
	}
	if known, err := s.Content.KnownItems(ctx, pageURL); err != nil || len(known) != 0 {
		t.Fatalf("known items of a page: %v, %v", known, err)
	}
}

func TestPageBecomesFeedAndBack(t *testing.T) {
	s := newStore(t)
	follow(t, s, pageURL)
	record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, []string{"a"})})
	if u := publish(t, s, pageURL, story{"x", "y"}); u.Version != 2 || u.Kind != tidings.KindFeed {
		t.Fatalf("feed: %+v", u)
	}
	_, hash, v, err := s.Content.Lines(t.Context(), pageURL)
	if err != nil || hash != "" || v != 2 {
		t.Fatalf("lines: %q %d %v", hash, v, err)
	}
	if u := record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, []string{"a"})}); u.Version != 3 {
		t.Fatalf("page: %+v", u)
	}
	state, err := s.Content.State(t.Context(), pageURL, 2)
	if err != nil || len(state.Items) != 1 || state.Kind != tidings.KindFeed {
		t.Fatalf("state: %+v, %v", state, err)
	}
}

// A quiet version of a page is kept, and compared with, and nobody is notified of it: it is no item and in no outbox.
func TestQuietVersionsOfAPage(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	follow(t, s, pageURL)
	phone := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	one, two, three := []string{"price 10"}, []string{"price 11"}, []string{"price 19"}
	record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, one)})
	quiet := pageChange(one, two)
	quiet.Quiet = true
	if u := record(t, s, content.Record{URL: pageURL, Change: quiet}); u == nil || u.Version != 2 ||
		u.Delta != quiet.Delta {
		t.Fatalf("the quiet version: %+v", u)
	}
	nothingIsNext(t, s, phone.ID)
	if entries := river(t, s, tidings.EntryQuery{}); len(entries) != 1 || entries[0].Version != 1 {
		t.Errorf("entries: %+v", entries)
	}
	if f, err := s.Channel(ctx, tidings.Owner, pageURL); err != nil || f.Unread != 1 || f.Version != 2 {
		t.Errorf("the channel: %+v, %v", f, err)
	}
	if state, err := s.Content.State(ctx, pageURL, 2); err != nil || strings.Join(state.Lines, "|") != "price 11" {
		t.Errorf("state: %+v, %v", state, err)
	}
	if found := river(t, s, tidings.EntryQuery{Search: "11"}); len(found) != 0 {
		t.Errorf("search: %+v", found)
	}
	loud := pageChange(two, three)
	if u := record(t, s, content.Record{URL: pageURL, Change: loud}); u == nil || u.Version != 3 {
		t.Fatalf("the next version: %+v", u)
	}
	if entries := river(t, s, tidings.EntryQuery{}); len(entries) != 2 || entries[0].Version != 3 ||
		entries[0].Delta != loud.Delta {
		t.Errorf("entries: %+v", entries)
	}
	if job := next(t, s, phone.ID); job.Parts[0].Update.Version != 3 {
		t.Errorf("the phone is sent %+v", job.Parts)
	}
	_, err := apply(ctx, s, &Record{Record: content.Record{URL: pageURL, Change: quiet}})
	mustErr(t, err, tidings.ErrStale)
}
