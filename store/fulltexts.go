package store

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/fulltext"
	"tidings/store/search"
)

// FullTexts are the full texts of items: those of the pages that they link to.
type FullTexts struct{ db *db.DB }

// NewFullTexts returns those of a store.
func NewFullTexts(s *Store) FullTexts { return FullTexts{s.DB} }

// Ask notes that an account has asked for the full text of an item; see [fulltext.Ask].
func (f FullTexts) Ask(ctx context.Context, account tidings.AccountID, item int64, again bool) error {
	return f.write(ctx, "asking for a full text", func(t *db.Tx) error { return fulltext.Ask(t, account, item, again) })
}

// Due returns full texts that are to be fetched; see [fulltext.Due].
func (f FullTexts) Due(ctx context.Context, now time.Time, item int64, most int) (orders []fulltext.Order, err error) {
	err = f.db.Read(ctx, func(conn *sqlite.Conn) error {
		orders, err = fulltext.Due(conn, now, item, most)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for full texts to fetch: %w", err)
	}
	return orders, nil
}

// Next returns when the next full text is to be fetched; zero: none is.
func (f FullTexts) Next(ctx context.Context) (at time.Time, err error) {
	err = f.db.Read(ctx, func(conn *sqlite.Conn) error {
		at, err = fulltext.Next(conn)
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("looking for full texts to fetch: %w", err)
	}
	return at, nil
}

// Keep stores the full text of an item. Search finds the item by its words from then on.
func (f FullTexts) Keep(ctx context.Context, item int64, content string, shorter bool) error {
	return f.write(ctx, "storing a full text", func(t *db.Tx) error {
		revision, err := fulltext.Keep(t, item, content, shorter)
		if err != nil || revision == 0 {
			return err
		}
		return search.Reread(t, revision)
	})
}

// Fail notes why a full text could not be fetched; see [fulltext.Fail].
func (f FullTexts) Fail(ctx context.Context, item int64, why string, again time.Time) error {
	return f.write(ctx, "noting that a full text could not be fetched",
		func(t *db.Tx) error { return fulltext.Fail(t, item, why, again) })
}

func (f FullTexts) write(ctx context.Context, op string, run func(*db.Tx) error) error {
	if err := f.db.Write(ctx, run); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return nil
}
