package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
)

// remove removes versions in operations of at most pruneSlice each, and leaves the
// writer to others for as long between them.
func (s *Store) remove(ctx context.Context, versions []doomed) error {
	for len(versions) > 0 {
		n := 0
		began := time.Now()
		err := s.write(ctx, func(t *tx) error {
			end := time.Now().Add(pruneSlice)
			for n < len(versions) && time.Now().Before(end) {
				done, err := t.removeVersion(versions[n].id, versions[n].whole, end)
				if err != nil {
					return err
				}
				if done {
					n++
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
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// removeVersion removes a version with all of its revisions, or, unless it is to go
// as a whole, with those that nothing protects. What is left of a version cannot be
// asked for as a state any more. It is not done if the time is over before.
func (t *tx) removeVersion(id int64, whole bool, end time.Time) (done bool, err error) {
	var channel, first, last int64
	var url string
	var latest bool
	found, err := one(t.Conn, `SELECT v.channel, c.url, v.first, v.last, c.latest = v.id AND c.orphaned IS NULL
		FROM version v JOIN channel c ON c.id = v.channel WHERE v.id = ?`, func(r *sqlite.Stmt) {
		channel, url = r.ColumnInt64(0), r.ColumnText(1)
		first, last, latest = r.ColumnInt64(2), r.ColumnInt64(3), r.ColumnBool(4)
	}, id)
	if err != nil || !found || latest && !whole {
		return true, err
	}
	if err := exec(t.Conn, `DELETE FROM content WHERE version = ?`, id); err != nil {
		return false, err
	}
	var listed map[int64]struct{}
	if !whole {
		if listed, err = listedItems(t.Conn, url); err != nil {
			return false, err
		}
	}
	revisions, err := t.revisions(first, last)
	if err != nil {
		return false, err
	}
	kept := 0
	for _, r := range revisions {
		if _, ok := listed[r.item]; r.starred || ok && r.id == r.latest {
			kept++
			continue
		}
		if err := t.removeRevision(channel, r); err != nil {
			return false, err
		}
		if time.Now().After(end) {
			return false, nil
		}
	}
	if kept > 0 {
		return true, nil
	}
	return true, exec(t.Conn, `DELETE FROM version WHERE id = ?`, id)
}

// storedRevision is a revision as removing needs it.
type storedRevision struct {
	id, item, latest int64
	mark             tidings.Mark
	starred          bool
}

func (t *tx) revisions(first, last int64) (revisions []storedRevision, err error) {
	return revisions, each(t.Conn, `SELECT r.id, r.item, i.latest, i.guid, i.link, i.title, i.date, i.print,
			EXISTS (SELECT 1 FROM star t WHERE t.item = r.item)
		FROM revision r CROSS JOIN item i ON i.channel = r.channel AND i.id = r.item
		WHERE r.id BETWEEN ? AND ?`, func(r *sqlite.Stmt) error {
		revisions = append(revisions, storedRevision{
			id: r.ColumnInt64(0), item: r.ColumnInt64(1), latest: r.ColumnInt64(2),
			mark: readMark(r, 3), starred: r.ColumnBool(8),
		})
		return nil
	}, first, last)
}

func (t *tx) removeRevision(channel int64, r storedRevision) error {
	if err := exec(t.Conn, `DELETE FROM revision WHERE id = ?`, r.id); err != nil {
		return err
	}
	if err := exec(t.Conn, `DELETE FROM search WHERE rowid = ?`, r.id); err != nil {
		return err
	}
	if r.id != r.latest {
		return nil
	}
	var followers []int64
	if err := each(t.Conn, `SELECT account FROM subscription WHERE channel = ?`, func(r *sqlite.Stmt) error {
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
	if r.mark == (tidings.Mark{}) { // a version of a page: nothing to know it by
		return exec(t.Conn, `DELETE FROM item WHERE channel = ? AND id = ?`, channel, r.item)
	}
	return exec(t.Conn, `UPDATE item SET latest = 0 WHERE channel = ? AND id = ?`, channel, r.item)
}
