package published

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// Unarchived is an item of this node's that the network's archive is not known to keep.
type Unarchived struct {
	Item
	Publication int64 // the store's name for it
}

// Unarchived returns items of all publications that other nodes have, so that they no longer change, and that the
// network's archive is not known to keep. There are at most limit of them, in order of publications and numbers. They
// begin behind the one that after names by these; the zero value: from the first.
func (s *Store) Unarchived(ctx context.Context, after Unarchived, limit int) (items []Unarchived, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT publication, number, topic, item FROM published
			WHERE sent = 1 AND archived = 0 AND (publication, number) > (?, ?) ORDER BY publication, number
			LIMIT +?`, func(r *sqlite.Stmt) error {
			i := Unarchived{Publication: r.ColumnInt64(0)}
			i.Number, i.Signed = uint64(r.ColumnInt64(1)), db.ColumnBlob(r, 3)
			copy(i.Topic[:], db.ColumnBlob(r, 2))
			items = append(items, i)
			return nil
		}, after.Publication, int64(after.Number), limit)
	})
	if err != nil {
		return nil, fmt.Errorf("published items that are not in the archive: %w", err)
	}
	return items, nil
}

// NoteArchived notes that the network's archive keeps items. It lasts up to a tenth of a second, in which it shares a
// transaction with others.
func (s *Store) NoteArchived(ctx context.Context, items []Unarchived) error {
	err := s.db.WriteAlong(ctx, len(items), func(t *db.Tx) error {
		for _, i := range items {
			if err := db.Exec(t.Conn, `UPDATE published SET archived = 1 WHERE publication = ? AND number = ?`,
				i.Publication, int64(i.Number)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("noting what the archive keeps: %w", err)
	}
	return nil
}
