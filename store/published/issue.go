package published

import (
	"context"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

const (
	// maxPublished is how many items of a publication are kept. Older ones that other nodes have go first.
	maxPublished = 100_000
	// maxPublishedMarks is how many items of a publication are known again.
	maxPublishedMarks = 50_000
	// maxIssue bounds what one call numbers.
	maxIssue = 10_000
)

// Item is an item as it was signed.
type Item struct {
	Number uint64
	Topic  [20]byte
	Signed []byte // the item as it was signed: opaque, never empty
	// Withdraws are the numbers of earlier items that this one withdraws. It is not set in returned items.
	Withdraws []uint64
}

// Mark is by what an item of a publication is known again, and the hash of what was published of
// it. Row is the store's name for it; 0: it is new.
type Mark struct {
	tidings.KnownItem
	Content [32]byte
}

// Issue is what one poll of a publication's source gives: items to number and send, and what is known
// of all items from then on.
type Issue struct {
	Channel, Key string
	// Items are signed with the numbers from Publication.Next on, without a gap.
	Items []Item
	Time  time.Time // of the last of Items; none is from before Publication.Last
	// Marks are of items that were published, or changed without news for readers.
	Marks []Mark
	// Files are the larger contents of items that are published, by their places in Marks. An item that is not among
	// them keeps those that it has.
	Files map[int][][32]byte
	// Listed, where it is not nil, names the items in the document, by their rows; those of Marks are too.
	Listed []int64
}

// Issue numbers and keeps signed items, all of them or none; they are on the disk when it returns, and may
// be sent from then on. It returns tidings.ErrStale if the numbers do not go on where the publication is, or
// time goes back: then the items must be signed anew; tidings.ErrNotFound if it is not published or was
// stopped.
func (s *Store) Issue(ctx context.Context, i Issue) error {
	if len(i.Items) > maxIssue || len(i.Marks) > maxIssue {
		return fmt.Errorf("publishing items of %s: %w: more than %d at once", i.Channel, tidings.ErrInvalid, maxIssue)
	}
	err := s.db.Write(ctx, func(t *db.Tx) error { return issue(t, i) })
	if err != nil {
		return fmt.Errorf("publishing items of %s: %w", i.Channel, err)
	}
	return nil
}

func issue(t *db.Tx, i Issue) error {
	var id, next, last int64
	if err := db.Must(
		db.One(t.Conn, `SELECT id, next, last FROM publication WHERE channel = ? AND key = ? AND stopped IS NULL`,
			func(r *sqlite.Stmt) { id, next, last = r.ColumnInt64(0), r.ColumnInt64(1), r.ColumnInt64(2) }, i.Channel,
			i.Key)); err != nil {
		return err
	}
	for _, item := range i.Items {
		if item.Number != uint64(next) || i.Time.UnixMilli() < last {
			return tidings.ErrStale
		}
		if err := db.Exec(t.Conn, `INSERT INTO published (publication, number, topic, item) VALUES (?, ?, ?, ?)`,
			id, next, item.Topic[:], item.Signed); err != nil {
			return err
		}
		if err := withdraw(t, id, &item); err != nil {
			return err
		}
		next++
	}
	if len(i.Items) > 0 {
		if err := db.Exec(t.Conn, `UPDATE publication SET next = ?, last = ? WHERE id = ?`, next, i.Time.UnixMilli(),
			id); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `DELETE FROM published WHERE publication = ? AND number < ? AND sent = 1`, id,
			next-maxPublished); err != nil {
			return err
		}
	}
	return noteMarks(t, id, i)
}

// withdraw forgets the bytes of the items that an item of a publication withdraws. Their numbers stay, and they are no
// longer sent.
func withdraw(t *db.Tx, publication int64, item *Item) error {
	for _, number := range item.Withdraws {
		if err := db.Exec(t.Conn, `UPDATE published SET item = x'', withdrawn_by = ?3, sent = 1, archived = 1
			WHERE publication = ?1 AND number = ?2 AND number < ?3 AND withdrawn_by IS NULL`, publication,
			int64(number), int64(item.Number)); err != nil {
			return err
		}
	}
	return nil
}

