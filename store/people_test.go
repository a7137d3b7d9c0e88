package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/reader"
)

// mustBeNobodys checks that no table with a column account has a row of an account.
func mustBeNobodys(t testing.TB, s *Store, account tidings.AccountID) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
		var tables []string
		if err := db.Each(conn, `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND c.name = 'account'`, func(r *sqlite.Stmt) error {
			tables = append(tables, r.ColumnText(0))
			return nil
		}); err != nil {
			return err
		}
		if len(tables) < 5 {
			t.Errorf("only %q have accounts", tables)
		}
		for _, table := range tables {
			if found, err := db.One(conn, `SELECT 1 FROM `+table+` WHERE account = ?`, nil,
				int64(account)); err != nil || found {
				t.Errorf("%s has something of account %d, error %v", table, account, err)
			}
		}
		found, err := db.One(conn, `SELECT 1 FROM account WHERE id = ?`, nil, int64(account))
		if found {
			t.Errorf("account %d is there", account)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withOwner makes a store whose owner has a password.
func withOwner(t *testing.T) *Store {
	s := newStore(t)
	if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	return s
}

func addPerson(t testing.TB, s *Store, name string, role tidings.Role) tidings.AccountID {
	t.Helper()
	p, err := s.Reader.AddPerson(t.Context(), name, role, "hash")
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// A database of the previous version has an owner and other people. The owner becomes an administrator, with the former
// password, sessions and tokens. The others become readers.
func TestTheOwnerOfBeforeIsAdministrator(t *testing.T) {
	dir := dataDir(t)
	conn, err := sqlite.OpenConn(filepath.Join(dir, db.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(conn, 21); err != nil {
		t.Fatal(err)
	}
	fixtures[20](t, conn)
	script(t, conn,
		`UPDATE account SET password = 'secret' WHERE id = 1; INSERT INTO account (id, name) VALUES (2, 'second');
		INSERT INTO session (hash, account, expires) VALUES (x'`+strings.Repeat("01", 32)+`', 1, 9223372036854775807);
		INSERT INTO token (hash, account, label, created) VALUES (x'`+strings.Repeat("02", 32)+`', 1, 'phone', 4);`)
	if err := errors.Join(conn.Close(), os.Chmod(filepath.Join(dir, db.FileName), 0o600)); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Config{Dir: dir})
	defer s.Close()
	all, err := s.Reader.People(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "owner" || !all[0].Owner || all[0].Role != tidings.Administrator ||
		all[1].Role != tidings.Reader {
		t.Errorf("people: %+v, error %v", all, err)
	}
	if account, hash, err := s.Reader.Account(t.Context(), "Owner"); err != nil || account != tidings.Owner ||
		hash != "secret" {
		t.Errorf("account %d with %q, error %v", account, hash, err)
	}
	var session, token [32]byte
	for i := range session {
		session[i], token[i] = 1, 2
	}
	if account, err := s.Reader.Session(t.Context(), session); err != nil || account != tidings.Owner {
		t.Errorf("session of %d, error %v", account, err)
	}
	if account, err := s.Reader.Token(t.Context(), token); err != nil || account != tidings.Owner {
		t.Errorf("token of %d, error %v", account, err)
	}
	if sessions, err := s.Reader.Sessions(t.Context(), tidings.Owner); err != nil || len(sessions) != 1 ||
		!sessions[0].Created.IsZero() {
		t.Errorf("sessions %+v, error %v", sessions, err)
	}
	if followed, err := s.Channels(t.Context(), tidings.Owner); err != nil || len(followed) != 1 {
		t.Errorf("the owner follows %+v, error %v", followed, err)
	}
}

// Names are of a stated set, and one whatever their case; nobody is added while the owner has no password.
func TestPeopleAreNamed(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	if _, err := s.Reader.AddPerson(ctx, "ann", tidings.Reader, "hash"); !errors.Is(err, tidings.ErrInvalid) ||
		tidings.HintOf(err) == "" {
		t.Errorf("while the owner has no password: %v", err)
	}
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann := addPerson(t, s, "Ann.B_c-d@e.org", tidings.Reader)
	for name, want := range map[string]error{
		"ann.b_C-D@e.org": tidings.ErrExists, "OWNER": tidings.ErrExists, "": tidings.ErrInvalid,
		strings.Repeat("a", 65): tidings.ErrInvalid,
		strings.Repeat("a", 64): nil, "7": nil, "ä": tidings.ErrInvalid, "a b": tidings.ErrInvalid,
		".a": tidings.ErrInvalid, "a:b": tidings.ErrInvalid,
		"a/b": tidings.ErrInvalid, "a\x00": tidings.ErrInvalid, "a\n": tidings.ErrInvalid,
		"Kelvin\u212a": tidings.ErrInvalid,
	} {
		if _, err := s.Reader.AddPerson(ctx, name, tidings.Reader, "hash"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	for _, c := range []struct {
		role tidings.Role
		hash string
	}{{"king", "hash"}, {"", "hash"}, {tidings.Reader, ""}} {
		if _, err := s.Reader.AddPerson(ctx, "bob", c.role, c.hash); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("with role %q and password hash %q: %v", c.role, c.hash, err)
		}
	}
	if account, _, err := s.Reader.Account(ctx, "ANN.B_C-D@E.ORG"); err != nil || account != ann {
		t.Errorf("found %d, error %v", account, err)
	}
	for _, account := range []tidings.AccountID{tidings.Owner, ann} {
		if err := s.Reader.SetPasswordHash(ctx, account, ""); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("the password of account %d is taken away where two use the node: %v", account, err)
		}
	}
}

// There is always an administrator: the owner, who cannot be removed or become a reader.
func TestTheOwnerStays(t *testing.T) {
	t.Parallel()
	s := withOwner(t)
	ctx := t.Context()
	for range 2 { // also where another is an administrator
		if _, err := s.RemovePerson(ctx, tidings.Owner); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("removing the owner: %v", err)
		}
		if err := s.Reader.SetRole(ctx, tidings.Owner, tidings.Reader); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("the owner as a reader: %v", err)
		}
		if err := s.Reader.SetRole(ctx, tidings.Owner, tidings.Administrator); err != nil {
			t.Error(err)
		}
		addPerson(t, s, fmt.Sprint("admin", time.Now().UnixNano()), tidings.Administrator)
	}
	ann := addPerson(t, s, "ann", tidings.Reader)
	if err := s.Reader.SetRole(ctx, ann, tidings.Administrator); err != nil {
		t.Error(err)
	}
	if p, err := s.Reader.Person(ctx, ann); err != nil || p.Role != tidings.Administrator || p.Name != "ann" ||
		p.Owner {
		t.Errorf("person %+v, error %v", p, err)
	}
	if err := s.Reader.SetRole(ctx, ann+100, tidings.Reader); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("role of nobody: %v", err)
	}
	if _, err := s.RemovePerson(ctx, ann+100); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("removing nobody: %v", err)
	}
}

