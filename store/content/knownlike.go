package content

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/known"
)

// KnownLike returns those of KnownItems, oldest first, that have a part in common with one of some marks: guid, link,
// title or text. A comparison of these items with the marks finds what one of all items would. upTo is the row of the
// latest item of all: the change is compared up to it. Listed is set only where two of the items have a part in common,
// because nothing is decided by it elsewhere. A channel that is not there has none.
func (s *Store) KnownLike(ctx context.Context, url string,
	like []tidings.ItemIdentity) (items []tidings.KnownItem, upTo int64, err error) {
	parts := known.PartsOf(like)
	poll := func(f *known.Feed) {
		items, upTo = f.Having(parts), f.Latest()
	}
	if !s.known.View(url, poll) {
		changes := s.known.Changes()
		f, err := readMarks(ctx, s.db, url)
		if err != nil {
			return nil, 0, fmt.Errorf("known items of %s: %w", url, err)
		}
		poll(f)
		s.known.Hold(f, changes)
	}
	if !known.Ambiguous(items) {
		return items, upTo, nil
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		listed, err := listedItems(conn, url)
		for i := range items {
			_, items[i].Listed = listed[items[i].Row]
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("listed items of %s: %w", url, err)
	}
	return items, upTo, nil
}

// readMarks reads what all items of a channel are known by.
func readMarks(ctx context.Context, d *db.DB, url string) (f *known.Feed, err error) {
	err = d.Read(ctx, func(conn *sqlite.Conn) (err error) {
		f, err = marksIn(conn, url)
		return err
	})
	return f, err
}

func marksIn(conn *sqlite.Conn, url string) (*known.Feed, error) {
	f := known.NewFeed(url)
	return f, db.Each(conn, `SELECT c.id, i.id, i.guid, i.link, i.title, i.date, i.print FROM channel c
		LEFT JOIN item i ON i.channel = c.id WHERE c.url = ? ORDER BY i.id`, func(r *sqlite.Stmt) error {
		f.Add(r.ColumnInt64(0), tidings.KnownItem{Row: r.ColumnInt64(1), ItemIdentity: column.Identity(r, 2)})
		return nil
	}, url)
}
