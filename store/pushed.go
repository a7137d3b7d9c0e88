package store

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
)

// maxPushed is how many published items of a channel are kept as they were signed, and pushedSlack how many more there
// may be until those beyond go.
const (
	maxPushed   = 1000
	pushedSlack = 32
)

// Pushed is a published item of a channel, as it was signed.
type Pushed struct {
	URL    string
	Topic  [20]byte
	Number uint64 // below 2^63
	Item   []byte // opaque
	// Withdraws are the numbers of earlier items that this one takes back. It is not set where items are
	// returned.
	Withdraws []uint64
}

// Push is a published item with what it tells readers; a nil Change is nothing. An item that is here already is stored no
// more; what a poll has found of it becomes what its publisher has signed, see signed.go.
type Push struct {
	Pushed
	Change *tidings.Change
}

func (p Push) url() string             { return p.URL }
func (p Push) change() *tidings.Change { return p.Change }

func (p Push) apply(t *tx, prepared *prepared) (Applied, error) {
	return t.takePushed(p.URL, prepared, &p.Pushed)
}

// takePushed takes one item; of one that is stale it stores nothing.
func (t *tx) takePushed(url string, p *prepared, item *Pushed) (taken Applied, err error) {
	ch, err := t.channel(url)
	if err != nil {
		return taken, err
	}
	var all int64
	var pinned time.Time
	if err := must(one(t.Conn, `SELECT have, pinned FROM pin WHERE channel = ?`, func(r *sqlite.Stmt) {
		all, pinned = r.ColumnInt64(0), columnTime(r, 1)
	}, ch.id)); err != nil {
		return taken, err
	}
	if p != nil {
		p.trusted, p.late = pinned, false
	}
	if fresh := int64(item.Number) > all; fresh {
		if p != nil {
			if err := t.mustKnow(ch, p.Change); err != nil {
				return taken, err
			}
		}
		here, err := one(t.Conn, `SELECT 1 FROM pushed WHERE channel = ? AND number = ?`, nil, ch.id, int64(item.Number))
		if err != nil || here {
			return Applied{Have: uint64(all)}, err
		}
		if taken.Update, err = t.record(ch, p); err != nil { // which may be stale
			return taken, err
		}
		if err := exec(t.Conn, `INSERT INTO pushed (channel, topic, number, item) VALUES (?, ?, ?, ?)`,
			ch.id, item.Topic[:], int64(item.Number), item.Item); err != nil {
			return taken, err
		}
		if p != nil {
			if err := t.addItemFiles(ch.id, p.Files); err != nil {
				return taken, err
			}
		}
	} else {
		p = nil
	}
	if err := takeBackPushed(t, ch.id, all, item); err != nil {
		return taken, err
	}
	if all, err = t.pushedUpTo(ch.id, all); err != nil {
		return taken, err
	}
	taken.Have = uint64(all)
	told := 0
	if taken.Update != nil {
		told = len(taken.Update.Items)
	}
	taken.Late = p != nil && (taken.Update == nil || p.late)
	if err := exec(t.Conn, `UPDATE pin SET have = ?, heard = ?, pushed = pushed + ?, missed = max(0, missed - ?) WHERE channel = ?`,
		all, t.now, told, taken.Late, ch.id); err != nil || item.Number%pushedSlack != 0 {
		return taken, err
	}
	return taken, exec(t.Conn, `DELETE FROM pushed WHERE channel = ?1 AND number <= (SELECT max(number) FROM pushed WHERE channel = ?1) - ?2`,
		ch.id, maxPushed)
}

// takeBackPushed forgets the bytes of what a pushed item takes back. Their numbers stay: nobody needs to be
// asked for them. Those above all, up to which everything is here, count as here from then on.
func takeBackPushed(t *tx, channel, all int64, item *Pushed) error {
	for _, number := range item.Withdraws {
		if number >= item.Number {
			continue
		}
		if err := exec(t.Conn, `UPDATE pushed SET item = x'', withdrawn_by = ? WHERE channel = ? AND number = ? AND withdrawn_by IS NULL`,
			int64(item.Number), channel, int64(number)); err != nil {
			return err
		}
		if t.Changes() > 0 || int64(number) <= all {
			continue
		}
		if err := exec(t.Conn, `INSERT OR IGNORE INTO pushed (channel, topic, number, item, withdrawn_by) VALUES (?, ?, ?, x'', ?)`,
			channel, item.Topic[:], int64(number), int64(item.Number)); err != nil {
			return err
		}
	}
	return nil
}

// pushedUpTo returns up to which number all items of a channel are here, where they are up to one.
func (t *tx) pushedUpTo(channel, all int64) (int64, error) {
	for {
		next, err := one(t.Conn, `SELECT 1 FROM pushed WHERE channel = ? AND number = ?`, nil, channel, all+1)
		if err != nil || !next {
			return all, err
		}
		all++
	}
}

// PushedNumbers returns the numbers of a channel's published items that are kept here above a number,
// ascending.
func (s *Store) PushedNumbers(ctx context.Context, url string, above uint64) (numbers []uint64, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT number FROM pushed WHERE channel = (SELECT id FROM channel WHERE url = ?) AND number > ? ORDER BY number`,
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

// PushedItems returns the published items of a topic that are kept here, from one number to another, at most
// limit of them and about size bytes, in order. In the place of each that was taken back stands the one that
// did so.
func (s *Store) PushedItems(ctx context.Context, topic [20]byte, from, to uint64, limit, size int) (items []Pushed, err error) {
	const highest = 1<<63 - 1
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT c.url, p.number, p.item FROM pushed a JOIN channel c ON c.id = a.channel
			JOIN pushed p ON p.channel = a.channel AND p.number = coalesce(a.withdrawn_by, a.number) AND p.topic = a.topic AND p.withdrawn_by IS NULL
			WHERE a.topic = ? AND a.number BETWEEN ? AND ? ORDER BY a.number LIMIT +?`, func(r *sqlite.Stmt) error {
			if size <= 0 {
				return nil
			}
			item := Pushed{URL: r.ColumnText(0), Topic: topic, Number: uint64(r.ColumnInt64(1)), Item: columnBlob(r, 2)}
			size -= len(item.Item)
			items = append(items, item)
			return nil
		}, topic[:], int64(min(from, highest)), int64(min(to, highest)), limit)
	})
	if err != nil {
		return nil, fmt.Errorf("published items of topic %x: %w", topic, err)
	}
	return items, nil
}
