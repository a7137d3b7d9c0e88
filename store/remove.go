package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// remove removes versions in operations of at most pruneRows revisions and about
// pruneSlice each, and leaves the writer to others for as long between them. When
// Prune's time is over it stops behind a version; the cursor says which.
func (s *Store) remove(ctx context.Context, versions []doomed) error {
	behind := int64(0) // the last revision of versions[0] that has been dealt with
	for len(versions) > 0 {
		n := 0
		began := time.Now()
		err := s.write(ctx, func(t *tx) error {
			slice := removal{rows: pruneRows}
			for n < len(versions) && !slice.over() {
				last, done, err := t.removeVersion(versions[n], behind, &slice)
				if err != nil {
					return err
				}
				if behind = last; done {
					n, behind = n+1, 0
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if n > 0 {
			s.prune.cursor = versions[n-1].next
			versions = versions[n:]
			if time.Now().After(s.prune.deadline) {
				return nil
			}
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// removal is what one removing operation may still do. Its time begins when the first
// revisions have been read, so that each operation gets on, however long that took.
type removal struct {
	rows int
	end  time.Time
}

func (r *removal) over() bool {
	return r.rows == 0 || !r.end.IsZero() && time.Now().After(r.end)
}

func (r *removal) begin() {
	if r.end.IsZero() {
		r.end = time.Now().Add(pruneSlice)
	}
}

// removeVersion removes a version with all of its revisions, or, unless it is to go
// as a whole, with those that nothing protects. What is left of a version cannot be
// asked for as a state any more. It begins behind the revision of that number, and
// returns the last it has dealt with; it is not done if the slice is over before.
func (t *tx) removeVersion(v doomed, behind int64, slice *removal) (at int64, done bool, err error) {
	var channel, first, last int64
	var url string
	var latest bool
	found, err := db.One(t.Conn, `SELECT v.channel, c.url, v.first, v.last, c.latest = v.id AND (c.orphaned IS NULL OR c.polled IS NOT NULL)
		FROM version v JOIN channel c ON c.id = v.channel WHERE v.id = ?`, func(r *sqlite.Stmt) {
		channel, url = r.ColumnInt64(0), r.ColumnText(1)
		first, last, latest = r.ColumnInt64(2), r.ColumnInt64(3), r.ColumnBool(4)
	}, v.id)
	if err != nil || !found || latest && !v.whole {
		return behind, true, err
	}
	if err := db.Exec(t.Conn, `DELETE FROM content WHERE version = ?`, v.id); err != nil {
		return behind, false, err
	}
	var listed map[int64]struct{}
	if !v.whole {
		if listed, err = listedItems(t.Conn, url); err != nil {
			return behind, false, err
		}
	}
	revisions, err := t.revisions(max(first, behind+1), last, slice.rows)
	if err != nil {
		return behind, false, err
	}
	slice.begin()
	for _, r := range revisions {
		if slice.over() {
			return behind, false, nil
		}
		slice.rows--
		behind = r.id
		if _, ok := listed[r.item]; r.starred || ok && r.id == r.latest {
			continue
		}
		if err := t.removeRevision(channel, r); err != nil {
			return behind, false, err
		}
	}
	if slice.over() && behind < last {
		return behind, false, nil
	}
	return behind, true, db.Exec(t.Conn, `DELETE FROM version WHERE id = ?1
		AND NOT EXISTS (SELECT 1 FROM revision WHERE id BETWEEN ?2 AND ?3)`, v.id, first, last)
}

// storedRevision is a revision as removing needs it.
type storedRevision struct {
	id, item, latest int64
	mark             tidings.ItemIdentity
	starred          bool
}

func (t *tx) revisions(first, last int64, most int) (revisions []storedRevision, err error) {
	return revisions, db.Each(t.Conn, `SELECT r.id, r.item, i.latest, i.guid, i.link, i.title, i.date, i.print,
			EXISTS (SELECT 1 FROM star t WHERE t.item = r.item)
		FROM revision r CROSS JOIN item i ON i.channel = r.channel AND i.id = r.item
		WHERE r.id BETWEEN ? AND ? ORDER BY r.id LIMIT +?`, func(r *sqlite.Stmt) error {
		revisions = append(revisions, storedRevision{
			id: r.ColumnInt64(0), item: r.ColumnInt64(1), latest: r.ColumnInt64(2),
			mark: column.Identity(r, 3), starred: r.ColumnBool(8),
		})
		return nil
	}, first, last, most)
}

// removeRevision removes a revision and what hangs on it.
func (t *tx) removeRevision(channel int64, r storedRevision) error {
	if err := db.Exec(t.Conn, `DELETE FROM revision WHERE id = ?`, r.id); err != nil {
		return err
	}
	if err := t.search.Remove(t.Tx, r.id); err != nil {
		return err
	}
	if r.id != r.latest {
		return nil
	}
	var followers []int64
	if err := db.Each(t.Conn, `SELECT account FROM subscription WHERE channel = ?`, func(r *sqlite.Stmt) error {
		followers = append(followers, r.ColumnInt64(0))
		return nil
	}, channel); err != nil {
		return err
	}
	for _, account := range followers {
		if err := t.readRevision(account, channel, r.id); err != nil {
			return err
		}
	}
	if r.mark == (tidings.ItemIdentity{}) { // a version of a page: nothing to know it by
		return db.Exec(t.Conn, `DELETE FROM item WHERE channel = ? AND id = ?`, channel, r.item)
	}
	return db.Exec(t.Conn, `UPDATE item SET latest = 0 WHERE channel = ? AND id = ?`, channel, r.item)
}
