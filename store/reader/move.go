package reader

import (
	"maps"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Move is a channel that others are to follow instead of one.
type Move struct {
	From, To int64
	// Twins are the items of To that have text here and are in From as well: what they are there, by what they are
	// here.
	Twins map[int64]int64
}

// move is a Move under way.
type move struct {
	*db.Tx
	Move
}

// MoveFollowers moves all followers of From to To, with what they have read, starred and labelled.
func MoveFollowers(t *db.Tx, of Move) error {
	m := move{t, of}
	var accounts []int64
	if err := db.Each(m.Conn, `SELECT account FROM subscription WHERE channel = ?`, func(r *sqlite.Stmt) error {
		accounts = append(accounts, r.ColumnInt64(0))
		return nil
	}, m.From); err != nil {
		return err
	}
	for _, account := range accounts {
		if err := m.moveAccount(account); err != nil {
			return err
		}
	}
	for _, item := range slices.Sorted(maps.Keys(m.Twins)) {
		was := m.Twins[item]
		if err := db.Exec(m.Conn, `UPDATE OR IGNORE star SET item = ?, channel = ? WHERE item = ?`, item, m.To,
			was); err != nil {
			return err
		}
		if err := db.Exec(m.Conn, `UPDATE OR IGNORE label SET item = ?, channel = ? WHERE item = ?`, item, m.To,
			was); err != nil {
			return err
		}
	}
	return nil
}

// moveAccount moves an account from one channel to the other. A new follower of To has read there what it had read
// under the other address. An account that follows both has read what was read under either.
func (m *move) moveAccount(account int64) error {
	was, err := m.readUnder(account)
	if err != nil {
		return err
	}
	if err := db.Exec(m.Conn,
		`INSERT INTO subscription (account, channel, name, folder, since, edits, full_text, pictures)
		SELECT account, ?1, name, folder, since, CASE WHEN edits IS NOT NULL THEN ?4 END, full_text, pictures
		FROM subscription WHERE account = ?2 AND channel = ?3
		ON CONFLICT DO NOTHING`, m.To, account, m.From, m.Last(itemNumbers)); err != nil {
		return err
	}
	for _, move := range []func(int64) error{m.moveFeeds, m.moveTags, m.moveViews} {
		if err := move(account); err != nil {
			return err
		}
	}
	for _, item := range slices.Sorted(maps.Keys(m.Twins)) {
		if was[m.Twins[item]] {
			if err := markItem(m.Tx, account, item, true); err != nil {
				return err
			}
		}
	}
	for _, item := range slices.Sorted(maps.Keys(m.Twins)) {
		if err := db.Exec(m.Conn, `UPDATE OR IGNORE filtered SET item = ?, channel = ?, revision = 0 WHERE account = ?
			AND item = ? AND hidden != 0`,
			item, m.To, account, m.Twins[item]); err != nil {
			return err
		}
	}
	_, err = Unfollow(m.Tx, tidings.AccountID(account), m.From)
	return err
}

// readUnder returns which items an account has read under the address that it follows no longer.
func (m *move) readUnder(account int64) (items map[int64]bool, err error) {
	items = make(map[int64]bool)
	return items, db.Each(m.Conn, `SELECT i.id FROM subscription s JOIN item i ON i.channel = s.channel
		WHERE s.account = ? AND s.channel = ? AND i.latest <= `+read, func(r *sqlite.Stmt) error {
		items[r.ColumnInt64(0)] = true
		return nil
	}, account, m.From)
}
