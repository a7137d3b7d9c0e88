package store

import (
	"errors"
	"testing"
	"time"

	"tidings"
)

const anIssuer = "https://id.example"

// userOf is a provider's user whose subject is made of the name.
func userOf(name string) tidings.ProviderUser {
	return tidings.ProviderUser{Issuer: anIssuer, Subject: "subject of " + name,
		Names: []string{name, name + "@mail.example"}, NoPassword: "of no password"}
}

// Which account a provider's user gets, and which none ever does.
func TestProvidersUsersGetAccounts(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	signIn := func(s *Store, u tidings.ProviderUser) (tidings.AccountID, error) {
		p, err := s.Identities.SignIn(ctx, u)
		return p.ID, err
	}
	use := map[string]func(*testing.T, *Store, tidings.AccountID) error{
		"session": func(_ *testing.T, s *Store, a tidings.AccountID) error {
			return s.Reader.CreateSession(ctx, [32]byte{1}, a, time.Now().Add(time.Hour), "")
		},
		"token": func(_ *testing.T, s *Store, a tidings.AccountID) error {
			return s.Reader.CreateToken(ctx, [32]byte{1}, a, tidings.Token{Label: "phone"})
		},
		"role": func(_ *testing.T, s *Store, a tidings.AccountID) error {
			return s.Reader.SetRole(ctx, a, tidings.Administrator)
		},
		"another provider's user": func(_ *testing.T, s *Store, a tidings.AccountID) error {
			u := userOf("ann")
			u.Issuer = "https://other.example"
			got, err := signIn(s, u)
			if got != a {
				return errors.Join(err, errors.New("another account"))
			}
			return err
		},
	}
	for what, begin := range use {
		t.Run("used by a "+what, func(t *testing.T) {
			s := withOwner(t)
			a := addPerson(t, s, "Ann", tidings.Reader)
			if err := begin(t, s, a); err != nil {
				t.Fatal(err)
			}
			if got, err := signIn(s, userOf("ann")); !errors.Is(err, tidings.ErrExists) {
				t.Errorf("account %d, error %v", got, err)
			}
			trusting := userOf("ann")
			trusting.TrustNames = true
			if got, err := signIn(s, trusting); err != nil || got != a {
				t.Errorf("where names are trusted: account %d, error %v", got, err)
			}
		})
	}

	s := withOwner(t)
	a, mail := addPerson(t, s, "Ann", tidings.Reader), addPerson(t, s, "bob@mail.example", tidings.Reader)
	for range 2 { // the second time by the binding
		if got, err := signIn(s, userOf("ann")); err != nil || got != a {
			t.Errorf("an account that nobody has used: %d, error %v", got, err)
		}
	}
	if got, err := signIn(s, userOf("bob")); err != nil || got != mail {
		t.Errorf("an account of the address: %d, error %v", got, err)
	}
	renamed := userOf("ann")
	renamed.Names = []string{"anna"}
	if got, err := signIn(s, renamed); err != nil || got != a {
		t.Errorf("with another name: %d, error %v", got, err)
	}
	thief := userOf("eve")
	thief.Names, thief.TrustNames, thief.Create = []string{"ann"}, true, true
	if got, err := signIn(s, thief); !errors.Is(err, tidings.ErrExists) {
		t.Errorf("another user of the same name: %d, error %v", got, err)
	}
	if got, err := signIn(s, userOf("eve")); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("nobody: %d, error %v", got, err)
	}

	created := userOf("carol")
	created.Create = true
	p, err := s.Identities.SignIn(ctx, created)
	if err != nil || p.Name != "carol" || p.Role != tidings.Reader || p.Owner {
		t.Errorf("made: %+v, error %v", p, err)
	}
	if hash, err := s.Reader.PasswordHash(ctx, p.ID); err != nil || hash != "of no password" {
		t.Errorf("its password is %q, error %v", hash, err)
	}
	nameless := tidings.ProviderUser{Issuer: anIssuer, Subject: "x", Create: true, NoPassword: "x"}
	if got, err := signIn(s, nameless); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("without a name: %d, error %v", got, err)
	}
}

