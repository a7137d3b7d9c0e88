package reader

import (
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// read is an SQL expression: the revision up to which an account has read an item. It needs s, the subscription, and i,
// the item. The item is unread if its latest revision is above.
const read = `coalesce((SELECT m.read FROM mark m WHERE m.account = s.account AND m.channel = i.channel AND m.item = i.id), s.seen)`

// Arrived is a revision that is new to followers of a channel. Before is the latest revision of its item before; 0:
// none.
type Arrived struct{ Channel, Revision, Before int64 }

// MakeUnread makes unread what has arrived. A new item is so by itself; an item that has changed, for those that have
// read it as it was.
func MakeUnread(t *db.Tx, all []Arrived) error {
	for _, of := range all {
		var item int64
		if err := db.Must(db.One(t.Conn, `SELECT item FROM revision WHERE id = ?`,
			func(r *sqlite.Stmt) { item = r.ColumnInt64(0) }, of.Revision)); err != nil {
			return err
		}
		if of.Before != 0 {
			if err := discount(t, of.Channel, item, of.Before); err != nil {
				return err
			}
			if err := addEdit(t, of, item); err != nil {
				return err
			}
		}
		if err := meetTwins(t, item, of.Before == 0); err != nil {
			return err
		}
	}
	return nil
}

// discount counts an item as read no longer for those that have read the revision that was its latest.
func discount(t *db.Tx, channel, item, latest int64) error {
	return db.Exec(t.Conn, `UPDATE subscription SET read = read - 1 WHERE channel = ?1 AND ?3 <= coalesce(
		(SELECT m.read FROM mark m WHERE m.account = subscription.account AND m.channel = ?1 AND m.item = ?2), seen)`,
		channel, item, latest)
}

// Forget forgets what people have read of an item, and what filters have made of it. Its latest revision is removed.
func Forget(t *db.Tx, channel, item, latest int64) error {
	if err := discount(t, channel, item, latest); err != nil {
		return err
	}
	if err := forgetEdits(t, item); err != nil {
		return err
	}
	for _, sql := range []string{`DELETE FROM mark WHERE item = ?`, `DELETE FROM filtered WHERE item = ?`,
		`DELETE FROM label WHERE item = ? AND auto = 1`} {
		if err := db.Exec(t.Conn, sql, item); err != nil {
			return err
		}
	}
	return nil
}

// state is what an account has of an item that it follows.
type state struct {
	account, channel, item int64
	latest                 int64 // revision
	upTo                   int64 // the revision up to which the item is read, as a mark says that
	read                   bool
	beside                 bool // the account sees edits of it as articles of their own
	shown                  bool // what it shows beside them is read

	marked, starred time.Time // when the account last marked it read or unread, and last changed its star
	at              time.Time // when the account does what is done now
}

// stateOf returns it; false: the account does not follow the item's channel, or nothing is kept of the item.
func stateOf(t *db.Tx, account, item int64) (s state, found bool, err error) {
	found, err = db.One(t.Conn, `SELECT i.channel, i.latest, `+read+`, s.edits IS NOT NULL, `+before+
		`, coalesce(m.marked, 0), coalesce(m.starred, 0)
		FROM item i JOIN subscription s ON s.account = ? AND s.channel = i.channel LEFT JOIN mark m ON m.account = s.account AND m.channel = i.channel AND m.item = i.id
		WHERE i.id = ? AND i.latest != 0 AND NOT `+isHidden(`s.account`, `i.id`), func(r *sqlite.Stmt) {
		s = state{account: account, channel: r.ColumnInt64(0), item: item, latest: r.ColumnInt64(1),
			upTo: r.ColumnInt64(2), beside: r.ColumnBool(3),
			marked: db.ColumnTime(r, 5), starred: db.ColumnTime(r, 6), at: t.Now}
		s.read, s.shown = s.latest <= s.upTo, r.ColumnInt64(4) <= s.upTo
	}, account, item)
	switch {
	case s.read:
		s.upTo = s.latest
	case !s.beside:
		s.upTo = 0
	}
	return s, found, err
}

// markShown marks what the item shows beside its edits read, or unread. Where it is so already, as where it was read
// before they came, nothing changes.
func (s *state) markShown(t *db.Tx, read bool) error {
	if s.shown == read {
		return nil
	}
	if s.read != read {
		return s.mark(t, read)
	}
	s.shown, s.upTo, s.marked = read, 0, s.at // the latest revision is unread: this becomes so too
	return s.save(t)
}

// mark marks the item read, or unread, and with it those that are one with it.
func (s *state) mark(t *db.Tx, read bool) error {
	if s.read == read {
		return nil
	}
	if err := s.markAlone(t, read); err != nil {
		return err
	}
	return markTwins(t, s.account, s.item, read)
}

// markAlone marks the item, and none that is one with it.
func (s *state) markAlone(t *db.Tx, read bool) error {
	if s.read == read {
		return nil
	}
	s.read, s.shown, s.upTo, s.marked = read, read, 0, s.at
	if read {
		s.upTo = s.latest
	}
	if err := s.save(t); err != nil {
		return err
	}
	if !read {
		return db.Exec(t.Conn, `UPDATE subscription SET read = read - 1 WHERE account = ? AND channel = ?`, s.account,
			s.channel)
	}
	// Where all is read, what was seen rises, so that no marks are passed when the next unread ones are looked for.
	return db.Exec(t.Conn,
		`UPDATE subscription SET read = read + 1, seen = CASE WHEN read + 1 < (SELECT kept FROM channel WHERE id = ?2)
		THEN seen ELSE (SELECT max(latest) FROM item WHERE channel = ?2) END WHERE account = ?1
		AND channel = ?2`, s.account, s.channel)
}

// star stars the item, or removes the star.
func (s *state) star(t *db.Tx, starred bool, most int) error {
	sql := `INSERT INTO star (account, item, channel, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
	args := []any{s.account, s.item, s.channel, t.Now}
	if !starred {
		sql, args = `DELETE FROM star WHERE account = ? AND item = ?`, args[:2]
	}
	if err := db.Exec(t.Conn, sql, args...); err != nil || t.Changes() == 0 {
		return err
	}
	if starred && most > 0 {
		full := false
		if _, err := db.One(t.Conn, `SELECT (SELECT count(*) FROM star WHERE account = ?1) > ?2 AND role = 'reader'
			FROM account WHERE id = ?1`,
			func(r *sqlite.Stmt) { full = r.ColumnBool(0) }, s.account, most); err != nil {
			return err
		}
		if full {
			return tidings.Invalidf("readers can star at most %d items at this node", most)
		}
	}
	s.starred = s.at
	return s.save(t)
}

// save stores the state, as of now.
func (s *state) save(t *db.Tx) error {
	return db.Exec(t.Conn,
		`INSERT INTO mark (account, channel, item, read, changed, marked, starred) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT DO UPDATE SET read = ?4, changed = ?5, marked = ?6, starred = ?7`,
		s.account, s.channel, s.item, s.upTo, t.Now, s.marked, s.starred)
}
