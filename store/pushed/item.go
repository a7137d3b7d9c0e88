package pushed

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// maxPushed is how many published items of a channel are kept as they were signed. pushedSlack is how many more there
// may be until the surplus is removed.
const (
	maxPushed   = 1000
	pushedSlack = 32
)

// Item is a published item of a channel, as it was signed.
type Item struct {
	URL    string
	Topic  [20]byte
	Number uint64 // below 2^63
	Signed []byte // the item as it was signed: opaque
	// Withdraws are the numbers of earlier items that this one withdraws. It is not set in returned items.
	Withdraws []uint64
}

// Place is where the item of a number stands among those of its channel.
type Place struct {
	Have  uint64    // all up to this are here, or from before the pin
	Since time.Time // when the channel was trusted to its publisher
	Fresh bool      // it is above Have
	Here  bool      // it is kept, though above Have
}

// Find returns the place of a number; tidings.ErrNotFound if the channel has no Pin.
func Find(t *db.Tx, channel int64, number uint64) (p Place, err error) {
	if err := db.Must(db.One(t.Conn, `SELECT have, pinned FROM pin WHERE channel = ?`, func(r *sqlite.Stmt) {
		p.Have, p.Since = uint64(r.ColumnInt64(0)), db.ColumnTime(r, 1)
	}, channel)); err != nil {
		return p, err
	}
	if p.Fresh = number > p.Have; p.Fresh {
		p.Here, err = db.One(t.Conn, `SELECT 1 FROM pushed WHERE channel = ? AND number = ?`, nil, channel,
			int64(number))
	}
	return p, err
}

// Keep keeps an item that is not here, with the files that it carries.
func Keep(t *db.Tx, channel int64, item *Item, files []tidings.File) error {
	if err := db.Exec(t.Conn, `INSERT INTO pushed (channel, topic, number, item) VALUES (?, ?, ?, ?)`,
		channel, item.Topic[:], int64(item.Number), item.Signed); err != nil {
		return err
	}
	return addFiles(t, channel, files)
}

// Count notes that an item has come, and told, the number of items that readers were notified of. late says that a poll
// had found the item before, and counted it as missed. What the item withdraws is forgotten. Count returns the new
// Pin.Have.
func Count(t *db.Tx, channel int64, item *Item, have uint64, told int, late bool) (uint64, error) {
	if err := withdraw(t, channel, int64(have), item); err != nil {
		return 0, err
	}
	all, err := upTo(t, channel, int64(have))
	if err != nil {
		return 0, err
	}
	if err := db.Exec(t.Conn,
		`UPDATE pin SET have = ?, heard = ?, pushed = pushed + ?, missed = max(0, missed - ?) WHERE channel = ?`,
		all, t.Now, told, late, channel); err != nil || item.Number%pushedSlack != 0 {
		return uint64(all), err
	}
	return uint64(all),
		db.Exec(t.Conn, `DELETE FROM pushed WHERE channel = ?1 AND number <= (SELECT max(number) FROM pushed
			WHERE channel = ?1) - ?2`,
			channel, maxPushed)
}

// Forget removes all that is kept of a channel.
func Forget(t *db.Tx, channel int64) error {
	for _, sql := range []string{
		`DELETE FROM pin WHERE channel = ?`,
		`DELETE FROM pushed WHERE channel = ?`,
		`DELETE FROM item_file WHERE channel = ?`,
		`DELETE FROM websub WHERE channel = ?`,
	} {
		if err := db.Exec(t.Conn, sql, channel); err != nil {
			return err
		}
	}
	return nil
}

// withdraw forgets the bytes of the items that an item withdraws. Their numbers stay, so that nobody is asked for them.
// Withdrawn numbers above all, up to which everything is here, count as here from then on.
func withdraw(t *db.Tx, channel, all int64, item *Item) error {
	for _, number := range item.Withdraws {
		if number >= item.Number {
			continue
		}
		if err := db.Exec(t.Conn,
			`UPDATE pushed SET item = x'', withdrawn_by = ? WHERE channel = ? AND number = ? AND withdrawn_by IS NULL`,
			int64(item.Number), channel, int64(number)); err != nil {
			return err
		}
		if t.Changes() > 0 || int64(number) <= all {
			continue
		}
		if err := db.Exec(t.Conn,
			`INSERT OR IGNORE INTO pushed (channel, topic, number, item, withdrawn_by) VALUES (?, ?, ?, x'', ?)`,
			channel, item.Topic[:], int64(number), int64(item.Number)); err != nil {
			return err
		}
	}
	return nil
}

// upTo returns up to which number all items of a channel are here, where they are up to one.
func upTo(t *db.Tx, channel, all int64) (int64, error) {
	for {
		next, err := db.One(t.Conn, `SELECT 1 FROM pushed WHERE channel = ? AND number = ?`, nil, channel, all+1)
		if err != nil || !next {
			return all, err
		}
		all++
	}
}

// Numbers returns the numbers of a channel's published items that are kept here above a number,
// ascending.
func (s *Store) Numbers(ctx context.Context, url string, above uint64) (numbers []uint64, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT number FROM pushed WHERE channel = (SELECT id FROM channel WHERE url = ?)
			AND number > ? ORDER BY number`,
			func(r *sqlite.Stmt) error {
				numbers = append(numbers, uint64(r.ColumnInt64(0)))
				return nil
			}, url, int64(above))
	})
	if err != nil {
		return nil, fmt.Errorf("numbers of published items of %s: %w", url, err)
	}
	return numbers, nil
}

// Items returns the published items of a topic that are kept here, from one number to another, in order. There are at
// most limit of them, and about size bytes. In place of each withdrawn item stands the one that withdrew it.
func (s *Store) Items(ctx context.Context, topic [20]byte, from, to uint64, limit, size int) (items []Item, err error) {
	const highest = 1<<63 - 1
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT c.url, p.number, p.item FROM pushed a JOIN channel c ON c.id = a.channel
			JOIN pushed p ON p.channel = a.channel AND p.number = coalesce(a.withdrawn_by, a.number)
			AND p.topic = a.topic AND p.withdrawn_by IS NULL
			WHERE a.topic = ? AND a.number BETWEEN ? AND ? ORDER BY a.number LIMIT +?`, func(r *sqlite.Stmt) error {
			if size <= 0 {
				return nil
			}
			item := Item{URL: r.ColumnText(0), Topic: topic, Number: uint64(r.ColumnInt64(1)),
				Signed: db.ColumnBlob(r, 2)}
			size -= len(item.Signed)
			items = append(items, item)
			return nil
		}, topic[:], int64(min(from, highest)), int64(min(to, highest)), limit)
	})
	if err != nil {
		return nil, fmt.Errorf("published items of topic %x: %w", topic, err)
	}
	return items, nil
}

// Topics returns the topics on which published items of a channel have come, the latest first: more than
// one where its publisher's key was replaced.
func (s *Store) Topics(ctx context.Context, url string) (topics [][20]byte, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT topic FROM pushed WHERE channel = (SELECT id FROM channel WHERE url = ?)
			GROUP BY topic ORDER BY max(number) DESC`, func(r *sqlite.Stmt) error {
			topics = append(topics, [20]byte(db.ColumnBlob(r, 0)))
			return nil
		}, url)
	})
	if err != nil {
		return nil, fmt.Errorf("topics of %s: %w", url, err)
	}
	return topics, nil
}
