package store

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"tidings"
)

var accountURLs = []string{feedURL, "https://example.org/second", "https://example.org/third"}

// viewOf returns all that an account is given, each part as text.
func viewOf(t *testing.T, s *Store, account tidings.AccountID) map[string]string {
	t.Helper()
	ctx := t.Context()
	v := make(map[string]any)
	v["password"] = noError(s.Reader.PasswordHash(ctx, account))
	v["channels"] = noError(s.Channels(ctx, account))
	for _, url := range accountURLs {
		f, err := s.Channel(ctx, account, url)
		v[url] = fmt.Sprintf("%+v, %v", f, err)
	}
	v["river"] = noError(s.Entries(ctx, account, tidings.EntryQuery{}))
	v["unread"] = noError(s.Entries(ctx, account, tidings.EntryQuery{Unread: true}))
	v["starred"] = noError(s.Entries(ctx, account, tidings.EntryQuery{Starred: true}))
	v["found"] = noError(s.Entries(ctx, account, tidings.EntryQuery{Search: "one"}))
	v["updates"] = noError(s.Reader.Updates(ctx, account, tidings.UpdateQuery{}))
	v["tokens"] = tokensOf(t, s, account)
	v["feeds"] = noError(s.FeedAddresses.FeedAddressesOf(ctx, account))
	v["passkeys"] = noError(s.Passkeys.PasskeysOf(ctx, account))
	v["session"], _ = s.Reader.Session(ctx, [32]byte{1, byte(account)})
	text := make(map[string]string)
	for what, part := range v {
		text[what] = fmt.Sprintf("%+v", part)
	}
	return text
}

