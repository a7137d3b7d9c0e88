package reader

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const (
	markChunk = 500 // items marked in one operation
	markBound = 1e6 // items of one call
)

// MarkRead marks items (by Entry.Item) read or unread for account. Items that it does not follow, or of which nothing
// is kept, are passed over. To read an item is to read its edits.
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
			if !read {
				return nil
			}
			return s.onRead(t, account)
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
	return s.markWithEdits(t, read)
}

// markWithEdits marks the item read, or unread. An account that reads it reads its edits.
func (s *state) markWithEdits(t *db.Tx, read bool) error {
	if err := s.mark(t, read); err != nil || !read || !s.beside {
		return err
	}
	return readEdits(t, s.account, s.item)
}

// MarkSelected marks read up to 500 unread items that q selects, in its order. It returns how many those were, moves q
// behind them, and reports whether there may be more. The limit of q does not count.
func MarkSelected(t *db.Tx, account tidings.AccountID, q *tidings.EntryQuery) (marked int, more bool, err error) {
	return markSelected(t, account, q, t.Now)
}

func markSelected(t *db.Tx, account tidings.AccountID, q *tidings.EntryQuery,
	when time.Time) (marked int, more bool, err error) {
	q.Unread = true
	sel, err := newSelection(t.Conn, account, *q)
	if err != nil {
		return 0, false, err
	}
	ids, err := sel.ids(t.Conn, markChunk)
	if err != nil {
		return 0, false, err
	}
	for _, revision := range ids {
		var at tidings.Place
		if err := db.Must(
			db.One(t.Conn, `SELECT i.dated, i.id FROM revision r JOIN item i ON i.channel = r.channel AND i.id = r.item
				WHERE r.id = ?`, func(r *sqlite.Stmt) {
				at = tidings.Place{Dated: db.ColumnTime(r, 0), Item: r.ColumnInt64(1)}
			}, revision)); err != nil {
			return 0, false, err
		}
		if err := markItemAt(t, int64(account), at.Item, 0, true, when); err != nil {
			return 0, false, err
		}
		if q.ByDate {
			q.Behind = at
		} else {
			q.Before = revision
		}
	}
	return len(ids), len(ids) == markChunk, nil
}

// Star stars an item (by Entry.Item) or removes the star. The error is tidings.ErrNotFound if the account does not
// follow its channel, and tidings.ErrInvalid if a reader has starred as many as New allows. What is starred is never
// removed.
func (s *Store) Star(ctx context.Context, account tidings.AccountID, item int64, starred bool) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		of, found, err := stateOf(t, int64(account), item)
		if err := db.Must(found, err); err != nil {
			return err
		}
		return of.star(t, starred, s.starred)
	})
	if err != nil {
		return fmt.Errorf("starring item %d: %w", item, err)
	}
	return nil
}
