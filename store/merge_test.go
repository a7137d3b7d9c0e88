package store

import (
	"testing"

	"tidings"
)

// Of an account that follows both channels, what it has read in one is read; of one that follows the first alone, what it
// has not read, and what only the other has, is unread. A channel with a password, or that nobody follows, is not merged.
func TestMergedChannelsKeepWhatWasRead(t *testing.T) {
	const from, to = "https://old.example/feed", "https://new.example/feed"
	s, ctx := newStore(t), t.Context()
	second := tidings.AccountID(2)
	if err := s.write(ctx, func(t *tx) error { return exec(t.Conn, `INSERT INTO account (id, name) VALUES (2, 'second')`) }); err != nil {
		t.Fatal(err)
	}
	follow(t, s, from)
	if _, _, err := s.Subscribe(ctx, second, Subscription{URL: from, Privacy: tidings.Public, Name: "Mine"}); err != nil {
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
		if err := s.MarkRead(ctx, account, []int64{read}, true); err != nil {
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
