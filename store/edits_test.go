package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/store/reader"
)

// shown returns an account's articles as "number text", with "+" before those that are unread and "*" behind starred
// ones.
func shown(t testing.TB, s *Store, account tidings.AccountID) (all []string) {
	t.Helper()
	a := NewArticles(s)
	numbers, err := a.Numbers(t.Context(), account, reader.ArticleQuery{Ascending: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := a.Of(t.Context(), account, numbers)
	if err != nil || len(found) != len(numbers) {
		t.Fatalf("%d articles of %d, %v", len(found), len(numbers), err)
	}
	for _, one := range found {
		text := fmt.Sprintf("%d %s", one.Number, strings.Trim(one.Content.Content, "</p>"))
		if !one.Read {
			text = "+" + text
		}
		if one.Starred {
			text += "*"
		}
		all = append(all, text)
	}
	return all
}

func mustShow(t testing.TB, s *Store, account tidings.AccountID, want ...string) {
	t.Helper()
	if got := shown(t, s, account); !slices.Equal(got, want) {
		t.Errorf("account %d is shown %q, want %q", account, got, want)
	}
}

func setEdits(t testing.TB, s *Store, wanted bool) {
	t.Helper()
	if err := s.Change(t.Context(), tidings.Owner, feedURL,
		Change{ChannelChange: tidings.ChannelChange{EditsAsItems: &wanted}}); err != nil {
		t.Fatal(err)
	}
}

// For an account that has edits as items, an edit is one more article; for others it is not. On the page it is one item
// to all. An account that reads the item there has read its edits. An account that reads an edit elsewhere has read
// nothing on the page.
func TestEditsAreItemsToWhoWantsThem(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	second := secondAccount(t, s)
	follow(t, s, feedURL)
	if _, _, err := s.Subscribe(ctx, second, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"a", "old"})
	a, yes := NewArticles(s), true
	mark := func(number int64, c reader.ArticleChange) {
		t.Helper()
		if err := a.Change(ctx, tidings.Owner, []int64{number}, c); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, s, feedURL, story{"a", "older"}) // before it is wanted
	setEdits(t, s, true)
	if f, err := s.Channel(ctx, tidings.Owner, feedURL); err != nil || !f.EditsAsItems {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := s.Channel(ctx, second, feedURL); err != nil || f.EditsAsItems {
		t.Errorf("to another it is so, too: %+v, %v", f, err)
	}
	mark(1, reader.ArticleChange{Read: &yes})
	publish(t, s, feedURL, story{"b", "other"}, story{"a", "new"})
	mustShow(t, s, tidings.Owner, "1 older", "+2 other", "+3 new")
	mustShow(t, s, second, "+1 new", "+2 other")
	if got := titles(river(t, s, tidings.EntryQuery{Unread: true})); got != "b a" {
		t.Errorf("on the page %q is unread", got)
	}

	mark(3, reader.ArticleChange{Read: &yes, Starred: &yes})
	mustShow(t, s, tidings.Owner, "1 older*", "+2 other", "3 new*")
	if got := river(t, s, tidings.EntryQuery{Unread: true, Starred: true}); len(got) != 1 || got[0].Item != 1 ||
		got[0].Content.Content != "<p>new</p>" {
		t.Errorf("starred and unread on the page is %+v", got)
	}
	mark(1, reader.ArticleChange{Read: &yes}) // it is so already: a program repeats what it knows
	if got := titles(river(t, s, tidings.EntryQuery{Unread: true})); got != "b a" {
		t.Errorf("a mark that changes nothing leaves %q unread on the page", got)
	}

	publish(t, s, feedURL, story{"b", "other"}, story{"a", "newer"})
	mustShow(t, s, tidings.Owner, "1 older*", "+2 other", "3 new*", "+4 newer*")
	if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{1}, true); err != nil {
		t.Fatal(err)
	}
	mustShow(t, s, tidings.Owner, "1 older*", "+2 other", "3 new*", "4 newer*")

	publish(t, s, feedURL, story{"c", "third"}, story{"b", "other"}, story{"a", "newest"})
	mustShow(t, s, tidings.Owner, "1 older*", "+2 other", "3 new*", "4 newer*", "+5 third", "+6 newest*")
	setEdits(t, s, false)
	mustShow(t, s, tidings.Owner, "+1 newest*", "+2 other", "+5 third")
	setEdits(t, s, true)
	publish(t, s, feedURL, story{"c", "third"}, story{"b", "other, too"}, story{"a", "newest"})
	mustShow(t, s, tidings.Owner, "+1 newest*", "+2 other", "+5 third", "+7 other, too")
	if _, err := s.Unsubscribe(ctx, tidings.Owner, feedURL); err != nil {
		t.Fatal(err)
	}
	mustShow(t, s, tidings.Owner)
}

// What retention removes is listed no longer. An item stays as read as it was, though the text that was read is gone.
func TestEditsGoWithTheirTexts(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	follow(t, s, feedURL)
	setEdits(t, s, true)
	publish(t, s, feedURL, story{"a", "1"}, story{"b", "1"})
	all := shown(t, s, tidings.Owner)
	if !slices.Equal(all, []string{"+1 1", "+2 1"}) {
		t.Fatalf("%q", all)
	}
	if err := s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{1}, true); err != nil {
		t.Fatal(err)
	}
	clk.add(100 * day)
	publish(t, s, feedURL, story{"a", "2"}, story{"b", "1"})
	clk.add(100 * day)
	publish(t, s, feedURL, story{"a", "3"}, story{"b", "1"})
	mustShow(t, s, tidings.Owner, "1 1", "+2 1", "+3 2", "+4 3")
	clk.add(200 * day)
	pruneAll(t, s, clk.now()) // the first text is older than a year
	mustShow(t, s, tidings.Owner, "1 3", "+2 1", "+3 2", "+4 3")
	clk.add(100 * day)
	pruneAll(t, s, clk.now())
	mustShow(t, s, tidings.Owner, "1 3", "+2 1", "+4 3")
	clk.add(100 * day)
	publish(t, s, feedURL, story{"c", "1"})
	pruneAll(t, s, clk.now().Add(2*day))
	mustShow(t, s, tidings.Owner, "+5 1")
}

// An account that moves to another address has edits there from then on, and none from before.
func TestAMergerKeepsThatEditsAreItems(t *testing.T) {
	t.Parallel()
	const to = "https://new.example/feed"
	s, ctx := newStore(t), t.Context()
	second := secondAccount(t, s)
	follow(t, s, feedURL)
	setEdits(t, s, true)
	if _, _, err := s.Subscribe(ctx, second,
		Subscription{URL: to, Privacy: tidings.Public, EditsAsItems: true}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"a", "1"})
	publish(t, s, to, story{"a", "1"})
	publish(t, s, to, story{"a", "2"})
	mustShow(t, s, second, "+2 1", "+3 2")
	if merged, err := s.Merge(ctx, feedURL, to); err != nil || !merged {
		t.Fatalf("merged %v, %v", merged, err)
	}
	mustShow(t, s, tidings.Owner, "+2 2")
	publish(t, s, to, story{"a", "3"})
	mustShow(t, s, tidings.Owner, "+2 2", "+4 3")
	mustShow(t, s, second, "+2 1", "+3 2", "+4 3")
}
