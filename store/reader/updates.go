package reader

import (
	"context"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Updates returns updates of the channels that account follows, those from before
// it followed them too, in rising order of ID. Fewer than q.Limit does not mean that
// there are no more, none does: results with much text are cut.
func (s *Store) Updates(ctx context.Context, account tidings.AccountID,
	q tidings.UpdateQuery) (updates []tidings.Update, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		ids, err := updateIDs(conn, account, q)
		if err != nil {
			return err
		}
		size := 0
		for i := range ids {
			id := ids[i]
			if q.Newest {
				id = ids[len(ids)-1-i]
			}
			if q.IDsOnly {
				updates = append(updates, tidings.Update{ID: id})
				continue
			}
			u, err := column.Update(conn, id, column.View{Account: account})
			if err != nil {
				return err
			}
			if size += column.UpdateSize(&u); size > column.TextLimit(q.Bytes) && len(updates) > 0 {
				break
			}
			updates = append(updates, u)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading updates: %w", err)
	}
	if q.Newest {
		slices.Reverse(updates)
	}
	return updates, nil
}

// Update returns one update; tidings.ErrNotFound if there is none, or the account
// does not follow its channel.
func (s *Store) Update(ctx context.Context, account tidings.AccountID, id int64) (u tidings.Update, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		if err := db.Must(
			db.One(conn, `SELECT 1 FROM version v JOIN subscription s ON s.account = ? AND s.channel = v.channel
			WHERE v.id = ?`, nil, int64(account), id)); err != nil {
			return err
		}
		u, err = column.Update(conn, id, column.View{Account: account})
		return err
	})
	if err != nil {
		return tidings.Update{}, fmt.Errorf("update %d: %w", id, err)
	}
	return u, nil
}

// updateIDs returns what q selects, in rising order.
func updateIDs(conn *sqlite.Conn, account tidings.AccountID, q tidings.UpdateQuery) (ids []int64, err error) {
	order := ""
	if q.Newest {
		order = " DESC"
	}
	sql := `SELECT v.id FROM version v CROSS JOIN subscription s
		WHERE s.account = ?1 AND s.channel = v.channel AND v.id > ?2 AND v.received >= ?3`
	args := []any{int64(account), q.After, int64(0), column.Limit(q.Limit)}
	if !q.Since.IsZero() {
		args[2] = q.Since.UnixMicro()
	}
	hidden, err := hides(conn, int64(account))
	if err != nil {
		return nil, err
	}
	if hidden { // of an update that has nothing else, the account sees nothing
		sql += ` AND (NOT EXISTS (SELECT 1 FROM revision r WHERE r.id BETWEEN v.first AND v.last AND ` +
			isHidden(`?1`, `r.item`) + `)
			OR EXISTS (SELECT 1 FROM revision r WHERE r.id BETWEEN v.first AND v.last AND NOT ` + isHidden(`?1`, `r.item`) + `))`
	}
	if q.Channel == "" {
		sql += ` ORDER BY v.id` + order + ` LIMIT +?4`
	} else {
		sub, err := oneSubscription(conn, account, q.Channel)
		if err != nil {
			return nil, err
		}
		sql += ` AND v.channel = ?5 ORDER BY v.version` + order + ` LIMIT +?4`
		args = append(args, sub.channel)
	}
	err = db.Each(conn, sql, func(r *sqlite.Stmt) error {
		ids = append(ids, r.ColumnInt64(0))
		return nil
	}, args...)
	if q.Newest {
		slices.Reverse(ids)
	}
	return ids, err
}
