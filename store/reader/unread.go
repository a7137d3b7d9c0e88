package reader

import (
	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// read is an SQL expression: the revision up to which an account has read an item. It needs s, the subscription, and i, the
// item. The item is unread if its latest revision is above.
const read = `coalesce((SELECT m.read FROM mark m WHERE m.account = s.account AND m.channel = i.channel AND m.item = i.id), s.seen)`

// Arrived is a revision that is new to followers of a channel, with the one that was the latest of its item before; 0: none.
type Arrived struct{ Channel, Revision, Before int64 }

// MakeUnread makes unread what has arrived. A new item is so by itself; an item that has changed, for those that have read it
// as it was.
func MakeUnread(t *db.Tx, all []Arrived) error {
	for _, of := range all {
		if of.Before == 0 {
			continue
		}
		var item int64
		if err := db.Must(db.One(t.Conn, `SELECT item FROM revision WHERE id = ?`, func(r *sqlite.Stmt) { item = r.ColumnInt64(0) }, of.Revision)); err != nil {
			return err
		}
		if err := discount(t, of.Channel, item, of.Before); err != nil {
			return err
		}
	}
	return nil
}

// discount counts an item as read no longer for those that have read the revision that was its latest.
func discount(t *db.Tx, channel, item, latest int64) error {
	return db.Exec(t.Conn, `UPDATE subscription SET read = read - 1 WHERE channel = ?1 AND ?3 <= coalesce(
		(SELECT m.read FROM mark m WHERE m.account = subscription.account AND m.channel = ?1 AND m.item = ?2), seen)`, channel, item, latest)
}

// Forget forgets what people have read of an item, whose latest revision is removed.
func Forget(t *db.Tx, channel, item, latest int64) error {
	if err := discount(t, channel, item, latest); err != nil {
		return err
	}
	return db.Exec(t.Conn, `DELETE FROM mark WHERE item = ?`, item)
}

// state is what an account has of an item that it follows.
type state struct {
	account, channel, item int64
	latest                 int64 // revision
	read                   bool
}

// stateOf returns it; false: the account does not follow the item's channel, or nothing is kept of the item.
func stateOf(t *db.Tx, account, item int64) (s state, found bool, err error) {
	found, err = db.One(t.Conn, `SELECT i.channel, i.latest, i.latest <= `+read+` FROM item i
		JOIN subscription s ON s.account = ? AND s.channel = i.channel WHERE i.id = ? AND i.latest != 0`, func(r *sqlite.Stmt) {
		s = state{account: account, channel: r.ColumnInt64(0), item: item, latest: r.ColumnInt64(1), read: r.ColumnBool(2)}
	}, account, item)
	return s, found, err
}

// mark marks the item read, or unread.
func (s *state) mark(t *db.Tx, read bool) error {
	if s.read == read {
		return nil
	}
	s.read = read
	if err := s.save(t); err != nil {
		return err
	}
	if !read {
		return db.Exec(t.Conn, `UPDATE subscription SET read = read - 1 WHERE account = ? AND channel = ?`, s.account, s.channel)
	}
	// Where all is read, what was seen rises, so that no marks are passed when the next unread ones are looked for.
	return db.Exec(t.Conn, `UPDATE subscription SET read = read + 1, seen = CASE WHEN read + 1 < (SELECT kept FROM channel WHERE id = ?2)
		THEN seen ELSE (SELECT max(latest) FROM item WHERE channel = ?2) END WHERE account = ?1 AND channel = ?2`, s.account, s.channel)
}

// star stars the item, or removes the star.
func (s *state) star(t *db.Tx, starred bool) error {
	sql := `INSERT INTO star (account, item, channel, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
	args := []any{s.account, s.item, s.channel, t.Now}
	if !starred {
		sql, args = `DELETE FROM star WHERE account = ? AND item = ?`, args[:2]
	}
	if err := db.Exec(t.Conn, sql, args...); err != nil || t.Changes() == 0 {
		return err
	}
	return s.save(t)
}

// save stores the state, as of now.
func (s *state) save(t *db.Tx) error {
	upTo := s.latest
	if !s.read {
		upTo = 0
	}
	return db.Exec(t.Conn, `INSERT INTO mark (account, channel, item, read, changed) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT DO UPDATE SET read = ?4, changed = ?5`, s.account, s.channel, s.item, upTo, t.Now)
}
