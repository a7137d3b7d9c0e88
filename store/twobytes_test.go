package store

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/lab/effort"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/pushed"
	"tidings/store/salvage"
)

// shelves fills a store with so many channels, subscriptions and settings that each of their tables has a tree of
// several pages.
func shelves(t *testing.T, s *Store) {
	t.Helper()
	library(t, s)
	var all []Subscription
	for i := range 150 {
		n := Subscription{URL: fmt.Sprintf("https://shelf.test/%s/%d", strings.Repeat("long/", 12), i),
			Privacy: tidings.Public,
			Title:   fmt.Sprint("Shelf ", i), Name: fmt.Sprint("My shelf ", i), Folder: fmt.Sprint("Folder ", i%7)}
		all = append(all, n)
	}
	for _, err := range noError(s.SubscribeAll(t.Context(), tidings.Owner, all)) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		if err := s.DB.SetSetting(t.Context(), fmt.Sprint("setting ", i),
			strings.Repeat(fmt.Sprint(i, " "), 60)); err != nil {
			t.Fatal(err)
		}
	}
}

func noError[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// pagesOf returns the pages of each table and index of a database, and which tables are empty.
func pagesOf(t *testing.T, s *Store) (pages map[string][]int, empty []string) {
	t.Helper()
	pages = make(map[string][]int)
	if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
		if err := db.Each(conn, `SELECT name, pageno FROM dbstat`, func(r *sqlite.Stmt) error {
			pages[r.ColumnText(0)] = append(pages[r.ColumnText(0)], r.ColumnInt(1))
			return nil
		}); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			if table := noError(
				db.One(conn,
					`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND name NOT LIKE 'search%'`, nil,
					name)); !table {
				continue
			}
			if filled := noError(db.One(conn, `SELECT 1 FROM `+name+` LIMIT 1`, nil)); !filled {
				empty = append(empty, name)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return pages, empty
}

// damageTwo opens a database of which two bytes of a page are other ones, and returns what it says of the damage.
func damageTwo(t *testing.T, whole []byte, page int, where [2]int, clk *clock) (*Store, string, error) {
	t.Helper()
	dir := dataDir(t)
	changed := bytes.Clone(whole)
	for _, at := range where {
		changed[(page-1)*pageSize+at] ^= 0x55
	}
	writeFile(t, filepath.Join(dir, db.FileName), changed)
	s, err := Open(t.Context(), Config{Dir: dir, Now: clk.now})
	return s, dir, err
}

// hostile 80: two bytes of a page are wrong, so that no checksum can correct them, in a table that the node cannot do
// without. Every channel is still followed, and lost data is reported by the names of its channels.
func TestHostile80TwoBytesInChannelsSubscriptionsAndSettings(t *testing.T) {
	t.Parallel()
	dir, clk := dataDir(t), newClock()
	s := mustOpen(t, Config{Dir: dir, Now: clk.now})
	shelves(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir, Now: clk.now})
	want := make(map[string]tidings.Subscription)
	for _, c := range noError(s.Channels(t.Context(), tidings.Owner)) {
		want[c.URL] = c
	}
	unread := river(t, s, tidings.EntryQuery{Unread: true, Limit: tidings.MaxLimit})
	pages, _ := pagesOf(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := contentOf(t, filepath.Join(dir, db.FileName))
	// header, places of cells, cells, hash
	everywhere, n := [][2]int{{0, 3}, {5, 8}, {9, 2100}, {2000, 3000}, {4000, 4070}, {3500, 4092}}, 0
	for _, table := range []string{"channel", "subscription", "setting"} {
		if len(pages[table]) < 3 {
			t.Fatalf("table %s has only %d pages", table, len(pages[table]))
		}
		for i, page := range pages[table] {
			some := everywhere
			if !effort.All() {
				some = everywhere[n%6 : n%6+1]
				n++
			}
			for _, where := range some {
				of := fmt.Sprintf("bytes %v of page %d of table %s", where, i, table)
				s, dir, err := damageTwo(t, whole, page, where, clk)
				if err != nil {
					t.Errorf("%s: %v", of, err)
					continue
				}
				told := s.DB.Damage()
				if len(told) != 1 || told[0].Table != table || !told[0].Repaired {
					t.Errorf("%s: told %+v", of, told)
				}
				checkShelves(t, s, of, want, told[0])
				if got := river(t, s, tidings.EntryQuery{Unread: true, Limit: tidings.MaxLimit}); len(got) != len(
					unread) {
					t.Errorf("%s: %d entries are unread, want %d", of, len(got), len(unread))
				}
				publish(t, s, channelURL(0), story{"after", "it goes on"})
				s.Search.CatchUp(t.Context())
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				mustBeSound(t, dir)
			}
		}
	}
}

// checkShelves compares what is followed, and the settings, with what was.
func checkShelves(t *testing.T, s *Store, of string, want map[string]tidings.Subscription, told db.Damage) {
	t.Helper()
	got, changed := noError(s.Channels(t.Context(), tidings.Owner)), 0
	if len(got) != len(want) {
		t.Errorf("%s: %d channels are followed, want %d", of, len(got), len(want))
	}
	for _, c := range got {
		w := want[c.URL]
		if c.Title == w.Title && c.Name == w.Name && c.Folder == w.Folder && c.Privacy == w.Privacy &&
			reflect.DeepEqual(c.Since, w.Since) {
			continue
		}
		if changed++; len(told.Channels) < 20 && !slices.Contains(told.Channels, c.URL) {
			t.Errorf("%s: what is lost of %s is not said: %v", of, c.URL, told)
		}
		if c.Privacy == tidings.Public && w.Privacy != tidings.Public || c.Name != w.Name && c.Name != "" ||
			c.Title != w.Title && c.Title != "" {
			t.Errorf("%s: %+v, was %+v", of, c, w)
		}
	}
	for i := range 60 {
		key := fmt.Sprint("setting ", i)
		switch value := noError(s.DB.Setting(t.Context(), key)); {
		case value == strings.Repeat(fmt.Sprint(i, " "), 60):
		case value != "":
			t.Errorf("%s: setting %d is %q", of, i, value)
		default:
			changed++
		}
	}
	if changed > told.Rows && (told.Table != "setting" || told.Rows == 0) { // none knows how many settings there were
		t.Errorf("%s: of %d rows something is lost, and it is said of %d", of, changed, told.Rows)
	}
	t.Logf("%s: %d of %d rows", of, changed, told.Rows)
}

// hostile 80: two bytes are wrong in the page of a table that has no rows. Nothing is lost.
func TestHostile80TwoBytesInAnEmptyTable(t *testing.T) {
	t.Parallel()
	dir, clk := dataDir(t), newClock()
	s := mustOpen(t, Config{Dir: dir, Now: clk.now})
	library(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir, Now: clk.now})
	pages, empty := pagesOf(t, s)
	want, _ := answers(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := contentOf(t, filepath.Join(dir, db.FileName))
	if len(empty) < 10 {
		t.Fatalf("only %d tables are empty", len(empty))
	}
	for i, table := range empty {
		for _, where := range [][2]int{{0, 3}, {4, 2000}, {4088, 4095}}[i%3 : i%3+1] {
			s, dir, err := damageTwo(t, whole, pages[table][0], where, clk)
			if err != nil {
				t.Errorf("bytes %v of table %s: %v", where, table, err)
				continue
			}
			if told := s.DB.Damage(); len(told) != 1 || told[0].Table != table || !told[0].Repaired ||
				told[0].Rows != 0 {
				t.Errorf("bytes %v of table %s: told %+v", where, table, told)
			}
			if got, damaged := answers(t, s); damaged > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("bytes %v of table %s: not all is as it was", where, table)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			mustBeSound(t, dir)
		}
	}
}

// hostile 80: two bytes are wrong in the page of tokens. Those that were there let nobody in any more, and all else is
// as it was.
func TestHostile80TwoBytesInTokens(t *testing.T) {
	t.Parallel()
	whole, pages, clk := keyed(t)
	const tokens = 90
	if len(pages["token"]) < 2 {
		t.Fatalf("table token has %d pages", len(pages["token"]))
	}
	for i, page := range pages["token"] {
		where := [][2]int{{0, 3}, {9, 2100}, {2000, 3000}, {3500, 4092}}[i%4]
		s, dir, err := damageTwo(t, whole, page, where, clk)
		if err != nil {
			t.Fatalf("bytes %v of page %d: %v", where, i, err)
		}
		told := s.DB.Damage()
		if len(told) != 1 || told[0].Table != "token" || !told[0].Repaired ||
			i > 0 && (told[0].Rows == 0 || !strings.Contains(told[0].String(), "tidings token new NAME")) {
			t.Errorf("bytes %v of page %d: told %+v", where, i, told)
		}
		left := 0
		for n := range tokens {
			switch account, err := s.Reader.Token(t.Context(), [32]byte{byte(n), 7}); {
			case err == nil && account == tidings.Owner:
				left++
			case err == nil:
				t.Errorf("token %d is account %d's", n, account)
			}
		}
		if listed := noError(s.Reader.Tokens(t.Context(), tidings.Owner)); len(listed) != left ||
			i > 0 && left == tokens {
			t.Errorf("bytes %v of page %d: %d tokens let in, %d are listed", where, i, left, len(listed))
		}
		if err := s.Reader.CreateToken(t.Context(), [32]byte{200}, tidings.Owner,
			tidings.Token{Label: "new"}); err != nil {
			t.Errorf("a new token: %v", err)
		}
		if _, err := s.Pushed.PinOf(t.Context(), channelURL(0)); err != nil {
			t.Errorf("the pin: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, dir)
	}
}

// hostile 80: two bytes are wrong in a table whose rows must not be given up unasked. The start is refused with the
// reason and with what can be done, and the file is left as it is.
func TestHostile80TwoBytesInWhatMustNotBeLost(t *testing.T) {
	t.Parallel()
	whole, pages, clk := keyed(t)
	for table, why := range map[string]string{"account": "who may sign in", "credential": "passwords for origins",
		"pin":         "trusted with",
		"publication": "no number may be given twice", "published": "no number may be given twice"} {
		for _, page := range pages[table] {
			s, dir, err := damageTwo(t, whole, page, [2]int{2000, 4090}, clk)
			if err == nil {
				t.Errorf("table %s: opened, told %+v", table, s.DB.Damage())
				_ = s.Close()
				continue
			}
			mustErr(t, err, db.ErrDamaged)
			if hint := tidings.HintOf(err); !strings.Contains(err.Error(), "table "+table) ||
				!strings.Contains(err.Error(), why) ||
				!strings.Contains(hint, "restore a backup") || !strings.Contains(hint, "--new") {
				t.Errorf("table %s: refused with %q, hint %q", table, err, hint)
			}
			changed := bytes.Clone(whole)
			changed[(page-1)*pageSize+2000] ^= 0x55
			changed[(page-1)*pageSize+4090] ^= 0x55
			if !bytes.Equal(contentOf(t, filepath.Join(dir, db.FileName)), changed) {
				t.Errorf("table %s: the file was changed", table)
			}
		}
	}
}

// keyed returns a database that has an account's tokens, credentials, a pin and a publication, and the pages of its
// tables.
func keyed(t *testing.T) (whole []byte, pages map[string][]int, clk *clock) {
	t.Helper()
	dir, clk := dataDir(t), newClock()
	s, ctx := mustOpen(t, Config{Dir: dir, Now: clk.now}), t.Context()
	library(t, s)
	_, _, subscribed := s.Subscribe(ctx, tidings.Owner,
		Subscription{URL: "https://secret.test/", Privacy: tidings.Credentialed,
			Access: tidings.Access{User: "me", Password: "word"}})
	for _, err := range []error{subscribed, s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"),
		s.Pushed.SetPin(ctx, pushed.Pin{Channel: channelURL(0), Fingerprint: hashed(3), Pinned: clk.now()})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	mustPublish(t, s, 1)
	mustIssue(t, s, 1)
	for n := range 90 {
		if err := s.Reader.CreateToken(ctx, [32]byte{byte(n), 7}, tidings.Owner,
			tidings.Token{Label: fmt.Sprint("program ", n)}); err != nil {
			t.Fatal(err)
		}
	}
	pages, _ = pagesOf(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return contentOf(t, filepath.Join(dir, db.FileName)), pages, clk
}

// A repair that made a table anew was killed before the pages of the old one were gone: the next start goes on with it.
func TestTableIsMadeAnewInTwoSteps(t *testing.T) {
	t.Parallel()
	dir, clk := dataDir(t), newClock()
	s := mustOpen(t, Config{Dir: dir, Now: clk.now})
	shelves(t, s)
	want := noError(s.Channels(t.Context(), tidings.Owner))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	conn := noError(sqlite.OpenConn(filepath.Join(dir, db.FileName)))
	channels := content.Schema.Tables[slices.IndexFunc(content.Schema.Tables,
		func(t db.Table) bool { return t.Name == "channel" })]
	kept, lost, err := salvage.Source{Loose: conn, Verified: conn}.Read(channels.Rebuild.Table)
	if err != nil || len(kept) != len(want) || len(lost) > 0 {
		t.Fatalf("%d rows are read and %d are lost (%v)", len(kept), len(lost), err)
	}
	for _, step := range []func() error{
		func() error { return db.Exec(conn, `BEGIN IMMEDIATE`) },
		func() error { return salvage.Replace(conn, "channel", kept) },
		func() error { return db.Exec(conn, `COMMIT`) },
		conn.Close,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	s = mustOpen(t, Config{Dir: dir, Now: clk.now})
	if got := noError(s.Channels(t.Context(), tidings.Owner)); !reflect.DeepEqual(got, want) {
		t.Errorf("%d channels are followed, want %d", len(got), len(want))
	}
	if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
		left, err := salvage.HasLeft(conn)
		if left {
			t.Error("pages are left behind still")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, dir)
}
