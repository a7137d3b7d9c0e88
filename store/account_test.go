package store

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"tidings"
	"tidings/store/reader"
)

func TestAccounts(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	id, hash, err := s.Reader.Account(ctx, "owner")
	if err != nil || id != tidings.Owner || hash != "" {
		t.Fatalf("owner: %d %q %v", id, hash, err)
	}
	_, _, err = s.Reader.Account(ctx, "nobody")
	mustErr(t, err, tidings.ErrNotFound)
	_, err = s.Reader.PasswordHash(ctx, 99)
	mustErr(t, err, tidings.ErrNotFound)
	mustErr(t, s.Reader.SetPasswordHash(ctx, 99, "x"), tidings.ErrNotFound)
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "argon"); err != nil {
		t.Fatal(err)
	}
	if hash, err := s.Reader.PasswordHash(ctx, tidings.Owner); err != nil || hash != "argon" {
		t.Errorf("hash %q, %v", hash, err)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	expires := clk.now().Add(time.Hour)
	for i := range byte(3) {
		if err := s.Reader.CreateSession(ctx, [32]byte{i}, tidings.Owner, expires); err != nil {
			t.Fatal(err)
		}
	}
	if account, err := s.Reader.Session(ctx, [32]byte{1}); err != nil || account != tidings.Owner {
		t.Fatalf("session of %d, %v", account, err)
	}
	_, err := s.Reader.Session(ctx, [32]byte{9})
	mustErr(t, err, tidings.ErrNotFound)
	if err := s.Reader.DeleteSession(ctx, [32]byte{1}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Reader.Session(ctx, [32]byte{1})
	mustErr(t, err, tidings.ErrNotFound)
	if err := s.Reader.CreateSession(ctx, [32]byte{0}, tidings.Owner, expires.Add(2*time.Hour)); err != nil {
		t.Fatalf("moving the expiry of a session: %v", err)
	}
	clk.add(2 * time.Hour)
	_, err = s.Reader.Session(ctx, [32]byte{2})
	mustErr(t, err, tidings.ErrNotFound)
	if _, err := s.Reader.Session(ctx, [32]byte{0}); err != nil {
		t.Errorf("a session whose expiry was moved: %v", err)
	}

	expires = clk.now().Add(time.Hour)
	for i := range reader.MaxSessions + 5 {
		if err := s.Reader.CreateSession(ctx, [32]byte{1, byte(i), byte(i >> 8)}, tidings.Owner, expires.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = s.Reader.Session(ctx, [32]byte{1, 4})
	mustErr(t, err, tidings.ErrNotFound)
	if _, err := s.Reader.Session(ctx, [32]byte{1, 5}); err != nil {
		t.Errorf("a session within the bound: %v", err)
	}
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "new"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Reader.Session(ctx, [32]byte{1, 5})
	mustErr(t, err, tidings.ErrNotFound)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	ctx := t.Context()
	for i := range reader.MaxTokens {
		if err := s.Reader.CreateToken(ctx, [32]byte{byte(i)}, tidings.Owner, "reader"); err != nil {
			t.Fatal(err)
		}
	}
	mustErr(t, s.Reader.CreateToken(ctx, [32]byte{0xff}, tidings.Owner, "one more"), tidings.ErrInvalid)
	if account, err := s.Reader.Token(ctx, [32]byte{7}); err != nil || account != tidings.Owner {
		t.Fatalf("token of %d, %v", account, err)
	}
	_, err := s.Reader.Token(ctx, [32]byte{0xff})
	mustErr(t, err, tidings.ErrNotFound)
	used := func() tidings.Token {
		t.Helper()
		tokens, err := s.Reader.Tokens(ctx, tidings.Owner)
		if err != nil || len(tokens) < 8 || tokens[7].Label != "reader" || !tokens[6].LastUsed.IsZero() || tokens[7].LastUsed.IsZero() {
			t.Fatalf("tokens: %+v, %v", tokens, err)
		}
		return tokens[7]
	}
	before := used()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir})
	if after := used(); after != before {
		t.Errorf("after opening again %+v, was %+v", after, before)
	}
	mustErr(t, s.Reader.DeleteToken(ctx, 2, before.ID), tidings.ErrNotFound)
	if err := s.Reader.DeleteToken(ctx, tidings.Owner, before.ID); err != nil {
		t.Fatal(err)
	}
	_, err = s.Reader.Token(ctx, [32]byte{7})
	mustErr(t, err, tidings.ErrNotFound)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// At their limit, what is there already can still be changed, and one account's do not count for another.
func TestLimitsOfAccounts(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	second := secondAccount(t, s)
	secret := func(account tidings.AccountID, n int) (h [32]byte) {
		h[0], h[1], h[2] = byte(account), byte(n), byte(n>>8)
		return h
	}
	for n := range reader.MaxTokens {
		for account := tidings.Owner; account <= second; account++ {
			if err := s.Reader.CreateToken(ctx, secret(account, n), account, "t"); err != nil {
				t.Fatalf("token %d of %d: %v", n, account, err)
			}
		}
	}
	for round := range 2 { // one goes, one comes
		mustErr(t, s.Reader.CreateToken(ctx, secret(9, round), second, "t"), tidings.ErrInvalid)
		tokens, err := s.Reader.Tokens(ctx, second)
		if err != nil || len(tokens) != reader.MaxTokens {
			t.Fatalf("%d tokens: %v", len(tokens), err)
		}
		mustErr(t, s.Reader.DeleteToken(ctx, tidings.Owner, tokens[0].ID), tidings.ErrNotFound)
		if err := s.Reader.DeleteToken(ctx, second, tokens[0].ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Reader.CreateToken(ctx, secret(9, round), second, "t"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reader.Token(ctx, secret(second, round)); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("round %d, the oldest: %v", round, err)
		}
	}
	// Of sessions the one that expires first makes room.
	end := clk.now().Add(time.Hour)
	for n := range reader.MaxSessions + 2 {
		for account := tidings.Owner; account <= second; account++ {
			if err := s.Reader.CreateSession(ctx, secret(account, n), account, end.Add(time.Duration(n)*time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Reader.SetPasswordHash(ctx, second, "other"); err != nil {
		t.Fatal(err)
	}
	for n := range reader.MaxSessions + 2 {
		account, err := s.Reader.Session(ctx, secret(tidings.Owner, n))
		if n < 2 != errors.Is(err, tidings.ErrNotFound) || err == nil && account != tidings.Owner {
			t.Errorf("session %d is of %d: %v", n, account, err)
		}
		if _, err := s.Reader.Session(ctx, secret(second, n)); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("session %d of who has another password: %v", n, err)
		}
	}
}

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

// What one account does changes nothing of what another is given, whoever came first, and each is given its own.
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
			n := Subscription{URL: url, Privacy: tidings.Public, Name: name(account, url), Folder: fmt.Sprint("of ", account)}
			if _, _, err := s.Subscribe(ctx, account, n); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Reader.CreateToken(ctx, [32]byte{2, byte(account)}, account, name(account, "token")); err != nil {
			t.Fatal(err)
		}
		if err := s.Reader.CreateSession(ctx, [32]byte{1, byte(account)}, account, clk.now().Add(time.Hour)); err != nil {
			t.Fatal(err)
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
			if err != nil || !reflect.DeepEqual(alone, f) || f.Name != name(account, f.URL) || f.Folder != fmt.Sprint("of ", account) || f.Unread != 3 {
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
				return s.Change(ctx, account, shared, Change{ChannelChange: tidings.ChannelChange{Name: &text, Folder: &text}})
			}},
			{"marks all as read", func() error { _, err := s.MarkAllRead(ctx, account, tidings.EntryQuery{}, first.ID+100); return err }},
			{"takes its star away", func() error { return s.Reader.Star(ctx, account, first.Item, false) }},
			{"changes its password", func() error { return s.Reader.SetPasswordHash(ctx, account, text) }},
			{"unsubscribes", func() error { _, err := s.Unsubscribe(ctx, account, shared); return err }},
			{"subscribes again", func() error {
				_, _, err := s.Subscribe(ctx, account, Subscription{URL: shared, Privacy: tidings.Public, Name: text})
				return err
			}},
			{"deletes its token", func() error { return s.Reader.DeleteToken(ctx, account, tokensOf(t, s, account)[0].ID) }},
		} {
			mine, others := viewOf(t, s, account), viewOf(t, s, other)
			if err := act.do(); err != nil {
				t.Fatalf("account %d %s: %v", account, act.what, err)
			}
			for what, now := range viewOf(t, s, other) {
				if now != others[what] {
					t.Errorf("account %d %s, and of account %d %s %s\nbecomes %s", account, act.what, other, what, others[what], now)
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
