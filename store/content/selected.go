package content

import (
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// An item that a query selects stands in the query's channel, and often in its original channel as well. Table selected
// says which item it is there, so that followers of both see it once. The two are recognised as one by their links
// and titles, or else by their texts. The parts by which items are known are made in the same way in all channels.

// noteSelected notes of an item that has got a revision which item it is in the other channel. An item in the channel
// of a query is looked for where it comes from; one in another channel, among those that queries have selected before
// it was here.
func noteSelected(t *Tx, ch *Row, item *placed) error {
	m := item.Mark
	if ch.kind != tidings.KindQuery {
		return db.Exec(t.Conn, `UPDATE selected SET of = ?1, of_channel = ?2 WHERE item = (SELECT item FROM selected
			INDEXED BY selected_wanted WHERE origin = ?3 AND of = 0 AND `+sameItem+` ORDER BY item DESC LIMIT 1)`,
			item.row, ch.ID, ch.url, int64(m.Link), int64(m.Title), int64(m.Print))
	}
	if item.Source == nil || item.Source.URL == ch.url {
		return nil
	}
	if err := db.Exec(t.Conn,
		`INSERT INTO selected (item, channel, origin, link, title, print) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT DO UPDATE SET link = ?4, title = ?5, print = ?6`,
		item.row, ch.ID, item.Source.URL, int64(m.Link), int64(m.Title), int64(m.Print)); err != nil {
		return err
	}
	origin, found, err := IDOf(t.Conn, item.Source.URL)
	if err != nil || !found {
		return err
	}
	var of int64
	found, err = db.One(t.Conn, `SELECT id FROM item i INDEXED BY item_latest WHERE channel = ?3 AND latest != 0 AND `+
		sameItem+`
		ORDER BY latest DESC LIMIT 1`, func(r *sqlite.Stmt) { of = r.ColumnInt64(0) },
		nil, nil, origin, int64(m.Link), int64(m.Title), int64(m.Print))
	if err != nil || !found {
		return err
	}
	return db.Exec(t.Conn, `UPDATE selected SET of = ?, of_channel = ? WHERE item = ? AND of = 0`, of, origin, item.row)
}

// sameItem is an SQL condition: a row is known by the link ?4 and the title ?5, or by the text ?6.
const sameItem = `(link = ?4 AND title = ?5 AND ?4 != 0 AND ?5 != 0 OR print = ?6 AND ?6 != 0 AND (?4 = 0 OR ?5 = 0))`
