package store

import (
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/db"
	"tidings/store/fulltext"
)

const fullText = "<p>The whole of it, with the word zeppelin.</p>"

func wantFullText(t testing.TB, s *Store, account tidings.AccountID, wanted bool) {
	t.Helper()
	if err := s.Change(t.Context(), account, feedURL,
		Change{ChannelChange: tidings.ChannelChange{FullText: &wanted}}); err != nil {
		t.Fatal(err)
	}
}

// due returns the items whose full text is to be fetched.
func due(t testing.TB, s *Store, at time.Time) (items []int64) {
	t.Helper()
	orders, err := NewFullTexts(s).Due(t.Context(), at, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range orders {
		if !strings.HasPrefix(o.URL, "http") || o.Channel != feedURL || o.Feed == "" {
			t.Errorf("order %+v", o)
		}
		items = append(items, o.Item)
	}
	return items
}

// fullTextOf returns the full text that an account sees of the newest entry.
func fullTextOf(t testing.TB, s *Store, account tidings.AccountID) *tidings.FullText {
	t.Helper()
	newest, err := s.Entries(t.Context(), account, tidings.EntryQuery{Limit: 1})
	if err != nil || len(newest) != 1 {
		t.Fatalf("%d entries, %v", len(newest), err)
	}
	e, err := s.Reader.Entry(t.Context(), account, newest[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := newest[0].FullText, e.FullText; (a == nil) != (b == nil) ||
		a != nil && (a.Preferred != b.Preferred || a.Before != "" || !a.Preferred && a.Content != "") {
		t.Errorf("among others %+v, alone %+v", a, b)
	}
	return e.FullText
}

func keepFullText(t testing.TB, s *Store, item int64, text string, shorter bool) {
	t.Helper()
	if err := NewFullTexts(s).Keep(t.Context(), item, text, shorter); err != nil {
		t.Fatal(err)
	}
}

// If an account wants the full text of all items of a channel, that of new items is wanted as soon as they are stored.
// It is fetched once.
func TestFullTextOfAChannel(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	second := secondAccount(t, s)
	follow(t, s, feedURL)
	if _, _, err := s.Subscribe(t.Context(), second, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"a", "before"})
	now := s.config.Now()
	if got := due(t, s, now); len(got) != 0 {
		t.Errorf("nobody wants it, and %v are due", got)
	}
	wantFullText(t, s, tidings.Owner, true)
	publish(t, s, feedURL, story{"b", "teaser"}, story{"a", "before"})
	item := river(t, s, tidings.EntryQuery{Limit: 1})[0].Item
	if got := due(t, s, now.Add(time.Hour)); len(got) != 1 || got[0] != item {
		t.Fatalf("due: %v, want %d", got, item)
	}
	if x := fullTextOf(t, s, tidings.Owner); x == nil || x.State != tidings.FullTextWanted || x.Preferred {
		t.Errorf("wanted: %+v", x)
	}
	keepFullText(t, s, item, fullText, false)
	if x := fullTextOf(t, s, tidings.Owner); x == nil || x.State != tidings.FullTextKept || x.Content != fullText ||
		!x.Preferred || x.Fetched.IsZero() {
		t.Errorf("kept: %+v", x)
	}
	if x := fullTextOf(t, s, second); x != nil {
		t.Errorf("another account sees %+v", x)
	}
	// Programs on phones have it in place of the feed's own text.
	of, err := NewArticles(s).Of(t.Context(), tidings.Owner, []int64{item})
	if err != nil || len(of) != 1 || of[0].FullText == nil || of[0].FullText.Content != fullText ||
		of[0].Content.Content != "<p>teaser</p>" {
		t.Errorf("article %+v, %v", of, err)
	}
	if of, err = NewArticles(s).Of(t.Context(), second, []int64{item}); err != nil || of[0].FullText != nil {
		t.Errorf("another's article %+v, %v", of, err)
	}
	// A revision is news of the feed: it is shown as the feed has it, and nothing is fetched unless somebody asks.
	publish(t, s, feedURL, story{"b", "corrected"}, story{"a", "before"})
	if x := fullTextOf(t, s, tidings.Owner); x == nil || !x.Older || x.Preferred || x.Content != fullText {
		t.Errorf("after a revision: %+v", x)
	}
	if got := due(t, s, now.Add(time.Hour)); len(got) != 0 {
		t.Errorf("after a revision %v are due", got)
	}
	wantFullText(t, s, tidings.Owner, false)
	if x := fullTextOf(t, s, tidings.Owner); x != nil {
		t.Errorf("no longer wanted: %+v", x)
	}
	closesSound(t, s)
}

func closesSound(t testing.TB, s *Store) {
	t.Helper()
	dir := s.config.Dir
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, dir)
}

// What a person asks for that person sees alone. It is found by its words, and what it was before it was fetched again
// is kept.
func TestFullTextOnDemand(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx, texts := t.Context(), NewFullTexts(s)
	second := secondAccount(t, s)
	follow(t, s, feedURL)
	if _, _, err := s.Subscribe(ctx, second, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"a", "teaser"})
	item := river(t, s, tidings.EntryQuery{Limit: 1})[0].Item
	ask := func(again bool) {
		t.Helper()
		if err := texts.Ask(ctx, tidings.Owner, item, again); err != nil {
			t.Fatal(err)
		}
	}
	far := s.config.Now().Add(24 * time.Hour)
	ask(false)
	if next, err := texts.Next(ctx); err != nil || next.IsZero() || len(due(t, s, far)) != 1 {
		t.Errorf("asked for: next %v, %v", next, err)
	}
	later := s.config.Now().Add(time.Hour)
	if err := texts.Fail(ctx, item, "the page answered 503", later); err != nil {
		t.Fatal(err)
	}
	if x := fullTextOf(t, s, tidings.Owner); x.State != tidings.FullTextWanted || x.Why != "the page answered 503" ||
		!x.Due.Equal(db.Stored(later)) || len(due(t, s, later.Add(-time.Minute))) != 0 {
		t.Errorf("failed for now: %+v", x)
	}
	if err := texts.Fail(ctx, item, "the page answered 403", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if x := fullTextOf(t, s, tidings.Owner); x.State != tidings.FullTextFailed || x.Why != "the page answered 403" ||
		len(due(t, s, far)) != 0 {
		t.Errorf("failed: %+v", x)
	}
	ask(false)
	if orders, err := texts.Due(ctx, far, item, 1); err != nil || len(orders) != 1 || orders[0].Tries != 0 {
		t.Errorf("asked for again: %+v, %v", orders, err)
	}
	keepFullText(t, s, item, fullText, false)
	for account, want := range map[tidings.AccountID]bool{tidings.Owner: true, second: false} {
		if x := fullTextOf(t, s, account); (x != nil) != want ||
			want && (x.Preferred || x.Before != "" || x.Why != "") {
			t.Errorf("account %d sees %+v", account, x)
		}
	}
	found := river(t, s, tidings.EntryQuery{Search: "zeppelin"})
	if len(found) != 1 || !strings.Contains(found[0].Snippet, "\x02zeppelin\x03") || found[0].FullText.Content != "" {
		t.Errorf("search: %+v", found)
	}
	if found := river(t, s, tidings.EntryQuery{Search: "teaser"}); len(found) != 1 {
		t.Errorf("by its own words %d are found", len(found))
	}
	ask(false)
	if got := due(t, s, far); len(got) != 0 {
		t.Errorf("what is kept is fetched again: %v", got)
	}
	ask(true)
	if x := fullTextOf(t, s, tidings.Owner); x.State != tidings.FullTextWanted || x.Content != fullText {
		t.Errorf("while it is fetched again: %+v", x)
	}
	keepFullText(t, s, item, "<p>Other.</p>", true)
	keepFullText(t, s, item, "<p>Other.</p>", true)
	if x := fullTextOf(t, s, tidings.Owner); x.Before != fullText || x.Content != "<p>Other.</p>" || !x.Shorter {
		t.Errorf("fetched again: %+v", x)
	}
	if found := river(t, s, tidings.EntryQuery{Search: "zeppelin"}); len(found) != 0 {
		t.Errorf("by words that are gone: %+v", found)
	}
	if _, err := s.RemovePerson(ctx, second); err != nil {
		t.Fatal(err)
	}
	closesSound(t, s)
}

// A full text that says less than the feed is not preferred. Of a feed with hundreds of items that of the newest is
// fetched. With its items a full text goes.
func TestFullTextIsBounded(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.Retention.Versions = 1 })
	ctx, texts := t.Context(), NewFullTexts(s)
	if _, _, err := s.Subscribe(ctx, tidings.Owner, Subscription{URL: feedURL, Privacy: tidings.Public, FullText: true,
		Pictures: tidings.PicturesNever}); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Channel(ctx, tidings.Owner, feedURL); err != nil || !f.FullText ||
		f.Pictures != tidings.PicturesNever {
		t.Errorf("%+v, %v", f, err)
	}
	var many []story
	for i := range 60 {
		many = append(many, story{words(i, 1) + string(rune('a'+i%26)) + string(rune('a'+i/26)), "text"})
	}
	publish(t, s, feedURL, many...)
	far := s.config.Now().Add(time.Hour)
	got := due(t, s, far)
	newest := river(t, s, tidings.EntryQuery{Limit: 1})[0].Item
	if len(got) != fulltext.MaxAtOnce || got[0] != newest && got[len(got)-1] != newest {
		t.Errorf("%d are due, %v, newest %d", len(got), got, newest)
	}
	keepFullText(t, s, newest, fullText, true)
	if x := fullTextOf(t, s, tidings.Owner); x.Preferred || !x.Shorter {
		t.Errorf("a shorter one: %+v", x)
	}
	keepFullText(t, s, 99_999, fullText, false) // of an item that is gone by now
	if orders, err := texts.Due(ctx, far, 0, 3); err != nil || len(orders) != 3 {
		t.Errorf("%d of 3, %v", len(orders), err)
	}
	if _, err := s.Unsubscribe(ctx, tidings.Owner, feedURL); err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		var err error
		if done, err = s.Prune(ctx, s.config.Now().Add(400*24*time.Hour), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if got := due(t, s, far); len(got) != 0 {
		t.Errorf("%d outlive their items", len(got))
	}
	closesSound(t, s)
}
