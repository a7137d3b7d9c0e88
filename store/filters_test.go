package store

import (
	"context"
	"strings"
	"testing"

	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/reader"
)

// inTitle is a language in which a condition is a text that the title contains.
type inTitle struct{}

type contained string

func (inTitle) Compile(text string) (reader.Condition, error) { return contained(text), nil }
func (inTitle) Prepare(a reader.Candidate) reader.Prepared    { return a.Item.Title }
func (c contained) String() string                            { return string(c) }
func (c contained) Holds(article reader.Prepared, _ *int64) (holds, ok bool) {
	title, _ := article.(string)
	return strings.Contains(title, string(c)), true
}

// Whatever operation on the disk fails, and then all do: an article that is stored has been filtered, and one that is
// not has left nothing.
func TestFiltersAndArticlesAreStoredTogether(t *testing.T) {
	registerDisk()
	stride := 7
	if testing.Short() {
		stride = 29
	}
	for k := 1; ; k += stride {
		dir := dataDir(t)
		theDisk.reset()
		s, err := open(context.Background(), Config{Dir: dir, Conditions: inTitle{}}, faultyVFS)
		if err != nil {
			t.Fatal(err)
		}
		url := channelURL(0)
		if _, err := step(t, s, url); err != nil { // subscribes
			t.Fatal(err)
		}
		for condition, actions := range map[string]tidings.FilterActions{"v": {Drop: true},
			"edited": {Read: true, Star: true, Labels: []string{"x"}}} {
			if _, err := s.Filters.Add(t.Context(), tidings.Owner,
				tidings.FilterSettings{Condition: condition, Actions: actions}); err != nil {
				t.Fatal(err)
			}
		}
		theDisk.mu.Lock()
		theDisk.failAt, theDisk.code, theDisk.sticky = theDisk.count+k, lib.SQLITE_IOERR_WRITE, true
		theDisk.mu.Unlock()
		stored := 0
		for range 3 {
			if _, err := step(t, s, url); err == nil {
				stored++
			}
		}
		s.Close() // its error is that of the disk
		failed := theDisk.failed
		theDisk.reset()
		if s, err = open(context.Background(), Config{Dir: dir, Conditions: inTitle{}}, faultyVFS); err != nil {
			t.Fatal(err)
		}
		var versions, shown, hidden, labelled, kept int
		if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
			_, err := db.One(conn, `SELECT (SELECT count(*) FROM version),
				(SELECT count(*) FROM item i JOIN revision r ON r.id = i.latest WHERE r.title LIKE '%v%'
				AND NOT EXISTS (SELECT 1 FROM filtered f WHERE f.item = i.id AND f.hidden != 0)),
				(SELECT count(*) FROM filtered), (SELECT count(*) FROM label), (SELECT sum(matched)
				FROM filter)`, func(r *sqlite.Stmt) {
				versions, shown, hidden, labelled, kept = r.ColumnInt(0), r.ColumnInt(1), r.ColumnInt(2),
					r.ColumnInt(3), r.ColumnInt(4)
			})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		unread, err := s.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{Unread: true})
		if err != nil {
			t.Fatal(err)
		}
		// Each version has a new article, which is dropped, and one that is edited.
		if versions < stored || shown > 0 || hidden != versions || labelled != min(versions, 1) || kept != 2*versions ||
			len(unread) > 0 {
			t.Fatalf("operation %d failed: %d versions, of which %d were acknowledged; %d dropped articles are shown, %d hidden, %d labelled, filters have acted %d times, %d are unread",
				k, versions, stored, shown, hidden, labelled, kept, len(unread))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		mustBeSound(t, dir)
		if !failed {
			return
		}
	}
}