func tokensOf(t *testing.T, s *Store, account tidings.AccountID) []tidings.Token {
	t.Helper()
	all, err := s.Reader.Tokens(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What one account does changes nothing that another account receives, whichever came first. Each receives its own.
func TestAccountsAreKeptApart(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	accounts := []tidings.AccountID{tidings.Owner, secondAccount(t, s)}
	name := func(account tidings.AccountID, url string) string { return fmt.Sprint(account, " ", url) }
	for i, account := range accounts {
		if err := s.Reader.SetPasswordHash(ctx, account, name(account, "hash")); err != nil {
			t.Fatal(err)
		}
		for _, url := range accountURLs[i:] { // the first of them the second account does not follow
			n := Subscription{URL: url, Privacy: tidings.Public, Name: name(account, url),
				Folder: fmt.Sprint("of ", account)}
			if _, _, err := s.Subscribe(ctx, account, n); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Reader.CreateToken(ctx, [32]byte{2, byte(account)}, account,
			tidings.Token{Label: name(account, "token")}); err != nil {
			t.Fatal(err)
		}
		if err := s.Reader.CreateSession(ctx, [32]byte{1, byte(account)}, account, clk.now().Add(time.Hour),
			""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.FeedAddresses.AddFeedAddress(ctx, [32]byte{3, byte(account)}, account,
			folderFeed("news")); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if err := s.Passkeys.AddPasskey(ctx, passkeyOf(account, byte(i)), [32]byte{1, byte(account)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, url := range accountURLs {
		publish(t, s, url, story{"a", "one"}, story{"b", "two"}, story{"c", "three"})
	}
	for _, account := range accounts {
		if hash, err := s.Reader.PasswordHash(ctx, account); err != nil || hash != name(account, "hash") {
			t.Errorf("account %d has the password %q, %v", account, hash, err)
		}
		if got, err := s.Reader.Token(ctx, [32]byte{2, byte(account)}); err != nil || got != account {
			t.Errorf("the token of account %d is %d's, %v", account, got, err)
		}
		if got, err := s.Reader.Session(ctx, [32]byte{1, byte(account)}); err != nil || got != account {
			t.Errorf("the session of account %d is %d's, %v", account, got, err)
		}
		if all := tokensOf(t, s, account); len(all) != 1 || all[0].Label != name(account, "token") {
			t.Errorf("account %d has the tokens %+v", account, all)
		}
		all, err := s.Channels(ctx, account)
		if err != nil || len(all) != len(accountURLs)-int(account)+1 {
			t.Errorf("account %d follows %+v, %v", account, all, err)
		}
		for _, f := range all {
			alone, err := s.Channel(ctx, account, f.URL)
			if err != nil || !reflect.DeepEqual(alone, f) || f.Name != name(account, f.URL) ||
				f.Folder != fmt.Sprint("of ", account) || f.Unread != 3 {
				t.Errorf("account %d is given %+v, and alone %+v, %v", account, f, alone, err)
			}
		}
	}
	_, err := s.Channel(ctx, accounts[1], accountURLs[0])
	mustErr(t, err, tidings.ErrNotFollowed)
	for i, account := range accounts {
		other := accounts[1-i]
		shared := accountURLs[1+i] // another one for each
		var first tidings.Entry
		for _, e := range noError(s.Entries(ctx, account, tidings.EntryQuery{Channel: shared})) {
			first = e
		}
		text := name(account, "new")
		for _, act := range []struct {
			what string
			do   func() error
		}{
			{"marks as read", func() error { return s.Reader.MarkRead(ctx, account, []int64{first.Item}, true) }},
			{"marks as unread", func() error { return s.Reader.MarkRead(ctx, account, []int64{first.Item}, false) }},
			{"stars", func() error { return s.Reader.Star(ctx, account, first.Item, true) }},
			{"changes name and folder", func() error {
				return s.Change(ctx, account, shared,
					Change{ChannelChange: tidings.ChannelChange{Name: &text, Folder: &text}})
			}},
			{"marks all as read", func() error {
				_, err := s.MarkAllRead(ctx, account, tidings.EntryQuery{}, first.ID+100)
				return err
			}},
			{"takes its star away", func() error { return s.Reader.Star(ctx, account, first.Item, false) }},
			{"reads its feed", func() error {
				_, _, err := s.FeedAddresses.FeedAddress(ctx, [32]byte{3, byte(account)})
				return err
			}},
			{"removes its feed", func() error {
				return s.FeedAddresses.RemoveFeedAddress(ctx, account,
					noError(s.FeedAddresses.FeedAddressesOf(ctx, account))[0].ID)
			}},
			{"uses its passkey", func() error {
				return s.Passkeys.UsePasskey(ctx, noError(s.Passkeys.PasskeysOf(ctx, account))[0].ID, 9)
			}},
			{"removes its passkey", func() error {
				return s.Passkeys.RemovePasskey(ctx, account, noError(s.Passkeys.PasskeysOf(ctx, account))[0].ID)
			}},
			{"changes its password", func() error { return s.Reader.SetPasswordHash(ctx, account, text) }},
			{"unsubscribes", func() error { _, err := s.Unsubscribe(ctx, account, shared); return err }},
			{"subscribes again", func() error {
				_, _, err := s.Subscribe(ctx, account, Subscription{URL: shared, Privacy: tidings.Public, Name: text})
				return err
			}},
			{"deletes its token", func() error {
				return s.Reader.DeleteToken(ctx, account, tokensOf(t, s, account)[0].ID)
			}},
		} {
			mine, others := viewOf(t, s, account), viewOf(t, s, other)
			if err := act.do(); err != nil {
				t.Fatalf("account %d %s: %v", account, act.what, err)
			}
			for what, now := range viewOf(t, s, other) {
				if now != others[what] {
					t.Errorf("account %d %s, and of account %d %s %s\nbecomes %s", account, act.what, other, what,
						others[what], now)
				}
			}
			if now := viewOf(t, s, account); reflect.DeepEqual(now, mine) {
				t.Errorf("account %d %s, and nothing has changed", account, act.what)
			}
		}
		for _, token := range tokensOf(t, s, other) {
			mustErr(t, s.Reader.DeleteToken(ctx, account, token.ID), tidings.ErrNotFound)
		}
	}
}
