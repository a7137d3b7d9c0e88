package content

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// State returns a channel's content as of version v; 0 is the latest. A channel without a version so far has an empty
// state of version 0. The error is tidings.ErrNotFound if there is no such channel, or the version is unknown or no
// longer kept. Items of a feed that are no longer kept are left out.
//
// Rights are not checked: the caller has made sure that the reader follows the channel.
func (s *Store) State(ctx context.Context, url string, v tidings.Version) (state tidings.State, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		var channel, latest, update int64
		var version tidings.Version
		if err := db.Must(db.One(conn, `SELECT id, url, title, kind, version, latest FROM channel WHERE url = ?`,
			func(r *sqlite.Stmt) {
				channel, version, latest = r.ColumnInt64(0), tidings.Version(r.ColumnInt64(4)), r.ColumnInt64(5)
				state = tidings.State{Channel: r.ColumnText(1), Title: r.ColumnText(2),
					Kind:    tidings.Kind(r.ColumnText(3)),
					Version: version}
			}, url)); err != nil {
			return err
		}
		if latest == 0 && v == 0 {
			return nil
		}
		if v == 0 {
			v = version
		}
		var body []byte
		if err := db.Must(
			db.One(conn, `SELECT v.id, v.kind, v.received, t.body, v.found_by, v.confirmed_by, v.signed_by,
				v.withdrawn, v.third_party FROM version v JOIN content t ON t.version = v.id
			WHERE v.channel = ? AND v.version = ?`, func(r *sqlite.Stmt) {
				update = r.ColumnInt64(0)
				state.Version, state.Kind, state.Time = v, tidings.Kind(r.ColumnText(1)), db.ColumnTime(r, 2)
				body = db.ColumnBlob(r, 3)
				state.ThirdParty = r.ColumnBool(8)
				state.FoundBy, state.ConfirmedBy, state.SignedBy, state.Withdrawn = r.ColumnText(4),
					column.Nodes(r, 5),
					r.ColumnText(6), column.Withdrawal(r, 7)
			}, channel, int64(v))); err != nil {
			return err
		}
		if state.Kind == tidings.KindPage {
			state.Lines, err = unpackLines(body)
			return err
		}
		state.Items, err = itemsAsOf(conn, channel, update, body)
		return err
	})
	if err != nil {
		return tidings.State{}, fmt.Errorf("state of %s: %w", url, err)
	}
	return state, nil
}

// itemsAsOf returns the items of a document in their order, each in its newest
// revision that came with the update or before it.
func itemsAsOf(conn *sqlite.Conn, channel, update int64, order []byte) (items []tidings.Item, err error) {
	rows, err := unpackOrder(order)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		var revision int64
		if _, err := db.One(conn, `SELECT latest FROM item WHERE channel = ? AND id = ?`, func(r *sqlite.Stmt) {
			revision = r.ColumnInt64(0)
		}, channel, row); err != nil {
			return nil, err
		}
		// An item's revisions are a chain, mostly of one.
		for found := true; found && revision != 0; {
			var before int64
			found = false
			err := db.Each(conn, `SELECT `+column.ItemColumns+
				`, r.before, r.version <= ? FROM revision r WHERE r.id = ?`, func(r *sqlite.Stmt) error {
				found = true
				before = r.ColumnInt64(column.ItemWidth)
				if !r.ColumnBool(column.ItemWidth + 1) {
					return nil
				}
				before = 0
				item, err := column.Item(r, 0)
				items = append(items, item)
				return err
			}, update, revision)
			if err != nil {
				return nil, err
			}
			revision = before
		}
	}
	return items, nil
}