// noteMarks notes what items of a publication are known by.
func noteMarks(t *db.Tx, id int64, i Issue) error {
	if i.Listed != nil {
		if err := db.Exec(t.Conn, `UPDATE published_mark SET listed = 0 WHERE publication = ? AND listed = 1`,
			id); err != nil {
			return err
		}
		for _, row := range i.Listed {
			if err := db.Exec(t.Conn, `UPDATE published_mark SET listed = 1 WHERE publication = ? AND id = ?`, id,
				row); err != nil {
				return err
			}
		}
	}
	for at, m := range i.Marks {
		var row any
		if m.Row != 0 {
			row = m.Row
		}
		if err := db.Exec(t.Conn,
			`INSERT INTO published_mark (id, publication, guid, link, title, date, print, content, listed)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1) ON CONFLICT (id) DO UPDATE SET
			guid = ?3, link = ?4, title = ?5, date = ?6, print = ?7, content = ?8, listed = 1 WHERE publication = ?2`,
			row, id, int64(m.ID), int64(m.Link), int64(m.Title), int64(m.Date), int64(m.Print),
			m.Content[:]); err != nil {
			return err
		}
		if files, ok := i.Files[at]; ok {
			mark := m.Row
			if mark == 0 {
				mark = t.LastInsertRowID()
			}
			if err := setFiles(t, mark, files); err != nil {
				return err
			}
		}
	}
	return forgetMarks(t, id, i.Marks)
}

// forgetEvery is how many new marks come between two checks whether there are too many: such a check reads all.
const forgetEvery = 256

// forgetMarks drops what items were known by that were listed least lately, once there are too many.
func forgetMarks(t *db.Tx, id int64, added []Mark) error {
	due := false
	for i, m := range added {
		due = due || m.Row == 0 && (t.LastInsertRowID()-int64(i))%forgetEvery == 0
	}
	if !due {
		return nil
	}
	if err := db.Exec(t.Conn,
		`DELETE FROM published_mark WHERE id IN (SELECT id FROM published_mark WHERE publication = ?
		ORDER BY listed DESC, id DESC LIMIT -1 OFFSET ?)`, id, maxPublishedMarks); err != nil {
		return err
	}
	return db.Exec(t.Conn, `DELETE FROM published_file WHERE mark NOT IN (SELECT id FROM published_mark)`)
}

// Resign puts other signed bytes, with other topics, in the place of items that no other node is known to
// have. Those that others have stay.
func (s *Store) Resign(ctx context.Context, channel, key string, items []Item) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		for _, i := range items {
			if err := db.Exec(t.Conn, `UPDATE published SET topic = ?, item = ? WHERE sent = 0 AND number = ?
				AND publication = (SELECT id FROM publication WHERE channel = ? AND key = ?)`, i.Topic[:], i.Signed,
				int64(i.Number), channel, key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("signing items of %s anew: %w", channel, err)
	}
	return nil
}

// Renumbering replaces items that no other node is known to have by items with higher numbers: other nodes know other
// items by the old numbers.
type Renumbering struct {
	Channel, Key string
	Gone         []uint64
	Next         uint64 // number of the first of Items; numbers up to it are left out
	Items        []Item
	Time         time.Time // of Items
}

// Renumber does so, as a whole or not at all. It returns tidings.ErrStale where an item that is to go is known
// to others by now, or Next was given.
func (s *Store) Renumber(ctx context.Context, r Renumbering) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		for _, number := range r.Gone {
			if err := db.Exec(t.Conn, `DELETE FROM published WHERE sent = 0 AND number = ?
				AND publication = (SELECT id FROM publication WHERE channel = ? AND key = ?)`, int64(number),
				r.Channel, r.Key); err != nil {
				return err
			}
			if t.Changes() == 0 {
				return tidings.ErrStale
			}
		}
		if err := db.Exec(t.Conn, `UPDATE publication SET next = ?1 WHERE channel = ?2 AND key = ?3 AND next <= ?1`,
			int64(r.Next), r.Channel, r.Key); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrStale
		}
		return issue(t, Issue{Channel: r.Channel, Key: r.Key, Items: r.Items, Time: r.Time})
	})
	if err != nil {
		return fmt.Errorf("numbering items of %s anew: %w", r.Channel, err)
	}
	return nil
}

const markColumns = `m.id, m.guid, m.link, m.title, m.date, m.print, m.content, m.listed`

func readMark(r *sqlite.Stmt) Mark {
	m := Mark{KnownItem: tidings.KnownItem{Row: r.ColumnInt64(0), ItemIdentity: column.Identity(r, 1),
		Listed: r.ColumnBool(7)}}
	copy(m.Content[:], db.ColumnBlob(r, 6))
	return m
}

