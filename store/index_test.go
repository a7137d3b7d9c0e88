package store

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
)

// Bounds of package search.
const (
	indexDelay = 10 * time.Second
	indexChunk = 256
	maxBehind  = 1024
)

// What is stored is found at once, though the index learns of it later: by a search, by marking what a search finds,
// after a crash, and in a backup.
func TestWhatIsNotIndexedIsFound(t *testing.T) {
	t.Parallel()
	// so that the index learns of nothing meanwhile, however slow the machine is
	synctest.Test(t, whatIsNotIndexedIsFound)
}

func whatIsNotIndexedIsFound(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "walrus"}, story{"b", "other"})
	if n := s.Search.Behind(); n < 2 {
		t.Fatalf("%d revisions wait for the index: the test says nothing", n)
	}
	crashed := copyDir(t, s.config.Dir)
	if found := titles(river(t, s, tidings.EntryQuery{Search: "walrus"})); found != "a" {
		t.Errorf("found %q", found)
	}
	publish(t, s, feedURL, story{"a", "walrus"}, story{"b", "other"}, story{"c", "walrus"})
	if n, err := s.MarkAllRead(t.Context(), tidings.Owner, tidings.EntryQuery{Search: "walrus"},
		everything-1); err != nil || n != 2 {
		t.Errorf("%d entries marked, %v", n, err)
	}

	after := mustOpen(t, Config{Dir: crashed})
	mustBeSound(t, crashed)
	if found := titles(river(t, after, tidings.EntryQuery{Search: "walrus"})); found != "a" {
		t.Errorf("after a crash found %q", found)
	}
	mustBeSoundNow(t, after)
}

// The index catches up by itself, and does not fall far behind what is stored.
func TestTheIndexCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		follow(t, s, feedURL)
		var many []story
		for i := range 3 * indexChunk {
			many = append(many, story{fmt.Sprint(i), "text"})
		}
		publish(t, s, feedURL, many...)
		if n := s.Search.Behind(); n < 3*indexChunk {
			t.Fatalf("%d revisions wait: the test says nothing", n)
		}
		time.Sleep(2 * indexDelay)
		synctest.Wait()
		if n := s.Search.Behind(); n > 0 {
			t.Errorf("%d revisions wait", n)
		}
		for i := range maxBehind + indexChunk {
			many = append(many, story{fmt.Sprint("more", i), "text"})
		}
		publish(t, s, feedURL, many...)
		if n := s.Search.Behind(); n > maxBehind {
			t.Errorf("%d revisions wait, at most %d may", n, maxBehind)
		}
	})
}

// Of revisions whose indexing failed on the way none is left out later.
func TestIndexingGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	var many []story
	for i := range 3 * indexChunk {
		many = append(many, story{fmt.Sprint(i), "walrus"})
	}
	publish(t, s, feedURL, many...)
	change := func(sql string) {
		t.Helper()
		if err := s.DB.Write(t.Context(), func(tx *db.Tx) error { return db.Exec(tx.Conn, sql) }); err != nil {
			t.Fatal(err)
		}
	}
	known := func() (count int) {
		t.Helper()
		if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
			return db.Must(db.One(conn, `SELECT count(*) FROM search_docsize`, func(r *sqlite.Stmt) {
				count = r.ColumnInt(0)
			}))
		}); err != nil {
			t.Fatal(err)
		}
		return count
	}
	before := known()
	change(fmt.Sprintf(`CREATE TRIGGER refuse BEFORE UPDATE ON indexed WHEN new.upto > %d
		BEGIN SELECT RAISE(ABORT, 'refused'); END`, before+2*indexChunk))
	if err := s.DB.Write(t.Context(), s.Search.IndexAll); err == nil || known() != before {
		t.Fatalf("the index knows %d entries, not %d, %v: the test says nothing", known(), before, err)
	}
	change(`DROP TRIGGER refuse`)
	if s.Search.CatchUp(t.Context()); known() != 3*indexChunk || s.Search.Behind() != 0 {
		t.Errorf("the index knows %d entries of %d, and is %d behind", known(), 3*indexChunk, s.Search.Behind())
	}
	mustBeSoundNow(t, s)
}

