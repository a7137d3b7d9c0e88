package reader_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/store"
	"tidings/store/db"
	"tidings/store/reader"
	"tidings/store/storetest"
)

// clock is a time that tests move by hand.
type clock struct{ micros atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.micros.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) now() time.Time { return time.UnixMicro(c.micros.Add(1)) }

func (c *clock) add(d time.Duration) { c.micros.Add(d.Microseconds()) }

// opened opens a store in a directory of its own; at its end the file must agree with itself.
func opened(t *testing.T, now ...func() time.Time) *store.Store {
	t.Helper()
	config := storetest.Config(t)
	if len(now) > 0 {
		config.Now = now[0]
	}
	s := storetest.Open(t, config)
	t.Cleanup(func() { storetest.Close(t, s, config) })
	return s
}

func secondAccount(t *testing.T, d *db.DB) tidings.AccountID {
	t.Helper()
	if err := d.Write(t.Context(), func(t *db.Tx) error {
		return db.Exec(t.Conn, `INSERT INTO account (id, name, password) VALUES (2, 'second', 'hash')`)
	}); err != nil {
		t.Fatal(err)
	}
	return 2
}

func mustErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func TestAccounts(t *testing.T) {
	s := opened(t).Reader
	ctx := t.Context()
	id, hash, err := s.Account(ctx, "owner")
	if err != nil || id != tidings.Owner || hash != "" {
		t.Fatalf("owner: %d %q %v", id, hash, err)
	}
	_, _, err = s.Account(ctx, "nobody")
	mustErr(t, err, tidings.ErrNotFound)
	_, err = s.PasswordHash(ctx, 99)
	mustErr(t, err, tidings.ErrNotFound)
	mustErr(t, s.SetPasswordHash(ctx, 99, "x"), tidings.ErrNotFound)
	if err := s.SetPasswordHash(ctx, tidings.Owner, "argon"); err != nil {
		t.Fatal(err)
	}
	if hash, err := s.PasswordHash(ctx, tidings.Owner); err != nil || hash != "argon" {
		t.Errorf("hash %q, %v", hash, err)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := opened(t, clk.now).Reader
	ctx := t.Context()
	expires := clk.now().Add(time.Hour)
	for i := range byte(3) {
		if err := s.CreateSession(ctx, [32]byte{i}, tidings.Owner, expires, ""); err != nil {
			t.Fatal(err)
		}
	}
	if account, err := s.Session(ctx, [32]byte{1}); err != nil || account != tidings.Owner {
		t.Fatalf("session of %d, %v", account, err)
	}
	_, err := s.Session(ctx, [32]byte{9})
	mustErr(t, err, tidings.ErrNotFound)
	if err := s.DeleteSession(ctx, [32]byte{1}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Session(ctx, [32]byte{1})
	mustErr(t, err, tidings.ErrNotFound)
	if err := s.CreateSession(ctx, [32]byte{0}, tidings.Owner, expires.Add(2*time.Hour), ""); err != nil {
		t.Fatalf("moving the expiry of a session: %v", err)
	}
	clk.add(2 * time.Hour)
	_, err = s.Session(ctx, [32]byte{2})
	mustErr(t, err, tidings.ErrNotFound)
	if _, err := s.Session(ctx, [32]byte{0}); err != nil {
		t.Errorf("a session whose expiry was moved: %v", err)
	}

	expires = clk.now().Add(time.Hour)
	for i := range reader.MaxSessions + 5 {
		if err := s.CreateSession(ctx, [32]byte{1, byte(i), byte(i >> 8)}, tidings.Owner,
			expires.Add(time.Duration(i)*time.Second), ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err = s.Session(ctx, [32]byte{1, 4})
	mustErr(t, err, tidings.ErrNotFound)
	if _, err := s.Session(ctx, [32]byte{1, 5}); err != nil {
		t.Errorf("a session within the bound: %v", err)
	}
	if err := s.SetPasswordHash(ctx, tidings.Owner, "new"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Session(ctx, [32]byte{1, 5})
	mustErr(t, err, tidings.ErrNotFound)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	config := storetest.Config(t)
	whole := storetest.Open(t, config)
	s, ctx := whole.Reader, t.Context()
	for i := range reader.MaxTokens {
		if err := s.CreateToken(ctx, [32]byte{byte(i)}, tidings.Owner, tidings.Token{Label: "reader"}); err != nil {
			t.Fatal(err)
		}
	}
	mustErr(t, s.CreateToken(ctx, [32]byte{0xff}, tidings.Owner, tidings.Token{Label: "one more"}), tidings.ErrInvalid)
	if account, err := s.Token(ctx, [32]byte{7}); err != nil || account != tidings.Owner {
		t.Fatalf("token of %d, %v", account, err)
	}
	_, err := s.Token(ctx, [32]byte{0xff})
	mustErr(t, err, tidings.ErrNotFound)
	used := func() tidings.Token {
		t.Helper()
		tokens, err := s.Tokens(ctx, tidings.Owner)
		if err != nil || len(tokens) < 8 || tokens[7].Label != "reader" || !tokens[6].LastUsed.IsZero() ||
			tokens[7].LastUsed.IsZero() {
			t.Fatalf("tokens: %+v, %v", tokens, err)
		}
		return tokens[7]
	}
	before := used()
	storetest.Close(t, whole, config)
	whole = storetest.Open(t, config)
	s = whole.Reader
	if after := used(); after != before {
		t.Errorf("after opening again %+v, was %+v", after, before)
	}
	mustErr(t, s.DeleteToken(ctx, 2, before.ID), tidings.ErrNotFound)
	if err := s.DeleteToken(ctx, tidings.Owner, before.ID); err != nil {
		t.Fatal(err)
	}
	_, err = s.Token(ctx, [32]byte{7})
	mustErr(t, err, tidings.ErrNotFound)
	storetest.Close(t, whole, config)
}

// A token for the Fever API opens nothing else, and others do not open that. Both are listed with their last use, which
// counts by either way, and end when they are removed.
func TestFeverTokens(t *testing.T) {
	t.Parallel()
	clk := newClock()
	whole := opened(t, clk.now)
	s, ctx := whole.Reader, t.Context()
	second := secondAccount(t, whole.DB)
	for _, err := range []error{
		s.CreateToken(ctx, [32]byte{1}, tidings.Owner, tidings.Token{Label: "laptop"}),
		s.CreateToken(ctx, [32]byte{2}, second, tidings.Token{Label: "phone", FeverUser: "ann"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Token(ctx, [32]byte{2})
	mustErr(t, err, tidings.ErrNotFound)
	_, _, err = s.AppPassword(ctx, [32]byte{2})
	mustErr(t, err, tidings.ErrNotFound)
	_, _, err = s.FeverKey(ctx, [32]byte{1})
	mustErr(t, err, tidings.ErrNotFound)
	if tokens, err := s.Tokens(ctx, second); err != nil || len(tokens) != 1 || tokens[0].FeverUser != "ann" ||
		!tokens[0].LastUsed.IsZero() {
		t.Fatalf("tokens: %+v, %v", tokens, err)
	}
	if account, name, err := s.FeverKey(ctx, [32]byte{2}); err != nil || account != second || name != "second" {
		t.Errorf("the key is that of %d, %q, %v", account, name, err)
	}
	if account, name, err := s.AppPassword(ctx, [32]byte{1}); err != nil || account != tidings.Owner ||
		name != "owner" {
		t.Errorf("the password is that of %d, %q, %v", account, name, err)
	}
	for _, account := range []tidings.AccountID{tidings.Owner, second} {
		tokens, err := s.Tokens(ctx, account)
		if err != nil || len(tokens) != 1 || tokens[0].LastUsed.IsZero() {
			t.Fatalf("tokens after use: %+v, %v", tokens, err)
		}
		if err := s.DeleteToken(ctx, account, tokens[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = s.FeverKey(ctx, [32]byte{2})
	mustErr(t, err, tidings.ErrNotFound)
	_, _, err = s.AppPassword(ctx, [32]byte{1})
	mustErr(t, err, tidings.ErrNotFound)
	for n := range reader.MaxTokens {
		if err := s.CreateToken(ctx, [32]byte{3, byte(n)}, second,
			tidings.Token{Label: "t", FeverUser: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	mustErr(t, s.CreateToken(ctx, [32]byte{4}, second, tidings.Token{Label: "one more"}), tidings.ErrInvalid)
}

// At their limit, what is there already can still be changed, and one account's do not count for another.
func TestLimitsOfAccounts(t *testing.T) {
	t.Parallel()
	clk := newClock()
	whole := opened(t, clk.now)
	s, ctx := whole.Reader, t.Context()
	second := secondAccount(t, whole.DB)
	secret := func(account tidings.AccountID, n int) (h [32]byte) {
		h[0], h[1], h[2] = byte(account), byte(n), byte(n>>8)
		return h
	}
	for n := range reader.MaxTokens {
		for account := tidings.Owner; account <= second; account++ {
			if err := s.CreateToken(ctx, secret(account, n), account, tidings.Token{Label: "t"}); err != nil {
				t.Fatalf("token %d of %d: %v", n, account, err)
			}
		}
	}
	for round := range 2 { // one goes, one comes
		mustErr(t, s.CreateToken(ctx, secret(9, round), second, tidings.Token{Label: "t"}), tidings.ErrInvalid)
		tokens, err := s.Tokens(ctx, second)
		if err != nil || len(tokens) != reader.MaxTokens {
			t.Fatalf("%d tokens: %v", len(tokens), err)
		}
		mustErr(t, s.DeleteToken(ctx, tidings.Owner, tokens[0].ID), tidings.ErrNotFound)
		if err := s.DeleteToken(ctx, second, tokens[0].ID); err != nil {
			t.Fatal(err)
		}
		if err := s.CreateToken(ctx, secret(9, round), second, tidings.Token{Label: "t"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Token(ctx, secret(second, round)); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("round %d, the oldest: %v", round, err)
		}
	}
	// Of sessions the one that expires first makes room.
	end := clk.now().Add(time.Hour)
	for n := range reader.MaxSessions + 2 {
		for account := tidings.Owner; account <= second; account++ {
			if err := s.CreateSession(ctx, secret(account, n), account, end.Add(time.Duration(n)*time.Minute),
				""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.SetPasswordHash(ctx, second, "other"); err != nil {
		t.Fatal(err)
	}
	for n := range reader.MaxSessions + 2 {
		account, err := s.Session(ctx, secret(tidings.Owner, n))
		if n < 2 != errors.Is(err, tidings.ErrNotFound) || err == nil && account != tidings.Owner {
			t.Errorf("session %d is of %d: %v", n, account, err)
		}
		if _, err := s.Session(ctx, secret(second, n)); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("session %d of who has another password: %v", n, err)
		}
	}
}

// A feed reader's password is looked up for each of its requests.
func BenchmarkAppPassword(b *testing.B) {
	whole := storetest.Open(b, storetest.Config(b))
	for i := range reader.MaxTokens {
		if err := whole.Reader.CreateToken(b.Context(), [32]byte{byte(i)}, tidings.Owner,
			tidings.Token{Label: "reader"}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, _, err := whole.Reader.AppPassword(b.Context(), [32]byte{7}); err != nil {
			b.Fatal(err)
		}
	}
}