// With a person goes what is that person's and nothing else, and what is under way for the person comes to nothing.
func TestRemovePerson(t *testing.T) {
	t.Parallel()
	s := withOwner(t)
	ctx := t.Context()
	ann := addPerson(t, s, "ann", tidings.Reader)
	const shared, own = "https://shared.example/", "https://own.example/"
	follow(t, s, shared)
	for _, n := range []Subscription{{URL: shared, Privacy: tidings.Public},
		{URL: own, Privacy: tidings.Credentialed, Access: tidings.Access{User: "u", Password: "p"}}} {
		if _, _, err := s.Subscribe(ctx, ann, n); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, s, shared, story{"1", "x"}, story{"2", "y"})
	publish(t, s, own, story{"1", "x"})
	for _, account := range []tidings.AccountID{tidings.Owner, ann} {
		hash := [32]byte{byte(account)}
		if err := errors.Join(s.Reader.CreateSession(ctx, hash, account, time.Now().Add(time.Hour), "browser"),
			s.Passkeys.AddPasskey(ctx, passkeyOf(account, 0), hash),
			s.Reader.CreateToken(ctx, hash, account, tidings.Token{Label: "phone"}),
			addFeedAddress(s, account, byte(account))); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reader.Token(ctx, hash); err != nil {
			t.Fatal(err)
		}
		entries, err := s.Entries(ctx, account, tidings.EntryQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if err := errors.Join(s.Reader.Star(ctx, account, e.Item, true),
				s.Reader.MarkRead(ctx, account, []int64{e.Item}, true)); err != nil {
				t.Fatal(err)
			}
		}
	}
	left, err := s.RemovePerson(ctx, ann)
	if err != nil || len(left) != 1 || left[0] != own {
		t.Errorf("left %q, error %v", left, err)
	}
	mustBeNobodys(t, s, ann)
	hash := [32]byte{byte(ann)}
	for _, err := range []error{
		s.Reader.CreateSession(ctx, hash, ann, time.Now().Add(time.Hour), ""), // one that is being renewed
		s.Reader.SetPasswordHash(ctx, ann, "other"),
		func() error {
			_, _, err := s.Subscribe(ctx, ann, Subscription{URL: shared, Privacy: tidings.Public})
			return err
		}(),
	} {
		mustErr(t, err, tidings.ErrNotFound)
	}
	if err := s.Reader.CreateToken(ctx, hash, ann, tidings.Token{Label: ""}); err == nil {
		t.Error("a token of nobody")
	}
	mustErr(t, addFeedAddress(s, ann, byte(ann)), tidings.ErrNotFound)
	if _, _, err := s.FeedAddresses.FeedAddress(ctx, hash); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("ann's feed is still read: %v", err)
	}
	mustBeNobodys(t, s, ann)
	if _, err := s.Content.Watch(ctx, own); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("the channel that only ann followed is polled: %v", err)
	}
	if w, err := s.Content.Watch(ctx, shared); err != nil || w.Followers != 1 {
		t.Errorf("the other's channel: %+v, error %v", w, err)
	}
	entries, err := s.Entries(ctx, tidings.Owner, tidings.EntryQuery{Starred: true})
	if err != nil || len(entries) != 2 || !entries[0].Read || !entries[1].Read {
		t.Errorf("the owner's entries: %+v, error %v", entries, err)
	}
	if _, err := s.Reader.Session(ctx, [32]byte{byte(tidings.Owner)}); err != nil {
		t.Error(err)
	}
	if _, err := s.Reader.Token(ctx, [32]byte{byte(tidings.Owner)}); err != nil {
		t.Error(err)
	}
	if all, err := s.Passkeys.PasskeysOf(ctx, tidings.Owner); err != nil || len(all) != 1 {
		t.Errorf("the owner's passkeys: %+v, error %v", all, err)
	}
	if _, _, err := s.FeedAddresses.FeedAddress(ctx, [32]byte{byte(tidings.Owner)}); err != nil {
		t.Error(err)
	}
	// The password that ann gave for the channel is gone: the next follower has to give it again.
	if err := s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		found, err := db.One(conn, `SELECT 1 FROM credential`, nil)
		if found {
			t.Error("ann's password for the channel is kept")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Subscribe(ctx, tidings.Owner, Subscription{URL: own, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Content.Watch(ctx, own); err != nil || !w.Access.IsZero() {
		t.Errorf("the channel has ann's credentials: error %v", err)
	}
	// The number is not given again.
	if again := addPerson(t, s, "ann", tidings.Reader); again == ann {
		t.Error("another person has the removed one's number")
	}
}

// A reader follows so many channels and no more, of one list too; an administrator follows any number.
func TestReadersFollowSoMany(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.ReaderSubscriptions = 2 })
	ctx := t.Context()
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann := addPerson(t, s, "ann", tidings.Reader)
	var all []Subscription
	for i := range 3 {
		all = append(all, Subscription{URL: channelURL(i), Privacy: tidings.Public})
	}
	for _, account := range []tidings.AccountID{ann, tidings.Owner} {
		for range 2 { // what is followed already can be followed again
			errs, err := s.SubscribeAll(ctx, account, all)
			if err != nil || errs[0] != nil || errs[1] != nil || (errs[2] != nil) != (account == ann) {
				t.Errorf("account %d: %v, error %v", account, errs, err)
			}
		}
	}
	_, _, err := s.Subscribe(ctx, ann, all[2])
	mustErr(t, err, tidings.ErrInvalid)
	if _, err := s.Unsubscribe(ctx, ann, channelURL(0)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Subscribe(ctx, ann, all[2]); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A reader stars so many items and no more, at whatever interface; what is starred already can be starred again. An
// administrator stars any number.
func TestReadersStarSoMany(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.ReaderStarred = 2 })
	ctx := t.Context()
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann := addPerson(t, s, "ann", tidings.Reader)
	follow(t, s, feedURL)
	if _, _, err := s.Subscribe(ctx, ann, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"a", "a"}, story{"b", "b"}, story{"c", "c"})
	entries, err := s.Entries(ctx, ann, tidings.EntryQuery{Channel: feedURL, Limit: 10})
	if err != nil || len(entries) < 3 {
		t.Fatalf("%+v, error %v", entries, err)
	}
	var numbers []int64
	for _, e := range entries[:3] {
		numbers = append(numbers, e.Item)
	}
	yes := true
	star := map[string]func(account tidings.AccountID, item int64) error{
		"one by one": func(account tidings.AccountID, item int64) error {
			return s.Reader.Star(ctx, account, item, true)
		},
		"as articles": func(account tidings.AccountID, item int64) error {
			return NewArticles(s).Change(ctx, account, []int64{item}, reader.ArticleChange{Starred: &yes})
		},
	}
	for _, way := range star {
		for range 2 {
			for i, item := range numbers {
				if err := way(ann, item); (err != nil) != (i == 2) ||
					err != nil && !errors.Is(err, tidings.ErrInvalid) {
					t.Errorf("item %d of a reader: %v", i, err)
				}
				if err := way(tidings.Owner, item); err != nil {
					t.Errorf("item %d of an administrator: %v", i, err)
				}
			}
		}
	}
	if err := s.Reader.Star(ctx, ann, numbers[0], false); err != nil {
		t.Fatal(err)
	}
	// Too many at once are none, and the reason names the bound, whatever was starred before.
	err = NewArticles(s).Change(ctx, ann, numbers, reader.ArticleChange{Starred: &yes})
	if err == nil || !strings.HasSuffix(err.Error(), "readers can star at most 2 items at this node") {
		t.Errorf("three at once: %v", err)
	}
	if err := s.Reader.Star(ctx, ann, numbers[2], true); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// Sessions are listed to their person, and ended by nobody else.