// What is removed before the index learned of it is never found, and nothing is wrong with the index.
func TestWhatIsRemovedBeforeItIsIndexed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, whatIsRemovedBeforeItIsIndexed)
}

func whatIsRemovedBeforeItIsIndexed(t *testing.T) {
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now, c.Retention.Age, c.Retention.Bytes = clk.now, day, -1 })
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"gone", "walrus"}, story{"stays", "x"})
	clk.add(10 * day)
	publish(t, s, feedURL, story{"stays", "x"}, story{"new", "walrus"})
	pruneAll(t, s, clk.now())
	if s.Search.Behind() == 0 {
		t.Fatal("nothing waits for the index: the test says nothing")
	}
	if found := titles(river(t, s, tidings.EntryQuery{Search: "walrus"})); found != "new" {
		t.Errorf("found %q", found)
	}
}

// Of a guest nothing is indexed, until somebody follows it.
func TestGuestsAreNotIndexed(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now, c.Retention.Age, c.Retention.Bytes = clk.now, day, -1 })
	if err := s.Content.AddRelayed(t.Context(), feedURL); err != nil {
		t.Fatal(err)
	}
	words := func(want int) {
		t.Helper()
		river(t, s, tidings.EntryQuery{Search: "walrus"}) // which has all indexed
		got := 0
		err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
			return db.Must(db.One(conn, `SELECT count(*) FROM search_docsize`, func(r *sqlite.Stmt) {
				got = r.ColumnInt(0)
			}))
		})
		if err != nil || got != want {
			t.Errorf("the index knows %d entries, want %d (%v)", got, want, err)
		}
	}
	publish(t, s, feedURL, story{"gone", "walrus"}, story{"stays", "walrus"})
	words(0)
	clk.add(10 * day)
	publish(t, s, feedURL, story{"stays", "walrus"}, story{"new", "walrus"})
	pruneAll(t, s, clk.now()) // which removes what the index does not know
	words(0)
	mustBeSound(t, copyDir(t, s.config.Dir))
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"stays", "walrus"}, story{"new", "walrus"}, story{"last", "walrus"})
	if found := titles(river(t, s, tidings.EntryQuery{Search: "walrus"})); !strings.Contains(found, "stays") ||
		!strings.Contains(found, "last") {
		t.Errorf("found %q", found)
	}
	mustBeSoundNow(t, s)
}

// A text that is damaged does not keep others from being stored and found.
func TestADamagedTextIsPassedOver(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "walrus"}, story{"b", "walrus"})
	err := s.write(t.Context(), func(t *content.Tx) error {
		return db.Exec(t.Conn, `UPDATE revision SET content = x'01ff' WHERE guid = 'a'`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if found := titles(river(t, s, tidings.EntryQuery{Search: "walrus"})); found != "b" {
		t.Errorf("found %q", found)
	}
}

// Numbers go on where they were after closing, and further up after a crash.
func TestNumbersAfterClosingAndCrashing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	crashed := copyDir(t, s.config.Dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int64{s.config.Dir: 2, crashed: 1 + content.Schema.Sequences[0].Reserve + 1} {
		again := mustOpen(t, Config{Dir: dir})
		publish(t, again, feedURL, story{"a", "x"}, story{"b", "x"})
		entries := river(t, again, tidings.EntryQuery{})
		if entries[0].Item != want || entries[0].ID != want || entries[0].Update != 2 {
			t.Errorf("item %d, entry %d, update %d; want %d, %d and 2", entries[0].Item, entries[0].ID,
				entries[0].Update, want, want)
		}
		mustBeSoundNow(t, again)
	}
}
