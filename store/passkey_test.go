package store

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"tidings"
)

// passkeyOf returns a passkey of an account that has a number among its own.
func passkeyOf(account tidings.AccountID, number byte) tidings.Passkey {
	return tidings.Passkey{Name: "phone", Host: "example.org", Credential: tidings.PasskeyCredential{
		Account: account, ID: []byte{byte(account), number}, PublicKey: []byte("key"), Counter: 7, Copied: true}}
}

// withSession makes a store whose owner has a password, a person, and a session of each: the account's number.
func withSession(t *testing.T, clk *clock) (s *Store, ann tidings.AccountID) {
	t.Helper()
	s = newStore(t, func(c *Config) { c.Now = clk.now })
	if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann = addPerson(t, s, "ann", tidings.Reader)
	for _, account := range []tidings.AccountID{tidings.Owner, ann} {
		if err := s.Reader.CreateSession(t.Context(), [32]byte{byte(account)}, account, clk.now().Add(time.Hour),
			""); err != nil {
			t.Fatal(err)
		}
	}
	return s, ann
}

// A passkey is what was added, found by its credential, noted when it is used, and removed by its person alone.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s, ann := withSession(t, clk)
	ctx := t.Context()
	made := clk.now()
	for i, account := range []tidings.AccountID{tidings.Owner, ann, ann} {
		if err := s.Passkeys.AddPasskey(ctx, passkeyOf(account, byte(i)), [32]byte{byte(account)}); err != nil {
			t.Fatal(err)
		}
		clk.add(time.Minute)
	}
	all, err := s.Passkeys.PasskeysOf(ctx, ann)
	if err != nil || len(all) != 2 || all[0].ID >= all[1].ID {
		t.Fatalf("ann's: %+v, error %v", all, err)
	}
	want := passkeyOf(ann, 1)
	want.ID, want.Created = all[0].ID, all[0].Created
	if !reflect.DeepEqual(all[0], want) || all[0].Created.Sub(made).Round(time.Second) != time.Minute {
		t.Errorf("%+v, want %+v", all[0], want)
	}
	if got, err := s.Passkeys.Passkey(ctx, want.Credential.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("by its credential: %+v, error %v", got, err)
	}
	for _, id := range [][]byte{nil, {}, {byte(ann)}, {byte(ann), 1, 0}} {
		_, err := s.Passkeys.Passkey(ctx, id)
		mustErr(t, err, tidings.ErrNotFound)
	}
	for host, want := range map[string]bool{"example.org": true, "example.com": false, "": false} {
		if got, err := s.Passkeys.HasPasskeysAt(ctx, host); err != nil || got != want {
			t.Errorf("passkeys at %q: %v, error %v", host, got, err)
		}
	}
	mustErr(t, s.Passkeys.RemovePasskey(ctx, tidings.Owner, want.ID), tidings.ErrNotFound)
	if err := s.Passkeys.RemovePasskey(ctx, ann, want.ID); err != nil {
		t.Fatal(err)
	}
	mustErr(t, s.Passkeys.RemovePasskey(ctx, ann, want.ID), tidings.ErrNotFound)
	mustErr(t, s.Passkeys.UsePasskey(ctx, want.ID, 9), tidings.ErrNotFound)
	if err := s.Passkeys.AddPasskey(ctx, passkeyOf(ann, 1), [32]byte{byte(ann)}); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Passkeys.Passkey(ctx, want.Credential.ID); err != nil || again.ID <= all[1].ID {
		t.Errorf("a number is used again: %+v, error %v", again, err)
	}
}

// A counter rises, or is 0 for ever.
func TestCountersOfPasskeysRise(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s, _ := withSession(t, clk)
	ctx := t.Context()
	none := passkeyOf(tidings.Owner, 1)
	none.Credential.Counter = 0
	for _, p := range []tidings.Passkey{passkeyOf(tidings.Owner, 0), none} {
		if err := s.Passkeys.AddPasskey(ctx, p, [32]byte{byte(tidings.Owner)}); err != nil {
			t.Fatal(err)
		}
	}
	all := noError(s.Passkeys.PasskeysOf(ctx, tidings.Owner))
	for _, c := range []struct {
		of      int
		counter uint32
		want    error
	}{{0, 7, tidings.ErrNotFound}, {0, 6, tidings.ErrNotFound}, {0, 0, tidings.ErrNotFound}, {0, 8, nil},
		{0, 8, tidings.ErrNotFound},
		{0, 1<<32 - 1, nil}, {0, 1, tidings.ErrNotFound}, {1, 0, nil}, {1, 0, nil}, {1, 1, nil},
		{1, 0, tidings.ErrNotFound}} {
		clk.add(time.Minute)
		if err := s.Passkeys.UsePasskey(ctx, all[c.of].ID, c.counter); !errors.Is(err, c.want) {
			t.Errorf("passkey %d with counter %d: %v, want %v", c.of, c.counter, err, c.want)
		}
		now := noError(s.Passkeys.PasskeysOf(ctx, tidings.Owner))[c.of]
		if used := clk.now().Sub(now.Used) < time.Second; used != (c.want == nil) ||
			used && now.Credential.Counter != c.counter {
			t.Errorf("passkey %d with counter %d: then %+v", c.of, c.counter, now)
		}
	}
}

