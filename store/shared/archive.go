package shared

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings/store/column"
	"tidings/store/db"
)

// ErrNoRoom says that something is not kept because a limit would be passed.
var ErrNoRoom = errors.New("there is no room for it")

// Point is a place on the network's ring, or the name of a topic there.
type Point = [20]byte

// Archived is an item that this node keeps for the network. Its content and publisher are not the store's business.
type Archived struct {
	Key    Point // where the network keeps it; no two items have the same
	Topic  Point
	Number uint64
	Size   int    // bytes; set by PutArchived
	Print  uint64 // of its bytes, as the caller makes it
}

// ArchiveLimits bounds what is kept for the network. The choice of what has to go when a limit is
// reached is the caller's; the store refuses what would go beyond.
type ArchiveLimits struct {
	Bytes, TopicBytes int64 // of all items, and of those of one topic
	Items             int
}

// ArchiveUse is how much is kept for the network.
type ArchiveUse struct {
	Items int
	Bytes int64
}

// PutArchived keeps an item, and replaces any other with its key. It fails with ErrNoRoom if a limit would be passed.
// It lasts up to a tenth of a second, in which it shares a transaction with others.
func (s *Store) PutArchived(ctx context.Context, a Archived, item []byte, limits ArchiveLimits) error {
	packed := column.PackBytes(item)
	err := s.db.WriteAlong(ctx, 1, func(t *db.Tx) error {
		if err := dropArchived(t, a.Key); err != nil {
			return err
		}
		size := int64(len(item))
		all, err := archiveUse(t.Conn, nil)
		if err != nil {
			return err
		}
		topic, err := archiveUse(t.Conn, a.Topic[:])
		if err != nil {
			return err
		}
		if all.Bytes+size > limits.Bytes || all.Items >= limits.Items || topic.Bytes+size > limits.TopicBytes {
			return ErrNoRoom
		}
		if err := db.Exec(t.Conn, `INSERT INTO archived (key, topic, number, size, print, since, item)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			a.Key[:], a.Topic[:], int64(a.Number), size, int64(a.Print), t.Now, packed); err != nil {
			return err
		}
		return useArchive(t, a.Topic[:], 1, size)
	})
	if err != nil {
		return fmt.Errorf("keeping item %d of %x for the network: %w", a.Number, a.Topic[:4], err)
	}
	return nil
}

// dropArchived forgets an item, if there is one.
func dropArchived(t *db.Tx, key Point) error {
	var topic []byte
	var size int64
	found, err := db.One(t.Conn, `SELECT topic, size FROM archived WHERE key = ?`, func(r *sqlite.Stmt) {
		topic, size = db.ColumnBlob(r, 0), r.ColumnInt64(1)
	}, key[:])
	if err != nil || !found {
		return err
	}
	if err := db.Exec(t.Conn, `DELETE FROM archived WHERE key = ?`, key[:]); err != nil {
		return err
	}
	return useArchive(t, topic, -1, -size)
}

// useArchive counts items of a topic that come or go.
func useArchive(t *db.Tx, topic []byte, items int, bytes int64) error {
	for _, of := range [][]byte{topic, {}} {
		if err := db.Exec(t.Conn, `INSERT INTO archive_use (topic, items, bytes) VALUES (?1, ?2, ?3)
			ON CONFLICT (topic) DO UPDATE SET items = items + ?2, bytes = bytes + ?3`, of, items, bytes); err != nil {
			return err
		}
	}
	return db.Exec(t.Conn, `DELETE FROM archive_use WHERE topic = ? AND items = 0`, topic)
}

// archiveUse returns what there is of a topic; of all if it is nil.
func archiveUse(conn *sqlite.Conn, topic []byte) (u ArchiveUse, err error) {
	if topic == nil {
		topic = []byte{}
	}
	_, err = db.One(conn, `SELECT items, bytes FROM archive_use WHERE topic = ?`, func(r *sqlite.Stmt) {
		u = ArchiveUse{r.ColumnInt(0), r.ColumnInt64(1)}
	}, topic)
	return u, err
}

// DropArchived forgets items that are kept for the network, by their keys. Those that are not there are
// left out.
func (s *Store) DropArchived(ctx context.Context, keys []Point) error {
	for len(keys) > 0 {
		some := keys[:min(len(keys), dropsAtOnce)]
		keys = keys[len(some):]
		err := s.db.Write(ctx, func(t *db.Tx) error {
			for _, key := range some {
				if err := dropArchived(t, key); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("forgetting items that were kept for the network: %w", err)
		}
	}
	return nil
}

// dropsAtOnce is how many items are forgotten in one transaction, at most.
const dropsAtOnce = 256

// ArchivedItem returns an item that is kept for the network, by its key; nil if it is not.
func (s *Store) ArchivedItem(ctx context.Context, key Point) (item []byte, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		var packed []byte
		found, err := db.One(conn, `SELECT item FROM archived WHERE key = ?`, func(r *sqlite.Stmt) {
			packed = db.ColumnBlob(r, 0)
		}, key[:])
		if err != nil || !found {
			return err
		}
		text, err := column.Unpack(packed)
		item = []byte(text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading an item that is kept for the network: %w", err)
	}
	return item, nil
}

// Archived returns what is kept for the network, without the items themselves, in the order of keys: a
// page of at most most, of keys higher than after, or the first page if after is nil.
func (s *Store) Archived(ctx context.Context, after *Point, most int) (page []Archived, err error) {
	from := []byte{}
	if after != nil {
		from = after[:]
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT key, topic, number, size, print FROM archived
			WHERE key > ? ORDER BY key LIMIT +?`, func(r *sqlite.Stmt) error {
			a := Archived{Number: uint64(r.ColumnInt64(2)), Size: r.ColumnInt(3), Print: uint64(r.ColumnInt64(4))}
			r.ColumnBytes(0, a.Key[:])
			r.ColumnBytes(1, a.Topic[:])
			page = append(page, a)
			return nil
		}, from, most)
	})
	if err != nil {
		return nil, fmt.Errorf("listing what is kept for the network: %w", err)
	}
	return page, nil
}
