package reader

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Entries returns entries of the channels that account follows, those from before
// it followed them too, newest first or as q sorts them. A folder includes the folders in it. Of an
// item with several revisions, Unread and Starred select the latest; everything else
// selects them all. Fewer than q.Limit does not mean that there are no more, none
// does: results with much text are cut.
//
// A search finds what the index of words knows.
func Entries(conn *sqlite.Conn, account tidings.AccountID, q tidings.EntryQuery) (entries []tidings.Entry, err error) {
	sel, err := newSelection(conn, account, q)
	if err != nil {
		return nil, err
	}
	ids, err := sel.ids(conn, column.Limit(q.Limit))
	if err != nil {
		return nil, err
	}
	size := 0
	for _, id := range ids {
		e, err := readEntry(conn, account, id, sel.search != nil)
		if err != nil {
			return nil, err
		}
		if size += column.ItemSize(&e.Content) + len(e.Delta) + fullTextSize(e.FullText); size > column.TextLimit(
			q.Bytes) && len(entries) > 0 {
			break
		}
		if sel.search != nil {
			e.Snippet = sel.search.Snippet(&e)
			dropUnpreferred(e.FullText)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Entry returns one entry, with what a changed item was before if that is still
// kept; tidings.ErrNotFound if there is none, or the account does not follow its channel.
func (s *Store) Entry(ctx context.Context, account tidings.AccountID, id int64) (e tidings.Entry, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		if e, err = readEntry(conn, account, id, true); err != nil {
			return err
		}
		return db.Each(conn, `SELECT `+column.ItemColumns+
			` FROM revision now JOIN revision r ON r.id = now.before WHERE now.id = ?`,
			func(r *sqlite.Stmt) error {
				before, err := column.Item(r, 0)
				e.Before = &before
				return err
			}, id)
	})
	if err != nil {
		return tidings.Entry{}, fmt.Errorf("entry %d: %w", id, err)
	}
	return e, nil
}

const entrySQL = `SELECT r.id, r.item, r.version, c.url, s.name, c.title, v.kind, v.version, v.received, v.delta,
		i.latest <= ` + read + `,
		EXISTS (SELECT 1 FROM star t WHERE t.account = ?1 AND t.item = r.item), v.found_by, v.signed_by, v.third_party, v.confirmed_by, v.withdrawn, i.dated, ` + fullTextColumns + `, ` + column.ItemColumns + `
	FROM revision r CROSS JOIN subscription s ON s.account = ?1 AND s.channel = r.channel
		CROSS JOIN channel c ON c.id = r.channel CROSS JOIN version v ON v.id = r.version
		CROSS JOIN item i ON i.channel = r.channel AND i.id = r.item` + fullTextJoin + `
	WHERE r.id = ?2 AND NOT EXISTS (SELECT 1 FROM filtered h WHERE h.account = ?1 AND h.item = r.item AND h.hidden != 0)`

// readEntry reads an entry; whole, with the full text even if that is not preferred.
func readEntry(conn *sqlite.Conn, account tidings.AccountID, id int64, whole bool) (e tidings.Entry, err error) {
	found := false
	const itemAt = 18 + fullTextWidth
	err = db.Each(conn, entrySQL, func(r *sqlite.Stmt) (err error) {
		found = true
		e = tidings.Entry{
			ID:         r.ColumnInt64(0),
			Item:       r.ColumnInt64(1),
			Update:     r.ColumnInt64(2),
			Channel:    r.ColumnText(3),
			Kind:       tidings.Kind(r.ColumnText(6)),
			Version:    tidings.Version(r.ColumnInt64(7)),
			Received:   db.ColumnTime(r, 8),
			Read:       r.ColumnBool(10),
			Starred:    r.ColumnBool(11),
			FoundBy:    r.ColumnText(12),
			SignedBy:   r.ColumnText(13),
			ThirdParty: r.ColumnBool(14),

			ConfirmedBy: column.Nodes(r, 15),
			Withdrawn:   column.Withdrawal(r, 16),
			Dated:       db.ColumnTime(r, 17),
		}
		label := tidings.Subscription{Name: r.ColumnText(4),
			Channel: tidings.Channel{URL: e.Channel, Title: r.ColumnText(5)}}
		e.Label = label.Label()
		if e.Delta, err = column.Unpack(db.ColumnBlob(r, 9)); err != nil {
			return err
		}
		if e.Content, err = column.Item(r, itemAt); err != nil {
			return err
		}
		if e.FullText, err = readFullText(r, 18, whole); err != nil {
			return err
		}
		e.Change = e.Content.Change
		x, err := column.ReadExtras(r, itemAt)
		if x.SignedBy != "" {
			e.FoundBy, e.ConfirmedBy, e.SignedBy, e.ThirdParty = "", nil, x.SignedBy, false
		}
		return err
	}, int64(account), id)
	if err := db.Must(found, err); err != nil {
		return e, err
	}
	if e.Labels, err = labelsOf(conn, int64(account), e.Item); err != nil {
		return e, err
	}
	e.Also, err = alsoIn(conn, account, e.Item, e.Channel)
	return e, err
}
