package store

import (
	"context"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// defaultLimit is how much a query returns that does not say.
const defaultLimit = 50

// maxResult bounds the text that one query returns, in bytes. Past it a result is
// cut, whatever its limit; the next query goes on behind it.
const maxResult = 32 << 20

// textLimit returns after how many bytes of text a result is cut that asks for at most so many; 0: it does not say.
func textLimit(asked int) int {
	if asked <= 0 {
		return maxResult
	}
	return min(asked, maxResult)
}

func limitOf(limit int) int {
	if limit <= 0 {
		return defaultLimit
	}
	return min(limit, tidings.MaxLimit)
}

const updateColumns = `v.id, c.url, c.title, v.version, v.found, v.kind, v.delta, v.base_hash, v.hash,
	v.found_by, v.origin_changed, v.received, v.first, v.last, v.signed_by, v.third_party, v.confirmed_by, v.withdrawn`

// Updates returns updates of the channels that account follows, those from before
// it followed them too, in rising order of ID. Fewer than q.Limit does not mean that
// there are no more, none does: results with much text are cut.
func (s *Store) Updates(ctx context.Context, account tidings.AccountID, q tidings.UpdateQuery) (updates []tidings.Update, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
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
			u, err := readUpdate(conn, id)
			if err != nil {
				return err
			}
			if size += updateSize(&u); size > textLimit(q.Bytes) && len(updates) > 0 {
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
	err = s.read(ctx, func(conn *sqlite.Conn) (err error) {
		if err := db.Must(db.One(conn, `SELECT 1 FROM version v JOIN subscription s ON s.account = ? AND s.channel = v.channel
			WHERE v.id = ?`, nil, int64(account), id)); err != nil {
			return err
		}
		u, err = readUpdate(conn, id)
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
	args := []any{int64(account), q.After, int64(0), limitOf(q.Limit)}
	if !q.Since.IsZero() {
		args[2] = q.Since.UnixMicro()
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

// readUpdate reads an update that is there.
func readUpdate(conn *sqlite.Conn, id int64) (u tidings.Update, err error) {
	var delta []byte
	var first, last int64
	if err := db.Must(db.One(conn, `SELECT `+updateColumns+` FROM version v JOIN channel c ON c.id = v.channel WHERE v.id = ?`,
		func(r *sqlite.Stmt) {
			u = tidings.Update{
				ID:            r.ColumnInt64(0),
				Channel:       r.ColumnText(1),
				Title:         r.ColumnText(2),
				Version:       tidings.Version(r.ColumnInt64(3)),
				Time:          db.ColumnTime(r, 4),
				Kind:          tidings.Kind(r.ColumnText(5)),
				BaseHash:      r.ColumnText(7),
				Hash:          r.ColumnText(8),
				FoundBy:       r.ColumnText(9),
				OriginChanged: db.ColumnTime(r, 10),
				Received:      db.ColumnTime(r, 11),
				SignedBy:      r.ColumnText(14),
				ThirdParty:    r.ColumnBool(15),
				ConfirmedBy:   column.Nodes(r, 16),
				Withdrawn:     columnWithdrawal(r, 17),
			}
			delta = db.ColumnBlob(r, 6)
			first, last = r.ColumnInt64(12), r.ColumnInt64(13)
		}, id)); err != nil {
		return u, err
	}
	if u.Delta, err = column.Unpack(delta); err != nil {
		return u, err
	}
	return u, db.Each(conn, `SELECT `+column.ItemColumns+` FROM revision r WHERE r.id BETWEEN ? AND ? ORDER BY r.id DESC`,
		func(r *sqlite.Stmt) error {
			item, err := column.Item(r, 0)
			// On a page, an item without an ID stands for the version, which is reported by its delta. In a
			// feed it is an item with neither guid nor link.
			if item.ID != "" || u.Kind != tidings.KindPage {
				u.Items = append(u.Items, item)
			}
			return err
		}, first, last)
}

func updateSize(u *tidings.Update) int {
	size := len(u.Delta)
	for i := range u.Items {
		size += itemSize(&u.Items[i])
	}
	return size
}

// itemSize is about how much memory an item's texts take.
func itemSize(i *tidings.Item) int { return len(i.Summary) + len(i.Content) + len(i.Title) + 256 }