func TestSessionsOfAPerson(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann := addPerson(t, s, "ann", tidings.Reader)
	began := clk.now()
	for i, account := range []tidings.AccountID{tidings.Owner, ann, ann} {
		if err := s.Reader.CreateSession(ctx, [32]byte{byte(i)}, account, clk.now().Add(time.Hour),
			fmt.Sprint("browser ", i, strings.Repeat("ü", 400))); err != nil {
			t.Fatal(err)
		}
		clk.add(time.Minute)
	}
	if err := s.Reader.CreateSession(ctx, [32]byte{1}, ann, clk.now().Add(2*time.Hour), "renewed"); err != nil {
		t.Fatal(err)
	}
	all, err := s.Reader.Sessions(ctx, ann)
	if err != nil || len(all) != 2 || all[0].Browser != "renewed" ||
		all[0].Created.Sub(began).Round(time.Second) != time.Minute ||
		all[0].Used.Sub(began).Round(time.Second) != 3*time.Minute ||
		!strings.HasPrefix(all[1].Browser, "browser 2ü") || len(all[1].Browser) > 300 {
		t.Fatalf("sessions %+v, error %v", all, err)
	}
	for _, id := range []string{all[0].ID, "", "00", "zz", all[0].ID + "00"} {
		mustErr(t, s.Reader.EndSession(ctx, tidings.Owner, id), tidings.ErrNotFound)
	}
	if err := s.Reader.EndSession(ctx, ann, all[0].ID); err != nil {
		t.Fatal(err)
	}
	mustErr(t, s.Reader.EndSession(ctx, ann, all[0].ID), tidings.ErrNotFound)
	_, err = s.Reader.Session(ctx, [32]byte{1})
	mustErr(t, err, tidings.ErrNotFound)
	clk.add(2 * time.Hour)
	if all, err := s.Reader.Sessions(ctx, ann); err != nil || len(all) != 0 {
		t.Errorf("sessions that have ended: %+v, error %v", all, err)
	}
}