// No name opens the owner's account: the settings do, by the subject, and withdraw it.
func TestTheOwnersAccountIsForASubject(t *testing.T) {
	t.Parallel()
	s, ctx := withOwner(t), t.Context()
	for _, name := range []string{"owner", "OWNER"} {
		u := userOf(name)
		u.TrustNames, u.Create, u.Role = true, true, tidings.Administrator
		if p, err := s.Identities.SignIn(ctx, u); !errors.Is(err, tidings.ErrExists) {
			t.Errorf("%s: %+v, error %v", name, p, err)
		}
	}
	chosen := userOf("ann")
	chosen.Owner, chosen.Role = true, tidings.Reader
	for range 2 {
		if p, err := s.Identities.SignIn(ctx, chosen); err != nil || p.ID != tidings.Owner ||
			p.Role != tidings.Administrator {
			t.Errorf("the chosen user: %+v, error %v", p, err)
		}
	}
	if err := s.Identities.Refuse(ctx, anIssuer, chosen.Subject); err != nil {
		t.Error(err)
	}
	if p, err := s.Reader.Person(ctx, tidings.Owner); err != nil || p.Role != tidings.Administrator {
		t.Errorf("the owner is %+v, error %v", p, err)
	}
	another := userOf("bob")
	another.Owner = true
	if p, err := s.Identities.SignIn(ctx, another); err != nil || p.ID != tidings.Owner {
		t.Errorf("another, chosen later: %+v, error %v", p, err)
	}
	chosen.Owner = false
	if p, err := s.Identities.SignIn(ctx, chosen); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("the one before: %+v, error %v", p, err)
	}
	another.Owner = false
	if p, err := s.Identities.SignIn(ctx, another); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("once nobody is chosen: %+v, error %v", p, err)
	}
	addPerson(t, s, "ann", tidings.Reader)
	if p, err := s.Identities.SignIn(ctx, chosen); err != nil || p.Name != "ann" {
		t.Errorf("the one before, as ann: %+v, error %v", p, err)
	}
}

// A provider gives a role and withdraws it. A role that it does not speak of stays.
func TestRolesOfAProvider(t *testing.T) {
	t.Parallel()
	s, ctx := withOwner(t), t.Context()
	a := addPerson(t, s, "ann", tidings.Reader)
	u := userOf("ann")
	for _, c := range []struct{ given, now tidings.Role }{
		{tidings.Administrator, tidings.Administrator}, {"", tidings.Administrator}, {tidings.Reader, tidings.Reader},
		{"", tidings.Reader}, {tidings.Administrator, tidings.Administrator},
	} {
		u.Role = c.given
		if p, err := s.Identities.SignIn(ctx, u); err != nil || p.Role != c.now {
			t.Errorf("given %q: %+v, error %v", c.given, p, err)
		}
	}
	session := [32]byte{7}
	if err := s.Reader.CreateSession(ctx, session, a, time.Now().Add(time.Hour), ""); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Identities.Refuse(ctx, anIssuer, "nobody"),
		s.Identities.Refuse(ctx, "https://other.example", u.Subject)); err != nil {
		t.Error(err)
	}
	if got, err := s.Reader.Session(ctx, session); err != nil || got != a {
		t.Errorf("after others were refused, the session is of %d, error %v", got, err)
	}
	if err := s.Identities.Refuse(ctx, anIssuer, u.Subject); err != nil {
		t.Error(err)
	}
	if p, err := s.Reader.Person(ctx, a); err != nil || p.Role != tidings.Reader {
		t.Errorf("once refused: %+v, error %v", p, err)
	}
	if _, err := s.Reader.Session(ctx, session); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("the session goes on: %v", err)
	}
}

// With a person goes the binding, and another of that name can be bound.
func TestBindingGoesWithThePerson(t *testing.T) {
	t.Parallel()
	s, ctx := withOwner(t), t.Context()
	a := addPerson(t, s, "ann", tidings.Reader)
	if _, err := s.Identities.SignIn(ctx, userOf("ann")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemovePerson(ctx, a); err != nil {
		t.Fatal(err)
	}
	mustBeNobodys(t, s, a)
	if _, err := s.Identities.SignIn(ctx, userOf("ann")); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("after that: %v", err)
	}
	b := addPerson(t, s, "ann", tidings.Reader)
	if p, err := s.Identities.SignIn(ctx, userOf("ann")); err != nil || p.ID != b {
		t.Errorf("another ann: %+v, error %v", p, err)
	}
}
