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
	s, found, err := stateOf(t, account, item)
	if err != nil || !found {
		return err
	}
	return s.mark(t, read)
}

// MarkSelected marks read up to 500 of what q selects and the reader can have seen: unread items whose latest revision has
// an ID up to upTo, the newest first. It returns how many those were, and up to which ID there may be more; 0: there are none.
// The limit of q does not count.
func MarkSelected(t *db.Tx, account tidings.AccountID, q tidings.EntryQuery, upTo int64) (marked int, rest int64, err error) {
	q.Unread = true
	if q.Before <= 0 || q.Before > upTo {
		q.Before = upTo + 1
	}
	if upTo <= 0 {
		return 0, 0, nil
	}
	sel, err := newSelection(t.Conn, account, q)
	if err != nil {
		return 0, 0, err
	}
	ids, err := sel.ids(t.Conn, markChunk)
	if err != nil {
		return 0, 0, err
	}
	if len(ids) == markChunk {
		rest = ids[markChunk-1] - 1
	}
	for _, revision := range ids {
		var item int64
		if err := db.Must(db.One(t.Conn, `SELECT item FROM revision WHERE id = ?`, func(r *sqlite.Stmt) { item = r.ColumnInt64(0) }, revision)); err != nil {
			return 0, 0, err
		}
		if err := markItem(t, int64(account), item, true); err != nil {
			return 0, 0, err
		}
	}
	return len(ids), rest, nil
}

// Star stars an item (by Entry.Item) or takes the star away; tidings.ErrNotFound if
// the account does not follow its channel. What is starred is never removed.
func (s *Store) Star(ctx context.Context, account tidings.AccountID, item int64, starred bool) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		of, found, err := stateOf(t, int64(account), item)
		if err := db.Must(found, err); err != nil {
			return err
		}
		return of.star(t, starred)
	})
	if err != nil {
		return fmt.Errorf("starring item %d: %w", item, err)
	}
	return nil
}
