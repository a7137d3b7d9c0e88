package store

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
)

// turns watches the writer at work: at the end of a transaction it leaves an
// operation, and sees when that has its turn. Everything in it belongs to
// the writer's goroutine.
type turns struct {
	t       testing.TB
	store   *Store // nil: not watching so far
	over    bool   // let nobody wait any more
	waiting bool
	number  int // of transactions so far
	stored  int // revisions before the transaction
	most    int // revisions that one transaction removed
	had     int // turns that the operations behind had
}

func (w *turns) count(conn *sqlite.Conn) (n int) {
	if _, err := db.One(conn, `SELECT count(*) FROM revision`, func(r *sqlite.Stmt) {
		n = r.ColumnInt(0)
	}); err != nil {
		w.t.Error(err)
	}
	return n
}

// end is called in every transaction, behind its operations.
func (w *turns) end(t *db.Tx) error {
	w.number++
	now := w.count(t.Conn)
	if removed := w.stored - now; w.number > 1 {
		w.most = max(w.most, removed)
	}
	w.stored = now
	if w.waiting || w.over {
		return nil // its turn is next
	}
	w.waiting = true
	number := w.number
	return w.store.DB.Leave(context.Background(), func(t *db.Tx) error {
		w.waiting = false
		w.had++
		if w.number != number {
			w.t.Errorf("what came in transaction %d has its turn in transaction %d", number, w.number+1)
		}
		if removed := now - w.count(t.Conn); removed > content.RemovedAtOnce {
			w.t.Errorf("a writer waits while %d entries are removed, want %d at most", removed, content.RemovedAtOnce)
		}
		return db.Exec(t.Conn, `INSERT INTO setting (key, value) VALUES (?, '')`, fmt.Sprint("turn", w.had))
	})
}

// hostile 53: retention works in batches. None removes more entries than content.RemovedAtOnce, whether they come in
// one version or in many. A writer waits for one batch at most. The clock stands still: so a batch is never ended by
// its time limit, which makes batches smaller.
func TestHostile53RetentionInBatches(t *testing.T) {
	large, small := 3000, 500 // entries of one version, and versions of one entry
	if testing.Short() {
		large, small = 1000, 64
	}
	synctest.Test(t, func(t *testing.T) {
		clk := newClock()
		watch := &turns{t: t}
		s := newStore(t, func(c *Config) {
			c.Now = clk.now
		})
		follow(t, s, channelURL(0))
		follow(t, s, channelURL(1))
		var stories []story
		for i := range large {
			stories = append(stories, story{fmt.Sprint(i), "x"})
		}
		publish(t, s, channelURL(0), stories...)
		publish(t, s, channelURL(0), story{"last", "x"})
		for i := range small {
			publish(t, s, channelURL(1), story{fmt.Sprint(i), "x"})
		}
		// The first of the large version, which are looked at first, are to be kept.
		const starred = 300
		for _, e := range river(t, s, tidings.EntryQuery{Channel: channelURL(0), Before: starred + 1, Limit: starred}) {
			if err := s.Reader.Star(t.Context(), tidings.Owner, e.Item, true); err != nil {
				t.Fatal(err)
			}
		}
		tell := func(what func()) {
			if err := s.write(t.Context(), func(*content.Tx) error { what(); return nil }); err != nil {
				t.Fatal(err)
			}
		}

		tell(func() { watch.store = s })
		s.DB.Regularly(db.Work{
			Waits: func() bool { return false },
			Bound: func(t *db.Tx) error { return watch.end(t) },
		})
		done, err := s.Prune(t.Context(), clk.now().Add(400*day), time.Hour)
		tell(func() { watch.over = true })
		tell(func() {}) // behind the last that waits
		if err != nil || !done {
			t.Fatalf("done %v, %v", done, err)
		}
		if watch.most != content.RemovedAtOnce {
			t.Errorf("the largest batch removes %d entries, want %d: the bound, reached", watch.most,
				content.RemovedAtOnce)
		}
		// At least every second transaction is one that somebody waits behind.
		if want := (large + small) / content.RemovedAtOnce / 2; watch.had < want {
			t.Errorf("others have %d turns, want %d at least", watch.had, want)
		}
		if left := len(river(t, s, tidings.EntryQuery{Limit: tidings.MaxLimit})); left != starred+2 {
			t.Errorf("%d entries are left, want what is starred and the last of each channel", left)
		}
		n := 0
		if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
			_, err := db.One(conn, `SELECT count(*) FROM setting WHERE key GLOB 'turn*'`,
				func(r *sqlite.Stmt) { n = r.ColumnInt(0) })
			return err
		}); err != nil || n != watch.had {
			t.Errorf("%d of %d writes during retention are there (%v)", n, watch.had, err)
		}
	})
}
