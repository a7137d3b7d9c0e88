package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// Merge has who follows one channel follow another instead, at whose address it is found for good. An item of the other is
// read if the one with its title, and its guid or link, was read in the first; stars go over to such items, unless retention
// has removed their text: then what was starred stays. Who follows both keeps the name and folder of the other. The first is followed by nobody then; its content stays for
// Retention.Orphans.
//
// It returns false, and changes nothing, unless both are followed, are of one kind, have a version, no password, and
// the same privacy and options.
func (s *Store) Merge(ctx context.Context, from, to string) (merged bool, err error) {
	err = s.write(ctx, func(t *tx) error {
		merged = false
		m := merger{tx: t}
		if ok, err := m.find(from, to); err != nil || !ok {
			return err
		}
		merged = true
		return m.merge()
	})
	if err != nil {
		return false, fmt.Errorf("merging %s into %s: %w", redact(from), redact(to), err)
	}
	return merged, nil
}

// merger merges a channel into another.
type merger struct {
	*tx
	from, to int64
	twins    map[int64]mergedItem // by item of to whose text is kept: what it is in from
}

// mergedItem is an item with its latest revision.
type mergedItem struct{ id, latest int64 }

func (m *merger) find(from, to string) (bool, error) {
	return db.One(m.Conn, `SELECT a.id, b.id FROM channel a JOIN channel b ON b.url = ?2
		WHERE a.url = ?1 AND a.id != b.id AND a.kind = b.kind AND a.privacy = b.privacy AND a.options = b.options
		AND a.version > 0 AND b.version > 0 AND a.orphaned IS NULL AND b.orphaned IS NULL
		AND NOT EXISTS (SELECT 1 FROM credential WHERE channel IN (a.id, b.id))`, func(r *sqlite.Stmt) {
		m.from, m.to = r.ColumnInt64(0), r.ColumnInt64(1)
	}, from, to)
}

func (m *merger) merge() error {
	if err := m.pair(); err != nil {
		return err
	}
	var accounts []int64
	if err := db.Each(m.Conn, `SELECT account FROM subscription WHERE channel = ?`, func(r *sqlite.Stmt) error {
		accounts = append(accounts, r.ColumnInt64(0))
		return nil
	}, m.from); err != nil {
		return err
	}
	for _, account := range accounts {
		if err := m.moveAccount(account); err != nil {
			return err
		}
	}
	for _, item := range slices.Sorted(maps.Keys(m.twins)) {
		was := m.twins[item]
		if err := db.Exec(m.Conn, `UPDATE OR IGNORE star SET item = ?, channel = ? WHERE item = ?`, item, m.to, was.id); err != nil {
			return err
		}
	}
	return db.Exec(m.Conn, `UPDATE channel SET orphaned = ? WHERE id = ?`, m.Now, m.from)
}

// pair finds which item of the one channel is which of the other.
func (m *merger) pair() error {
	type key struct{ title, address uint64 }
	known := make(map[key]mergedItem)
	read := func(channel int64, take func(item mergedItem, keys []key)) error {
		return db.Each(m.Conn, `SELECT id, latest, guid, link, title FROM item WHERE channel = ?`, func(r *sqlite.Stmt) error {
			var keys []key
			for at := 2; at <= 3; at++ { // the guid first
				if address := uint64(r.ColumnInt64(at)); address != 0 {
					keys = append(keys, key{uint64(r.ColumnInt64(4)), address})
				}
			}
			take(mergedItem{r.ColumnInt64(0), r.ColumnInt64(1)}, keys)
			return nil
		}, channel)
	}
	if err := read(m.from, func(item mergedItem, keys []key) {
		for _, k := range keys {
			known[k] = item
		}
	}); err != nil {
		return err
	}
	m.twins = make(map[int64]mergedItem)
	return read(m.to, func(item mergedItem, keys []key) {
		if item.latest == 0 {
			return
		}
		for _, k := range keys {
			if was, ok := known[k]; ok {
				m.twins[item.id] = was
				return
			}
		}
	})
}

// moveAccount has an account follow the one channel instead of the other.
func (m *merger) moveAccount(account int64) error {
	if err := db.Exec(m.Conn, `INSERT INTO subscription (account, channel, name, folder, since)
		SELECT account, ?1, name, folder, since FROM subscription WHERE account = ?2 AND channel = ?3
		ON CONFLICT DO NOTHING`, m.to, account, m.from); err != nil {
		return err
	}
	carry := m.readAsBefore
	if m.Changes() > 0 {
		carry = m.unreadAsBefore
	}
	if err := carry(account); err != nil {
		return err
	}
	if err := db.Exec(m.Conn, `DELETE FROM unread WHERE account = ? AND channel = ?`, account, m.from); err != nil {
		return err
	}
	return db.Exec(m.Conn, `DELETE FROM subscription WHERE account = ? AND channel = ?`, account, m.from)
}

// unreadAsBefore makes unread for an account, which begins to follow the channel, what it has not read under the other
// address.
func (m *merger) unreadAsBefore(account int64) error {
	revisions, err := m.latest(account, func(known, unread bool) bool { return !known || unread })
	if err != nil {
		return err
	}
	for _, revision := range revisions {
		if err := db.Exec(m.Conn, `INSERT INTO unread (account, revision, channel) VALUES (?, ?, ?)`, account, revision, m.to); err != nil {
			return err
		}
	}
	return countUnread(m.Tx, account, m.to, len(revisions))
}

// readAsBefore makes read for an account what it has read under the other address.
func (m *merger) readAsBefore(account int64) error {
	revisions, err := m.latest(account, func(known, unread bool) bool { return known && !unread })
	if err != nil {
		return err
	}
	for _, revision := range revisions {
		if err := m.readRevision(account, m.to, revision); err != nil {
			return err
		}
	}
	return nil
}

// latest returns the latest revisions of those items that which accepts: whether they were known under the other address,
// and unread there.
func (m *merger) latest(account int64, which func(known, unread bool) bool) (revisions []int64, err error) {
	unread := make(map[int64]bool)
	if err := db.Each(m.Conn, `SELECT revision FROM unread WHERE account = ? AND channel = ?`, func(r *sqlite.Stmt) error {
		unread[r.ColumnInt64(0)] = true
		return nil
	}, account, m.from); err != nil {
		return nil, err
	}
	err = db.Each(m.Conn, `SELECT id, latest FROM item WHERE channel = ? AND latest != 0`, func(r *sqlite.Stmt) error {
		if was, known := m.twins[r.ColumnInt64(0)]; which(known, unread[was.latest]) {
			revisions = append(revisions, r.ColumnInt64(1))
		}
		return nil
	}, m.to)
	return revisions, err
}
