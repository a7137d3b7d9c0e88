package content

import (
	"time"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
	"tidings/store/known"
)

// pruneBatch is how many versions one search for work returns, and an eighth of how many items one operation forgets.
const pruneBatch = 64

// Cursor is the last thing that a pass over versions, or channels, has dealt with; the zero value is its beginning.
type Cursor struct {
	Received time.Time // DoomedByAge
	Version  int64     // versions: version.id; DoomedByCount: the channel's version number
	Channel  int64     // DoomedByCount, NextSurplus
}

// Doomed is a version that a limit no longer covers, and the cursor behind it.
type Doomed struct {
	ID    int64
	Whole bool // nothing of it is to be kept
	Next  Cursor
}

// notGoing is the condition that a channel (c) is not being removed.
const notGoing = `c.url NOT GLOB ':*'`

// LetGo removes the address of one channel without followers: since before, or, if it never had any, since guests. A
// channel with a starred or labelled item stays, under the other limits.
//
// Removing a channel is many operations, and somebody may subscribe again between them. That subscription begins anew.
func LetGo(t *Tx, before, guests time.Time) error {
	if err := db.Exec(t.Conn, `UPDATE channel SET url = ':' || id WHERE id = (SELECT c.id FROM channel c
		WHERE c.orphaned < CASE c.guest WHEN 0 THEN ?1 ELSE ?2 END AND c.polled IS NULL
		AND NOT EXISTS (SELECT 1 FROM star t WHERE t.channel = c.id) AND NOT EXISTS (SELECT 1 FROM label l
		WHERE l.channel = c.id AND l.auto = 0) LIMIT 1)`, before, guests); err != nil {
		return err
	}
	if t.Changes() > 0 {
		noteKnown(t, known.Change{})
	}
	return nil
}

// Going returns a channel whose address was removed, and at most pruneBatch of its versions; 0: there is none.
func Going(conn *sqlite.Conn) (channel int64, versions []Doomed, err error) {
	found, err := db.One(conn, `SELECT id FROM channel WHERE url GLOB ':*' LIMIT 1`, func(r *sqlite.Stmt) {
		channel = r.ColumnInt64(0)
	})
	if err != nil || !found {
		return 0, nil, err
	}
	return channel, versions, db.Each(conn, `SELECT id FROM version WHERE channel = ? ORDER BY version LIMIT +?`,
		func(r *sqlite.Stmt) error {
			versions = append(versions, Doomed{ID: r.ColumnInt64(0), Whole: true})
			return nil
		}, channel, pruneBatch)
}

// DoomedByAge returns versions that were received before a time.
func DoomedByAge(conn *sqlite.Conn, at Cursor, before time.Time) ([]Doomed, error) {
	return doomed(conn, `SELECT v.id, v.received FROM version v INDEXED BY version_received
		WHERE (v.received, v.id) > (?, ?) AND v.received < ? ORDER BY v.received, v.id LIMIT +?`,
		func(r *sqlite.Stmt) Cursor { return Cursor{Version: r.ColumnInt64(0), Received: db.ColumnTime(r, 1)} },
		at.Received.UnixMicro(), at.Version, before, pruneBatch)
}

// DoomedByCount returns versions of channels that have more than most. Of guests 16 are kept, or fewer.
func DoomedByCount(conn *sqlite.Conn, at Cursor, most int) ([]Doomed, error) {
	return doomed(conn, `SELECT v.id, v.channel, v.version FROM channel c
		CROSS JOIN version v ON v.channel = c.id AND v.version <= c.version - CASE c.guest WHEN 0 THEN ?1 ELSE ?5 END
		WHERE c.id >= ?2 AND c.version > CASE c.guest WHEN 0 THEN ?1 ELSE ?5 END AND (c.id, v.version) > (?2, ?3)
		ORDER BY c.id, v.version LIMIT +?4`,
		func(r *sqlite.Stmt) Cursor { return Cursor{Channel: r.ColumnInt64(1), Version: r.ColumnInt64(2)} },
		most, at.Channel, at.Version, pruneBatch, min(most, GuestVersions))
}

