package reader

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const (
	markChunk = 500 // items marked in one operation
	markBound = 1e6 // items of one call
)

// MarkRead marks items (by Entry.Item) read or unread for account. Items that it
// does not follow, or of which nothing is kept, are passed over.
func (s *Store) MarkRead(ctx context.Context, account tidings.AccountID, items []int64, read bool) error {
	if len(items) > markBound {
		return fmt.Errorf("marking %d items: %w: too many", len(items), tidings.ErrInvalid)
	}
	for len(items) > 0 {
		chunk := items[:min(markChunk, len(items))]
		items = items[len(chunk):]
		err := s.db.Write(ctx, func(t *db.Tx) error {
			for _, item := range chunk {
				if err := markItem(t, int64(account), item, read); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("marking items: %w", err)
		}
	}
	return nil
}

func markItem(t *db.Tx, account, item int64, read bool) error {
	var channel, latest int64
	found, err := db.One(t.Conn, `SELECT i.channel, i.latest FROM item i
		JOIN subscription s ON s.account = ? AND s.channel = i.channel
		WHERE i.id = ? AND i.latest != 0`, func(r *sqlite.Stmt) {
		channel, latest = r.ColumnInt64(0), r.ColumnInt64(1)
	}, account, item)
	if err != nil || !found {
		return err
	}
	if read {
		return readRevision(t, account, channel, latest)
	}
	if err := db.Exec(t.Conn, `INSERT INTO unread (account, revision, channel) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
		account, latest, channel); err != nil {
		return err
	}
	if t.Changes() == 0 {
		return nil
	}
	return countUnread(t, account, channel, +1)
}

// readRevision takes the latest revision of an item off the unread ones.
func readRevision(t *db.Tx, account, channel, revision int64) error {
	if err := db.Exec(t.Conn, `DELETE FROM unread WHERE account = ? AND revision = ?`, account, revision); err != nil {
		return err
	}
	if t.Changes() == 0 {
		return nil
	}
	return countUnread(t, account, channel, -1)
}

// MarkSelected marks read up to 500 of what q selects and the reader can have seen: unread items whose latest revision has
// an ID up to upTo. It returns how many those were, and whether there may be more. The limit of q does not count.
func MarkSelected(t *db.Tx, account tidings.AccountID, q tidings.EntryQuery, upTo int64) (marked int, more bool, err error) {
	q.Unread = true
	if q.Before <= 0 || q.Before > upTo {
		q.Before = upTo + 1
	}
	if upTo <= 0 {
		return 0, false, nil
	}
	sel, err := newSelection(t.Conn, account, q)
	if err != nil {
		return 0, false, err
	}
	ids, err := sel.ids(t.Conn, markChunk)
	if err != nil {
		return 0, false, err
	}
	return len(ids), len(ids) == markChunk, readRevisions(t, int64(account), ids)
}

func readRevisions(t *db.Tx, account int64, revisions []int64) error {
	for _, revision := range revisions {
		var channel int64
		if err := db.Must(db.One(t.Conn, `SELECT channel FROM unread WHERE account = ? AND revision = ?`, func(r *sqlite.Stmt) {
			channel = r.ColumnInt64(0)
		}, account, revision)); err != nil {
			return err
		}
		if err := readRevision(t, account, channel, revision); err != nil {
			return err
		}
	}
	return nil
}

// Star stars an item (by Entry.Item) or takes the star away; tidings.ErrNotFound if
// the account does not follow its channel. What is starred is never removed.
func (s *Store) Star(ctx context.Context, account tidings.AccountID, item int64, starred bool) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		var channel int64
		if err := db.Must(db.One(t.Conn, `SELECT i.channel FROM item i JOIN subscription s ON s.account = ? AND s.channel = i.channel
			WHERE i.id = ? AND i.latest != 0`, func(r *sqlite.Stmt) { channel = r.ColumnInt64(0) }, int64(account), item)); err != nil {
			return err
		}
		if !starred {
			return db.Exec(t.Conn, `DELETE FROM star WHERE account = ? AND item = ?`, int64(account), item)
		}
		return db.Exec(t.Conn, `INSERT INTO star (account, item, channel, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			int64(account), item, channel, t.Now)
	})
	if err != nil {
		return fmt.Errorf("starring item %d: %w", item, err)
	}
	return nil
}
