package store

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/reader"
)

// Entries returns entries of the channels that account follows; see [reader.Entries]. A search finds all that was
// stored before.
func (s *Store) Entries(ctx context.Context, account tidings.AccountID,
	q tidings.EntryQuery) (entries []tidings.Entry, err error) {
	if q.Search != "" {
		s.Search.CatchUp(ctx)
	}
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		entries, err = reader.Entries(conn, account, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading entries: %w", err)
	}
	return entries, nil
}

// MarkAllRead marks read what q selects and the reader can have seen: unread items
// whose latest revision has an ID up to upTo. It returns how many those were. The
// limit of q does not count.
func (s *Store) MarkAllRead(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery,
	upTo int64) (marked int, err error) {
	if upTo <= 0 {
		return 0, nil
	}
	if q.Before <= 0 || q.Before > upTo {
		q.Before = upTo + 1
	}
	if q.Search != "" {
		s.Search.AwaitChecked(ctx)
	}
	for more := true; more; {
		n, next := 0, q
		err := s.DB.Write(ctx, func(t *db.Tx) (err error) {
			if q.Search != "" {
				if err := s.Search.IndexAll(t); err != nil {
					return err
				}
			}
			next = q
			if n, more, err = reader.MarkSelected(t, account, &next); err != nil {
				return err
			}
			return s.Outbox.DropRead(t, account)
		})
		if err != nil {
			return marked, fmt.Errorf("marking all read: %w", err)
		}
		q = next
		marked += n
	}
	return marked, nil
}