// Oldest returns the n oldest versions.
func Oldest(conn *sqlite.Conn, at Cursor, n int) ([]Doomed, error) {
	return doomed(conn, `SELECT v.id FROM version v WHERE v.id > ? ORDER BY v.id LIMIT +?`,
		func(r *sqlite.Stmt) Cursor { return Cursor{Version: r.ColumnInt64(0)} }, at.Version, n)
}

// doomed runs a search for versions; its first column is version.id.
func doomed(conn *sqlite.Conn, sql string, next func(r *sqlite.Stmt) Cursor,
	args ...any) (versions []Doomed, err error) {
	return versions, db.Each(conn, sql, func(r *sqlite.Stmt) error {
		versions = append(versions, Doomed{ID: r.ColumnInt64(0), Next: next(r)})
		return nil
	}, args...)
}

// DropItems forgets some of the items of a channel without versions, and reports whether there were any.
func DropItems(t *Tx, channel int64) (more bool, err error) {
	err = db.Exec(t.Conn,
		`DELETE FROM item WHERE channel = ?1 AND id IN (SELECT id FROM item WHERE channel = ?1 LIMIT +?2)`,
		channel, pruneBatch*8)
	return t.Changes() > 0, err
}

// DropChannel removes a channel without versions and items.
func DropChannel(t *Tx, channel int64) error {
	for _, sql := range []string{
		`DELETE FROM watch WHERE channel = ?`,
		`DELETE FROM noise WHERE channel = ?`,
		`DELETE FROM document WHERE channel = ?`,
		`DELETE FROM embargo WHERE channel = ?`,
		`DELETE FROM credential WHERE channel = ?`,
		`DELETE FROM channel WHERE id = ?`,
	} {
		if err := db.Exec(t.Conn, sql, channel); err != nil {
			return err
		}
	}
	return nil
}

// Surplus is how many more items without content a channel has than are kept.
type Surplus struct {
	Channel int64 // 0: there is no further channel
	url     string
	Items   int // may be negative
}

// NextSurplus returns the surplus over keep of the next channel.
func NextSurplus(conn *sqlite.Conn, at Cursor, keep int) (s Surplus, err error) {
	found, err := db.One(conn, `SELECT id, url FROM channel WHERE id > ? ORDER BY id LIMIT 1`, func(r *sqlite.Stmt) {
		s.Channel, s.url = r.ColumnInt64(0), r.ColumnText(1)
	}, at.Channel)
	if err != nil || !found {
		return s, err
	}
	_, err = db.One(conn, `SELECT count(*) FROM item WHERE channel = ? AND latest = 0`, func(r *sqlite.Stmt) {
		s.Items = r.ColumnInt(0) - keep
	}, s.Channel)
	return s, err
}

// DropSurplus forgets some of the oldest items of a surplus, and returns what is left of it. Items in the latest
// document stay.
func DropSurplus(t *Tx, s Surplus) (Surplus, error) {
	n := min(s.Items, pruneBatch*8)
	s.Items -= n
	return s, dropItems(t, s.Channel, s.url, n)
}

// dropItems forgets the oldest n items without content; those in the latest document stay.
func dropItems(t *Tx, channel int64, url string, n int) error {
	listed, err := listedItems(t.Conn, url)
	if err != nil {
		return err
	}
	var items []int64
	if err := db.Each(t.Conn, `SELECT id FROM item i WHERE channel = ? AND latest = 0
		AND NOT EXISTS (SELECT 1 FROM embargo e WHERE e.item = i.id) ORDER BY id LIMIT +?`, func(r *sqlite.Stmt) error {
		if _, ok := listed[r.ColumnInt64(0)]; !ok {
			items = append(items, r.ColumnInt64(0))
		}
		return nil
	}, channel, n); err != nil {
		return err
	}
	noteKnown(t, known.Change{})
	for _, item := range items {
		if err := db.Exec(t.Conn, `DELETE FROM item WHERE channel = ? AND id = ?`, channel, item); err != nil {
			return err
		}
	}
	return nil
}
