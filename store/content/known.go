package content

import (
	"context"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/known"
)

// KnownItems returns the marks of every item of a feed that was ever seen and is still remembered, oldest first.
// Retention.Marks bounds them. An unknown channel has none.
func (s *Store) KnownItems(ctx context.Context, url string) (items []tidings.KnownItem, err error) {
	changes := s.known.Changes()
	var read *known.Feed // nil: they were held
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		listed, err := listedItems(conn, url)
		if err != nil {
			return err
		}
		if !s.known.ViewAsOf(changes, url, func(f *known.Feed) { items = slices.Clone(f.Items()) }) {
			if read, err = marksIn(conn, url); err != nil {
				return err
			}
			items = slices.Clone(read.Items())
		}
		for i := range items {
			_, items[i].Listed = listed[items[i].Row]
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("known items of %s: %w", url, err)
	}
	if read != nil {
		s.known.Hold(read, changes)
	}
	return items, nil
}

// ReadableItems returns the marks of the items of a feed whose text is here: retention has not removed it.
func (s *Store) ReadableItems(ctx context.Context, url string) (items []tidings.KnownItem, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT id, guid, link, title, date, print FROM item
			WHERE channel = (SELECT id FROM channel WHERE url = ?) AND latest != 0`, func(r *sqlite.Stmt) error {
			items = append(items, tidings.KnownItem{Row: r.ColumnInt64(0), ItemIdentity: column.Identity(r, 1)})
			return nil
		}, url)
	})
	if err != nil {
		return nil, fmt.Errorf("readable items of %s: %w", url, err)
	}
	return items, nil
}

// Listed returns the items in the latest document of a feed, in its order; of a page, the latest item.
func Listed(conn *sqlite.Conn, url string) (items []int64, err error) {
	if items, err = listedInOrder(conn, url); err != nil || len(items) > 0 {
		return items, err
	}
	return items, db.Each(conn, `SELECT i.id FROM channel c JOIN item i ON i.channel = c.id
		WHERE c.url = ? AND c.kind = 'page' AND i.latest != 0 ORDER BY i.latest DESC
		LIMIT 1`, func(r *sqlite.Stmt) error {
		items = append(items, r.ColumnInt64(0))
		return nil
	}, url)
}

func listedInOrder(conn *sqlite.Conn, url string) ([]int64, error) {
	var blob []byte
	if _, err :=
		db.One(conn, `SELECT t.body FROM channel c JOIN version v ON v.id = c.latest JOIN content t ON t.version = v.id
		WHERE c.url = ? AND v.kind = 'feed'`, func(r *sqlite.Stmt) { blob = db.ColumnBlob(r, 0) }, url); err != nil {
		return nil, err
	}
	return unpackOrder(blob)
}

// listedItems returns the items in the latest document of a feed.
func listedItems(conn *sqlite.Conn, url string) (map[int64]struct{}, error) {
	order, err := listedInOrder(conn, url)
	listed := make(map[int64]struct{}, len(order))
	for _, item := range order {
		listed[item] = struct{}{}
	}
	return listed, err
}

// Lines returns the latest content of a page, its hash and its version. A channel without a page as its latest version,
// or an unknown channel, has no lines and the hash "". That is the base of its next page change.
func (s *Store) Lines(ctx context.Context, url string) (lines []string, hash string, v tidings.Version, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		var blob []byte
		found, err := db.One(conn, `SELECT c.version, v.hash, t.body FROM channel c
			LEFT JOIN version v ON v.id = c.latest AND v.kind = 'page' LEFT JOIN content t ON t.version = v.id
			WHERE c.url = ?`, func(r *sqlite.Stmt) {
			v, hash, blob = tidings.Version(r.ColumnInt64(0)), r.ColumnText(1), db.ColumnBlob(r, 2)
		}, url)
		if err != nil || !found {
			return err
		}
		lines, err = unpackLines(blob)
		return err
	})
	if err != nil {
		return nil, "", 0, fmt.Errorf("lines of %s: %w", url, err)
	}
	return lines, hash, v, nil
}
