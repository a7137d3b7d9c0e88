package reader

import (
	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

const (
	seenStep  = 500 // articles that one RaiseSeen looks at
	seenSpare = 64  // articles above what was seen that are worth no raising
)

// Place is a subscription.
type Place struct{ Account, Channel int64 }

// NextSeen returns the next subscription behind a place in which many articles above what was seen are read, article by
// article: each look for what is unread passes them all. found is false if there is none. Those that see edits are
// passed over: their marks say which revision was read.
func NextSeen(conn *sqlite.Conn, behind Place) (next Place, found bool, err error) {
	for next = behind; ; {
		unread := 0
		more, err :=
			db.One(conn,
				`SELECT s.account, s.channel, c.kept - s.read FROM subscription s JOIN channel c ON c.id = s.channel
			WHERE (s.account, s.channel) > (?, ?) AND s.edits IS NULL ORDER BY s.account, s.channel
			LIMIT 1`, func(r *sqlite.Stmt) {
					next, unread = Place{r.ColumnInt64(0), r.ColumnInt64(1)}, r.ColumnInt(2)
				}, next.Account, next.Channel)
		if err != nil || !more {
			return next, false, err
		}
		above, most := 0, 4*unread+seenSpare
		if _, err :=
			db.One(conn, `SELECT count(*) FROM (SELECT 1 FROM subscription s CROSS JOIN item i INDEXED BY item_latest
			ON i.channel = s.channel AND i.latest > s.seen WHERE s.account = ? AND s.channel = ?
			LIMIT +?)`, func(r *sqlite.Stmt) {
				above = r.ColumnInt(0)
			}, next.Account, next.Channel, most); err != nil {
			return next, false, err
		}
		if above == most {
			return next, true, nil
		}
	}
}

// RaiseSeen raises what was seen of a channel by up to 500 articles. Those of them that are unread are marked so. It
// reports whether there are more. To readers it changes nothing.
func RaiseSeen(t *db.Tx, of Place) (more bool, err error) {
	var unread []int64
	seen, n := int64(0), 0
	if err := db.Each(t.Conn, `SELECT i.id, i.latest, i.latest <= `+read+
		` FROM subscription s CROSS JOIN item i INDEXED BY item_latest
		ON i.channel = s.channel AND i.latest > s.seen WHERE s.account = ? AND s.channel = ? AND s.edits IS NULL ORDER BY i.latest LIMIT +?`, func(r *sqlite.Stmt) error {
		seen = r.ColumnInt64(1)
		if n++; !r.ColumnBool(2) {
			unread = append(unread, r.ColumnInt64(0))
		}
		return nil
	}, of.Account, of.Channel, seenStep); err != nil || n == 0 {
		return false, err
	}
	for _, item := range unread {
		if err := db.Exec(t.Conn, `INSERT INTO mark (account, channel, item, read, changed) VALUES (?, ?, ?, 0, 0)
			ON CONFLICT DO UPDATE SET read = 0`, of.Account, of.Channel, item); err != nil {
			return false, err
		}
	}
	return n == seenStep, db.Exec(t.Conn, `UPDATE subscription SET seen = ? WHERE account = ? AND channel = ?`, seen,
		of.Account, of.Channel)
}