// A passkey is added in a session that lasts, within bounds, and once.
func TestAddingPasskeys(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s, ann := withSession(t, clk)
	ctx := t.Context()
	session := [32]byte{byte(ann)}
	for name, c := range map[string]struct {
		change  func(p *tidings.Passkey)
		session [32]byte
		want    error
	}{
		"another person's session": {nil, [32]byte{byte(tidings.Owner)}, tidings.ErrNotFound},
		"no session":               {nil, [32]byte{}, tidings.ErrNotFound},
		"nobody's": {func(p *tidings.Passkey) { p.Credential.Account = 99 }, session,
			tidings.ErrNotFound},
		"no name": {func(p *tidings.Passkey) { p.Name = "" }, session, tidings.ErrInvalid},
		"a long name": {func(p *tidings.Passkey) { p.Name = strings.Repeat("x", 81) }, session,
			tidings.ErrInvalid},
		"no ID": {func(p *tidings.Passkey) { p.Credential.ID = nil }, session, tidings.ErrInvalid},
		"a long ID": {func(p *tidings.Passkey) { p.Credential.ID = make([]byte, 1024) }, session,
			tidings.ErrInvalid},
		"no key": {func(p *tidings.Passkey) { p.Credential.PublicKey = nil }, session,
			tidings.ErrInvalid},
		"a long key": {func(p *tidings.Passkey) { p.Credential.PublicKey = make([]byte, 2049) }, session,
			tidings.ErrInvalid},
	} {
		p := passkeyOf(ann, 0)
		if c.change != nil {
			c.change(&p)
		}
		if err := s.Passkeys.AddPasskey(ctx, p, c.session); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for i := range tidings.MaxPasskeys {
		p := passkeyOf(ann, byte(i))
		p.Name, p.Credential.PublicKey = strings.Repeat("x", tidings.MaxPasskeyName),
			make([]byte, tidings.MaxPasskeyPublicKey)
		p.Credential.ID = append(p.Credential.ID, make([]byte, tidings.MaxPasskeyID-2)...)
		if err := s.Passkeys.AddPasskey(ctx, p, session); err != nil {
			t.Fatalf("passkey %d: %v", i, err)
		}
	}
	mustErr(t, s.Passkeys.AddPasskey(ctx, passkeyOf(ann, 99), session), tidings.ErrInvalid)
	taken := passkeyOf(tidings.Owner, 0)
	taken.Credential.ID = noError(s.Passkeys.PasskeysOf(ctx, ann))[0].Credential.ID
	mustErr(t, s.Passkeys.AddPasskey(ctx, taken, [32]byte{byte(tidings.Owner)}), tidings.ErrExists)
	clk.add(2 * time.Hour)
	mustErr(t, s.Passkeys.AddPasskey(ctx, passkeyOf(tidings.Owner, 0), [32]byte{byte(tidings.Owner)}),
		tidings.ErrNotFound)
}

// A new password that somebody else sets removes a person's passkeys, and one that the person changes keeps them. Both
// end sessions.
func TestPasswordsAndPasskeys(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s, ann := withSession(t, clk)
	ctx := t.Context()
	left := func(account tidings.AccountID) (passkeys, sessions int) {
		return len(noError(s.Passkeys.PasskeysOf(ctx, account))), len(noError(s.Reader.Sessions(ctx, account)))
	}
	for _, account := range []tidings.AccountID{tidings.Owner, ann} {
		if err := s.Passkeys.AddPasskey(ctx, passkeyOf(account, 0), [32]byte{byte(account)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Reader.ChangePasswordHash(ctx, ann, "other"); err != nil {
		t.Fatal(err)
	}
	if passkeys, sessions := left(ann); passkeys != 1 || sessions != 0 {
		t.Errorf("after ann changed her password: %d passkeys, %d sessions", passkeys, sessions)
	}
	if hash, err := s.Reader.PasswordHash(ctx, ann); err != nil || hash != "other" {
		t.Errorf("ann's password is %q, error %v", hash, err)
	}
	if err := s.Reader.SetPasswordHash(ctx, ann, "third"); err != nil {
		t.Fatal(err)
	}
	if passkeys, sessions := left(ann); passkeys != 0 || sessions != 0 {
		t.Errorf("after an administrator set it: %d passkeys, %d sessions", passkeys, sessions)
	}
	if passkeys, sessions := left(tidings.Owner); passkeys != 1 || sessions != 1 {
		t.Errorf("the owner has %d passkeys, %d sessions", passkeys, sessions)
	}
	mustErr(t, s.Reader.ChangePasswordHash(ctx, 99, "x"), tidings.ErrNotFound)
	if _, err := s.RemovePerson(ctx, ann); err != nil {
		t.Fatal(err)
	}
	if err := s.Reader.ChangePasswordHash(ctx, tidings.Owner, ""); err != nil {
		t.Fatal(err)
	}
	if passkeys, _ := left(tidings.Owner); passkeys != 0 {
		t.Error("passkeys stay where there is no password")
	}
}
