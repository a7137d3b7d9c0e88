package reader

import (
	"maps"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// Move is a channel that others are to follow instead of one.
type Move struct {
	From, To int64
	// Twins are the items of To that have text here and are in From as well: what they are there, by what they are here.
	Twins map[int64]Twin
}

// Twin is an item with its latest revision.
type Twin struct{ ID, Latest int64 }

// move is a Move under way.
type move struct {
	*db.Tx
	Move
}

// MoveFollowers has those who follow From follow To instead, with what they have read and starred.
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
		if err := db.Exec(m.Conn, `UPDATE OR IGNORE star SET item = ?, channel = ? WHERE item = ?`, item, m.To, was.ID); err != nil {
			return err
		}
	}
	return nil
}

// moveAccount has an account follow the one channel instead of the other.
func (m *move) moveAccount(account int64) error {
	if err := db.Exec(m.Conn, `INSERT INTO subscription (account, channel, name, folder, since)
		SELECT account, ?1, name, folder, since FROM subscription WHERE account = ?2 AND channel = ?3
		ON CONFLICT DO NOTHING`, m.To, account, m.From); err != nil {
		return err
	}
	carry := m.readAsBefore
	if m.Changes() > 0 {
		carry = m.unreadAsBefore
	}
	if err := carry(account); err != nil {
		return err
	}
	if err := db.Exec(m.Conn, `DELETE FROM unread WHERE account = ? AND channel = ?`, account, m.From); err != nil {
		return err
	}
	return db.Exec(m.Conn, `DELETE FROM subscription WHERE account = ? AND channel = ?`, account, m.From)
}

// unreadAsBefore makes unread for an account, which begins to follow the channel, what it has not read under the other
// address.
func (m *move) unreadAsBefore(account int64) error {
	revisions, err := m.latest(account, func(known, unread bool) bool { return !known || unread })
	if err != nil {
		return err
	}
	for _, revision := range revisions {
		if err := db.Exec(m.Conn, `INSERT INTO unread (account, revision, channel) VALUES (?, ?, ?)`, account, revision, m.To); err != nil {
			return err
		}
	}
	return countUnread(m.Tx, account, m.To, len(revisions))
}

// readAsBefore makes read for an account what it has read under the other address.
func (m *move) readAsBefore(account int64) error {
	revisions, err := m.latest(account, func(known, unread bool) bool { return known && !unread })
	if err != nil {
		return err
	}
	for _, revision := range revisions {
		if err := readRevision(m.Tx, account, m.To, revision); err != nil {
			return err
		}
	}
	return nil
}

// latest returns the latest revisions of those items that which accepts: whether they were known under the other address,
// and unread there.
func (m *move) latest(account int64, which func(known, unread bool) bool) (revisions []int64, err error) {
	unread := make(map[int64]bool)
	if err := db.Each(m.Conn, `SELECT revision FROM unread WHERE account = ? AND channel = ?`, func(r *sqlite.Stmt) error {
		unread[r.ColumnInt64(0)] = true
		return nil
	}, account, m.From); err != nil {
		return nil, err
	}
	err = db.Each(m.Conn, `SELECT id, latest FROM item WHERE channel = ? AND latest != 0`, func(r *sqlite.Stmt) error {
		if was, known := m.Twins[r.ColumnInt64(0)]; which(known, unread[was.Latest]) {
			revisions = append(revisions, r.ColumnInt64(1))
		}
		return nil
	}, m.To)
	return revisions, err
}
