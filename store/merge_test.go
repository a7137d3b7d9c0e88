package store

import (
	"reflect"
	"testing"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
)

// Of an account that follows both channels, what it has read in one is read; of one that follows the first alone, what
// it has not read, and what only the other has, is unread. A channel with a password, or that nobody follows, is not
// merged.
func TestMergedChannelsKeepWhatWasRead(t *testing.T) {
	const from, to = "https://old.example/feed", "https://new.example/feed"
	s, ctx := newStore(t), t.Context()
	second := tidings.AccountID(2)
	if err := s.write(ctx, func(t *content.Tx) error {
		return db.Exec(t.Conn, `INSERT INTO account (id, name) VALUES (2, 'second')`)
	}); err != nil {
		t.Fatal(err)
	}
	follow(t, s, from)
	if _, _, err := s.Subscribe(ctx, second,
		Subscription{URL: from, Privacy: tidings.Public, Name: "Mine"}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, from, story{"b", "second"}, story{"a", "first"})
	if merged, err := s.Merge(ctx, from, to); err != nil || merged {
		t.Fatalf("merged into what nobody follows: %v, %v", merged, err)
	}
	follow(t, s, to)
	publish(t, s, to, story{"c", "third"}, story{"b", "second"}, story{"a", "first"})
	read := river(t, s, tidings.EntryQuery{Channel: from})[1].Item // a
	for _, account := range []tidings.AccountID{tidings.Owner, second} {
		if err := s.Reader.MarkRead(ctx, account, []int64{read}, true); err != nil {
			t.Fatal(err)
		}
	}
	if merged, err := s.Merge(ctx, from, to); err != nil || !merged {
		t.Fatalf("merged %v, %v", merged, err)
	}
	for account, name := range map[tidings.AccountID]string{tidings.Owner: "", second: "Mine"} {
		all, err := s.Channels(ctx, account)
		if err != nil || len(all) != 1 || all[0].URL != to || all[0].Unread != 2 || all[0].Name != name {
			t.Errorf("account %d follows %+v, %v", account, all, err)
		}
		unread, err := s.Entries(ctx, account, tidings.EntryQuery{Unread: true, Limit: 10})
		if err != nil || titles(unread) != "c b" {
			t.Errorf("account %d has unread %q, %v", account, titles(unread), err)
		}
	}
	if merged, err := s.Merge(ctx, from, to); err != nil || merged {
		t.Errorf("merged again: %v, %v", merged, err)
	}
}

// What is starred is kept, though the channel goes on at another address whose text of it retention has removed.
func TestAStarOutlivesAMerger(t *testing.T) {
	t.Parallel()
	const from, to = "https://old.example/feed", "https://new.example/feed"
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now, c.Retention.Age = clk.now, 10*day })
	ctx := t.Context()
	follow(t, s, to)
	publish(t, s, to, story{"a", "x"}, story{"b", "x"})
	clk.add(9 * day)
	publish(t, s, to, story{"b", "x"}, story{"c", "x"})
	follow(t, s, from)
	publish(t, s, from, story{"a", "x"}, story{"b", "x"})
	for _, e := range river(t, s, tidings.EntryQuery{Channel: from}) {
		if err := s.Reader.Star(ctx, tidings.Owner, e.Item, true); err != nil {
			t.Fatal(err)
		}
	}
	clk.add(2 * day)
	pruneAll(t, s, clk.now())
	if merged, err := s.Merge(ctx, from, to); err != nil || !merged {
		t.Fatal(merged, err)
	}
	clk.add(100 * day)
	pruneAll(t, s, clk.now())
	if got := river(t, s, tidings.EntryQuery{Starred: true}); titles(got) != "b" || got[0].Channel != to {
		t.Errorf("starred in the other channel: %+v", got)
	}
	follow(t, s, from)
	if got := river(t, s, tidings.EntryQuery{Starred: true, Channel: from}); titles(got) != "a" ||
		got[0].Content.Content != "<p>x</p>" {
		t.Errorf("starred in the first: %+v", got)
	}
	mustBeSoundNow(t, s)
}

// A channel is merged only if every one of the conditions holds: with all but one nothing changes.
func TestOneConditionLessForbidsAMerger(t *testing.T) {
	t.Parallel()
	const from, to = "https://old.example/feed", "https://new.example/feed"
	leave := func(url string) func(*testing.T, *Store) {
		return func(t *testing.T, s *Store) {
			if _, err := s.Unsubscribe(t.Context(), tidings.Owner, url); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		edit  func(n *Subscription) // of the second channel
		then  func(*testing.T, *Store)
		into  string
		fresh bool // the second channel has no version
		merge bool
	}{
		"with all of them":          {merge: true},
		"nobody follows the first":  {then: leave(from)},
		"nobody follows the second": {then: leave(to)},
		"the second has no version": {fresh: true},
		"another privacy":           {edit: func(n *Subscription) { n.Privacy = tidings.Unlisted }},
		"other options":             {edit: func(n *Subscription) { n.Options.Ignore = []string{"#menu"} }},
		"a password": {edit: func(n *Subscription) {
			n.Access = tidings.Access{User: "me", Password: "secret"}
		}},
		"another kind":                {edit: func(n *Subscription) { n.Kind = tidings.KindPage }},
		"into itself":                 {into: from},
		"into a channel nobody knows": {into: "https://none.example/feed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ctx := newStore(t), t.Context()
			second := Subscription{URL: to, Privacy: tidings.Public}
			if c.edit != nil {
				c.edit(&second)
			}
			follow(t, s, from)
			if _, _, err := s.Subscribe(ctx, tidings.Owner, second); err != nil {
				t.Fatal(err)
			}
			publish(t, s, from, story{"a", "one"})
			switch {
			case c.fresh:
			case second.Kind == tidings.KindPage:
				record(t, s, content.Record{URL: to, Change: pageChange(nil, []string{"one"})})
			default:
				publish(t, s, to, story{"a", "one"})
			}
			if c.then != nil {
				c.then(t, s)
			}
			before, err := s.Channels(ctx, tidings.Owner)
			if err != nil {
				t.Fatal(err)
			}
			into := to
			if c.into != "" {
				into = c.into
			}
			merged, err := s.Merge(ctx, from, into)
			if err != nil || merged != c.merge {
				t.Fatalf("merged: %v, %v", merged, err)
			}
			after, err := s.Channels(ctx, tidings.Owner)
			if err != nil || reflect.DeepEqual(before, after) == c.merge {
				t.Errorf("before: %+v\nafter: %+v, %v", before, after, err)
			}
		})
	}
}