// Marks returns what the items of a publication are known by, oldest first.
func (s *Store) Marks(ctx context.Context, channel, key string) ([]Mark, error) {
	return s.marks(ctx, channel, `SELECT `+markColumns+` FROM published_mark m
		JOIN publication p ON p.id = m.publication WHERE p.channel = ? AND p.key = ? ORDER BY m.id`, channel, key)
}

// MarksLike is Marks for the items that have the guid or the link of one, which must have a guid.
func (s *Store) MarksLike(ctx context.Context, channel, key string, like tidings.ItemIdentity) ([]Mark, error) {
	return s.marks(ctx, channel, `WITH p AS MATERIALIZED (SELECT id FROM publication WHERE channel = ?1 AND key = ?2)
		SELECT `+markColumns+` FROM published_mark m WHERE m.publication = (SELECT id FROM p) AND m.guid = ?3
		UNION SELECT `+markColumns+` FROM published_mark m WHERE m.publication = (SELECT id FROM p) AND m.link = ?4 AND ?4 != 0 ORDER BY 1`,
		channel, key, int64(like.ID), int64(like.Link))
}

func (s *Store) marks(ctx context.Context, channel, sql string, args ...any) (marks []Mark, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, sql, func(r *sqlite.Stmt) error {
			marks = append(marks, readMark(r))
			return nil
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("published items of %s: %w", channel, err)
	}
	return marks, nil
}

// Unsent returns the first items of a publication, stopped or not, that no other node is known to
// have, at most limit of them.
func (s *Store) Unsent(ctx context.Context, channel, key string, limit int) ([]Item, error) {
	return s.items(ctx, channel,
		`SELECT i.number, i.topic, i.item FROM published i JOIN publication p ON p.id = i.publication
		WHERE p.channel = ? AND p.key = ? AND i.sent = 0 ORDER BY i.number LIMIT +?`, channel, key, limit)
}

// Items returns the kept items of a topic with numbers from one to another, at most limit of them, in order. In place
// of each withdrawn item stands the one that withdrew it.
func (s *Store) Items(ctx context.Context, topic [20]byte, from, to uint64, limit int) ([]Item, error) {
	const highest = 1<<63 - 1
	return s.items(ctx, fmt.Sprintf("topic %x", topic), `SELECT i.number, i.topic, i.item FROM published a
		JOIN published i ON i.publication = a.publication AND i.number = coalesce(a.withdrawn_by, a.number)
		AND i.topic = a.topic AND i.withdrawn_by IS NULL
		WHERE a.topic = ? AND a.number BETWEEN ? AND ? ORDER BY a.number LIMIT +?`,
		topic[:], int64(min(from, highest)), int64(min(to, highest)), limit)
}

// ItemsOf returns the items of a publication on all its topics with numbers above one, at most limit of them, in order,
// without withdrawn ones.
func (s *Store) ItemsOf(ctx context.Context, channel, key string, above uint64, limit int) ([]Item, error) {
	return s.items(ctx, channel, `SELECT number, topic, item FROM published
		WHERE publication = (SELECT id FROM publication WHERE channel = ? AND key = ?) AND number > ?
		AND withdrawn_by IS NULL ORDER BY number LIMIT +?`,
		channel, key, int64(above), limit)
}

func (s *Store) items(ctx context.Context, of, sql string, args ...any) (items []Item, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, sql, func(r *sqlite.Stmt) error {
			item := Item{Number: uint64(r.ColumnInt64(0)), Signed: db.ColumnBlob(r, 2)}
			copy(item.Topic[:], db.ColumnBlob(r, 1))
			items = append(items, item)
			return nil
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("published items of %s: %w", of, err)
	}
	return items, nil
}

// Sent notes that other nodes have items of a publication. It lasts up to a tenth of a second, in which it shares a
// transaction with others.
func (s *Store) Sent(ctx context.Context, channel, key string, numbers ...uint64) error {
	err := s.db.WriteAlong(ctx, len(numbers), func(t *db.Tx) error {
		for _, n := range slices.Sorted(slices.Values(numbers)) {
			if err := db.Exec(t.Conn, `UPDATE published SET sent = 1 WHERE sent = 0 AND number = ?
				AND publication = (SELECT id FROM publication WHERE channel = ? AND key = ?)`, int64(n), channel,
				key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("noting what was sent of %s: %w", channel, err)
	}
	return nil
}
