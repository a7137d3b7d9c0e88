package fulltext

import (
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// MaxAtOnce bounds of how many items of a channel the full text is noted as wanted in one transaction, the newest
// first: a feed that is read for the first time can have hundreds.
const MaxAtOnce = 25

// Arrived is a new revision of an item, with the one that was its latest before; 0: none.
type Arrived struct{ Channel, Revision, Before int64 }

// Want notes that the full text of new items is to be fetched, if an account wants that of all items of their channel.
func Want(t *db.Tx, arrived []Arrived) error {
	wanted, noted := make(map[int64]bool), make(map[int64]int)
	for _, a := range arrived { // the newest first
		if a.Before != 0 {
			continue
		}
		if _, known := wanted[a.Channel]; !known {
			is, err := db.One(t.Conn, `SELECT 1 FROM subscription WHERE channel = ? AND full_text = 1 LIMIT 1`, nil,
				a.Channel)
			if err != nil {
				return err
			}
			wanted[a.Channel] = is
		}
		if !wanted[a.Channel] || noted[a.Channel] >= MaxAtOnce {
			continue
		}
		noted[a.Channel]++
		if err := db.Exec(t.Conn, `INSERT INTO full_text (item, state, due) SELECT r.item, 'wanted', ?2 FROM revision r
			JOIN version v ON v.id = r.version
			WHERE r.id = ?1 AND v.kind = 'feed' AND r.url GLOB 'http*://*' ON CONFLICT DO NOTHING`, a.Revision,
			t.Now); err != nil {
			return err
		}
	}
	return nil
}

// Ask notes that an account has requested the full text of an item. It is to be fetched now unless it is kept; with
// again, in any case.
func Ask(t *db.Tx, account tidings.AccountID, item int64, again bool) error {
	if err := db.Exec(t.Conn, `INSERT INTO full_text_reader (account, item) VALUES (?, ?) ON CONFLICT DO NOTHING`,
		int64(account), item); err != nil {
		return err
	}
	return db.Exec(t.Conn, `INSERT INTO full_text (item, state, due) VALUES (?1, 'wanted', ?2)
		ON CONFLICT DO UPDATE SET state = 'wanted', due = ?2, tries = 0 WHERE state != 'kept'
		OR ?3`, item, t.Now, again)
}

// Order is a full text that is to be fetched.
type Order struct {
	Item    int64
	Channel string // its address
	URL     string // of the page
	Tries   int    // that failed in a row
	Feed    string // the markup that the feed has of the item
}

// Due returns the full texts that are to be fetched now, those first that have waited longest; those alone of one item,
// unless that is 0.
func Due(conn *sqlite.Conn, now time.Time, item int64, most int) (orders []Order, err error) {
	return orders, db.Each(conn, `SELECT x.item, c.url, r.url, x.tries, r.summary, r.content FROM full_text x CROSS
		JOIN item i INDEXED BY item_id ON i.id = x.item
			CROSS JOIN channel c ON c.id = i.channel CROSS JOIN revision r ON r.id = i.latest
		WHERE x.state = 'wanted' AND x.due <= ?1 AND (?2 = 0 OR x.item = ?2) ORDER BY x.due, x.item DESC
		LIMIT +?3`, func(r *sqlite.Stmt) error {
		o := Order{Item: r.ColumnInt64(0), Channel: r.ColumnText(1), URL: r.ColumnText(2),
			Tries: r.ColumnInt(3)}
		for at := 5; at >= 4 && o.Feed == ""; at-- {
			var err error
			if o.Feed, err = column.Unpack(db.ColumnBlob(r, at)); err != nil {
				return err
			}
		}
		orders = append(orders, o)
		return nil
	}, now, item, most)
}

// Next returns when the next full text is to be fetched; zero: none is.
func Next(conn *sqlite.Conn) (at time.Time, err error) {
	_, err = db.One(conn, `SELECT min(due) FROM full_text INDEXED BY full_text_due WHERE state = 'wanted'`,
		func(r *sqlite.Stmt) { at = db.ColumnTime(r, 0) })
	return at, err
}

// Keep stores a full text. It returns the item's latest revision, whose words it adds to; 0: the item is gone, and
// nothing is stored.
func Keep(t *db.Tx, item int64, content string, shorter bool) (revision int64, err error) {
	if _, err :=
		db.One(t.Conn,
			`SELECT i.latest FROM item i INDEXED BY item_id JOIN full_text x ON x.item = i.id WHERE i.id = ?`,
			func(r *sqlite.Stmt) { revision = r.ColumnInt64(0) }, item); err != nil || revision == 0 {
		return 0, err
	}
	return revision, db.Exec(t.Conn, `UPDATE full_text SET state = 'kept', due = NULL, tries = 0, why = '',
		revision = ?2, fetched = ?3, shorter = ?4, content = ?5,
		before = CASE WHEN content IS NULL OR content = ?5 THEN before ELSE content END WHERE item = ?1`,
		item, revision, t.Now, shorter, column.PackBytes([]byte(content)))
}

// Fail notes why a full text could not be fetched, and when that is tried again; zero: not unless somebody asks.
func Fail(t *db.Tx, item int64, why string, again time.Time) error {
	return db.Exec(t.Conn, `UPDATE full_text SET state = CASE WHEN ?3 IS NULL THEN 'failed'
		ELSE 'wanted' END, due = ?3, tries = tries + 1, why = ?2 WHERE item = ?1`,
		item, why, again)
}

// Remove removes the full text of an item if its publisher has withdrawn its text.
func Remove(t *db.Tx, item int64) error {
	if err := db.Exec(t.Conn, `DELETE FROM full_text_reader WHERE item = ?`, item); err != nil {
		return err
	}
	return db.Exec(t.Conn, `DELETE FROM full_text WHERE item = ?`, item)
}

// RemovePerson forgets what an account has asked for.
func RemovePerson(t *db.Tx, account tidings.AccountID) error {
	return db.Exec(t.Conn, `DELETE FROM full_text_reader WHERE account = ?`, int64(account))
}
