package content

import (
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

const (
	RemovedAtOnce = 256                  // revisions that one removing operation looks at
	removeSlice   = 2 * time.Millisecond // how long it removes before others have their turn
)

// Removal is what one removing operation may still do. Its time begins when the first revisions have been read, so that
// each operation makes progress, however long that reading lasted.
type Removal struct {
	rows int
	end  time.Time
}

// NewRemoval returns what one operation may do: it looks at 256 revisions, for about 2 ms.
func NewRemoval() *Removal { return &Removal{rows: RemovedAtOnce} }

// Over reports whether the operation is to end.
func (r *Removal) Over() bool {
	return r.rows == 0 || !r.end.IsZero() && time.Now().After(r.end)
}

func (r *Removal) begin() {
	if r.end.IsZero() {
		r.end = time.Now().Add(removeSlice)
	}
}

// Removed is a revision that was removed.
type Removed struct {
	Channel, Item, Revision int64
	Latest                  bool // of its item
}

// RemoveVersion removes a version and calls gone with each of its revisions that it removes. Those are all if the
// version is to go as a whole, else those that nothing protects. The version's remaining part can no longer be
// requested as a state. RemoveVersion begins behind the revision of that number, and returns the last that it has dealt
// with. It is not done if the slice ends before.
func RemoveVersion(t *Tx, v Doomed, behind int64, slice *Removal,
	gone func(Removed) error) (at int64, done bool, err error) {
	var channel, first, last int64
	var url string
	var latest bool
	found, err :=
		db.One(t.Conn,
			`SELECT v.channel, c.url, v.first, v.last, c.latest = v.id AND (c.orphaned IS NULL OR c.polled IS NOT NULL)
		FROM version v JOIN channel c ON c.id = v.channel WHERE v.id = ?`, func(r *sqlite.Stmt) {
				channel, url = r.ColumnInt64(0), r.ColumnText(1)
				first, last, latest = r.ColumnInt64(2), r.ColumnInt64(3), r.ColumnBool(4)
			}, v.ID)
	if err != nil || !found || latest && !v.Whole {
		return behind, true, err
	}
	if err := db.Exec(t.Conn, `DELETE FROM content WHERE version = ?`, v.ID); err != nil {
		return behind, false, err
	}
	var listed map[int64]struct{}
	if !v.Whole {
		if listed, err = listedItems(t.Conn, url); err != nil {
			return behind, false, err
		}
	}
	revisions, err := storedRevisions(t, max(first, behind+1), last, slice.rows)
	if err != nil {
		return behind, false, err
	}
	slice.begin()
	for _, r := range revisions {
		if slice.Over() {
			return behind, false, nil
		}
		slice.rows--
		behind = r.id
		if _, ok := listed[r.item]; r.dear || ok && r.id == r.latest {
			continue
		}
		if err := removeRevision(t, channel, r); err != nil {
			return behind, false, err
		}
		if err := gone(Removed{channel, r.item, r.id, r.id == r.latest}); err != nil {
			return behind, false, err
		}
	}
	if slice.Over() && behind < last {
		return behind, false, nil
	}
	return behind, true, db.Exec(t.Conn, `DELETE FROM version WHERE id = ?1
		AND NOT EXISTS (SELECT 1 FROM revision WHERE id BETWEEN ?2 AND ?3)`, v.ID, first, last)
}

// storedRevision is a revision as removing needs it.
type storedRevision struct {
	id, item, latest int64
	mark             tidings.ItemIdentity
	dear             bool // somebody has starred or labelled the item
}

func storedRevisions(t *Tx, first, last int64, most int) (revisions []storedRevision, err error) {
	return revisions, db.Each(t.Conn, `SELECT r.id, r.item, i.latest, i.guid, i.link, i.title, i.date, i.print,
			EXISTS (SELECT 1 FROM star t WHERE t.item = r.item) OR EXISTS (SELECT 1 FROM label l WHERE l.item = r.item
			AND l.auto = 0)
		FROM revision r CROSS JOIN item i ON i.channel = r.channel AND i.id = r.item
		WHERE r.id BETWEEN ? AND ? ORDER BY r.id LIMIT +?`, func(r *sqlite.Stmt) error {
		revisions = append(revisions, storedRevision{
			id: r.ColumnInt64(0), item: r.ColumnInt64(1), latest: r.ColumnInt64(2),
			mark: column.Identity(r, 3), dear: r.ColumnBool(8),
		})
		return nil
	}, first, last, most)
}

// removeRevision removes a revision, and its item if nothing is known of that any more.
func removeRevision(t *Tx, channel int64, r storedRevision) error {
	if err := db.Exec(t.Conn, `DELETE FROM revision WHERE id = ?`, r.id); err != nil {
		return err
	}
	if r.id != r.latest {
		return nil
	}
	if r.mark == (tidings.ItemIdentity{}) { // a version of a page: nothing to know it by
		return db.Exec(t.Conn, `DELETE FROM item WHERE channel = ? AND id = ?`, channel, r.item)
	}
	return db.Exec(t.Conn, `UPDATE item SET latest = 0 WHERE channel = ? AND id = ?`, channel, r.item)
}