// A subscriber's account follows channels as a person's does, and is none: it is not listed or counted among people,
// nobody signs in as one, and the owner may still be without a password.
func TestSubscribersAreNoPeople(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	const name = "xmpp:romeo@montague.example"
	if _, err := s.Subscribers.Find(ctx, name); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("before it is there: %v", err)
	}
	account, err := s.Subscribers.Add(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []func(context.Context, string) (tidings.AccountID, error){s.Subscribers.Add,
		s.Subscribers.Find} {
		if again, err := same(ctx, name); err != nil || again != account {
			t.Errorf("account %d, %v, want %d", again, err, account)
		}
	}
	for _, bad := range []string{"", "romeo", strings.Repeat("x", 4000) + ":"} {
		if _, err := s.Subscribers.Add(ctx, bad); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("added %.10q: %v", bad, err)
		}
	}
	if people, err := s.Reader.People(ctx); err != nil || len(people) != 1 {
		t.Errorf("people: %+v, %v", people, err)
	}
	if _, _, err := s.Reader.Account(ctx, name); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("somebody may sign in: %v", err)
	}
	if err := s.Reader.SetRole(ctx, account, tidings.Administrator); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("given a role: %v", err)
	}
	if err := s.Reader.SetPasswordHash(ctx, account, "hash"); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("given a password: %v", err)
	}
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, ""); err != nil {
		t.Errorf("the owner's password stays: %v", err)
	}
	if _, _, err := s.Subscribe(ctx, account, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	to := addTargetOf(t, s, account, "chat", tidings.XMPP, tidings.Selector{})
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	if got := deliverAll(t, s, to.ID); got != "b" {
		t.Errorf("delivered: %q", got)
	}
	if left, err := s.RemovePerson(ctx, account); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	mustBeNobodys(t, s, account)
}
