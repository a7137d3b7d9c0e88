package store

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
)

// maxPushed is how many published items of a channel are kept as they were signed.
const maxPushed = 1000

// Pin is a publisher's key that a channel is trusted with.
type Pin struct {
	Channel     string // canonical URL
	Topic       [20]byte
	Fingerprint [32]byte
	Silence     time.Duration // whole seconds, as announced; 0: nothing is promised
	Pinned      time.Time

	// Have is the number of the published item up to which all are here, or from before the pin.
	Have  uint64
	Heard time.Time // when the publisher was heard of last

	Offered   [32]byte  // another fingerprint that the document names, to which no rotation leads; zero: none
	OfferedAt time.Time // since when
	Revoked   time.Time // when the key was found to be void; zero: it holds

	Distrusted bool  // a person does not want its items
	Pushed     int64 // items that pushes have brought
	Missed     int64 // items that looks have found and pushes should have brought
}

const pinColumns = `c.url, p.topic, p.fingerprint, p.silence, p.pinned, p.have, p.heard, p.offered, p.offered_at, p.revoked, p.distrusted, p.pushed, p.missed`

func readPin(r *sqlite.Stmt) Pin {
	p := Pin{
		Channel: r.ColumnText(0), Silence: time.Duration(r.ColumnInt64(3)) * time.Second, Pinned: columnTime(r, 4),
		Have: uint64(r.ColumnInt64(5)), Heard: columnTime(r, 6), OfferedAt: columnTime(r, 8), Revoked: columnTime(r, 9),
		Distrusted: r.ColumnBool(10), Pushed: r.ColumnInt64(11), Missed: r.ColumnInt64(12),
	}
	copy(p.Topic[:], columnBlob(r, 1))
	copy(p.Fingerprint[:], columnBlob(r, 2))
	copy(p.Offered[:], columnBlob(r, 7))
	return p
}

// Pins returns the keys that channels are trusted with, of the channels that somebody here follows.
func (s *Store) Pins(ctx context.Context) (all []Pin, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT `+pinColumns+` FROM pin p JOIN channel c ON c.id = p.channel WHERE c.orphaned IS NULL ORDER BY c.id`,
			func(r *sqlite.Stmt) error {
				all = append(all, readPin(r))
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("listing publishers' keys: %w", err)
	}
	return all, nil
}

// PinOf returns the key that a channel is trusted with; tidings.ErrNotFound if there is none.
func (s *Store) PinOf(ctx context.Context, url string) (p Pin, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return must(one(conn, `SELECT `+pinColumns+` FROM pin p JOIN channel c ON c.id = p.channel WHERE c.url = ?`,
			func(r *sqlite.Stmt) { p = readPin(r) }, url))
	})
	if err != nil {
		return Pin{}, fmt.Errorf("publisher's key of %s: %w", url, err)
	}
	return p, nil
}

// SetPin notes a key that a channel is trusted with, or what has become of one; counts, and what pushes
// have brought, stay as they are. A key that takes the place of another goes on with its numbers.
func (s *Store) SetPin(ctx context.Context, p Pin) error {
	var offered []byte
	if p.Offered != ([32]byte{}) {
		offered = p.Offered[:]
	}
	err := s.write(ctx, func(t *tx) error {
		ch, err := t.channel(p.Channel)
		if err != nil {
			return err
		}
		return exec(t.Conn, `INSERT INTO pin (channel, topic, fingerprint, silence, pinned, have, offered, offered_at, revoked, distrusted)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (channel) DO UPDATE SET topic = ?2, fingerprint = ?3,
			silence = ?4, pinned = ?5, have = max(have, ?6), offered = ?7, offered_at = ?8, revoked = ?9, distrusted = ?10`,
			ch.id, p.Topic[:], p.Fingerprint[:], int64(p.Silence/time.Second), p.Pinned, int64(p.Have), offered, p.OfferedAt, p.Revoked, p.Distrusted)
	})
	if err != nil {
		return fmt.Errorf("keeping the publisher's key of %s: %w", p.Channel, err)
	}
	return nil
}

// Unpin forgets the key that a channel is trusted with.
func (s *Store) Unpin(ctx context.Context, url string) error {
	err := s.write(ctx, func(t *tx) error {
		for _, table := range []string{"pin", "pushed"} {
			if err := exec(t.Conn, `DELETE FROM `+table+` WHERE channel = (SELECT id FROM channel WHERE url = ?)`, url); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forgetting the publisher's key of %s: %w", url, err)
	}
	return nil
}

// Pushed is a published item of a channel, as it was signed.
type Pushed struct {
	URL    string
	Topic  [20]byte
	Number uint64 // below 2^63
	Item   []byte // opaque
}

// TakePushed stores a published item, and what it tells readers: all of it, or nothing. f is nil if there is
// nothing to tell. An item that is here already is stored no more, and tells nothing. have is Pin.Have from
// then on. Errors are those of Record, and tidings.ErrNotFound if the channel has no Pin.
func (s *Store) TakePushed(ctx context.Context, f *tidings.Finding, item Pushed) (update *tidings.Update, have uint64, err error) {
	var p *prepared
	if f != nil {
		if p, err = prepare(f); err != nil {
			return nil, 0, fmt.Errorf("taking a published item of %s: %w", item.URL, err)
		}
	}
	err = s.write(ctx, func(t *tx) (err error) {
		ch, err := t.channel(item.URL)
		if err != nil {
			return err
		}
		update, have, err = t.takePushed(ch, p, item)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("taking a published item of %s: %w", item.URL, err)
	}
	return update, have, nil
}

func (t *tx) takePushed(ch *channelRow, p *prepared, item Pushed) (update *tidings.Update, have uint64, err error) {
	var all int64
	if err := must(one(t.Conn, `SELECT have FROM pin WHERE channel = ?`, func(r *sqlite.Stmt) { all = r.ColumnInt64(0) }, ch.id)); err != nil {
		return nil, 0, err
	}
	fresh := int64(item.Number) > all
	if fresh {
		if err := exec(t.Conn, `INSERT OR IGNORE INTO pushed (channel, topic, number, item) VALUES (?, ?, ?, ?)`,
			ch.id, item.Topic[:], int64(item.Number), item.Item); err != nil {
			return nil, 0, err
		}
		if t.Changes() == 0 {
			return nil, uint64(all), nil
		}
		if update, err = t.record(ch, p); err != nil {
			return nil, 0, err
		}
	}
	for {
		next, err := one(t.Conn, `SELECT 1 FROM pushed WHERE channel = ? AND number = ?`, nil, ch.id, all+1)
		if err != nil {
			return nil, 0, err
		}
		if !next {
			break
		}
		all++
	}
	told, late := 0, 0
	switch {
	case update != nil:
		told = len(update.Items)
	case fresh && p != nil:
		late = 1 // a look was first, and counted it as missed
	}
	if err := exec(t.Conn, `UPDATE pin SET have = ?, heard = ?, pushed = pushed + ?, missed = max(0, missed - ?) WHERE channel = ?`,
		all, t.now, told, late, ch.id); err != nil {
		return nil, 0, err
	}
	return update, uint64(all), exec(t.Conn, `DELETE FROM pushed WHERE channel = ?1 AND number <= (SELECT max(number) FROM pushed WHERE channel = ?1) - ?2`,
		ch.id, maxPushed)
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

// HeardOf notes that the publisher of a channel was heard of, and that nothing up to a number is missing.
func (s *Store) HeardOf(ctx context.Context, url string, have uint64) error {
	err := s.write(ctx, func(t *tx) error {
		return exec(t.Conn, `UPDATE pin SET heard = ?, have = max(have, ?) WHERE channel = (SELECT id FROM channel WHERE url = ?)`, t.now, int64(have), url)
	})
	if err != nil {
		return fmt.Errorf("noting that the publisher of %s was heard of: %w", url, err)
	}
	return nil
}

// MissedPush counts items that a look has found and a push should have brought.
func (s *Store) MissedPush(ctx context.Context, url string, items int) error {
	err := s.write(ctx, func(t *tx) error {
		return exec(t.Conn, `UPDATE pin SET missed = missed + ? WHERE channel = (SELECT id FROM channel WHERE url = ?)`, items, url)
	})
	if err != nil {
		return fmt.Errorf("noting what pushes of %s have missed: %w", url, err)
	}
	return nil
}

// PushedItems returns the published items of a topic that are kept here, from one number to another, at
// most limit of them and about size bytes, in order.
func (s *Store) PushedItems(ctx context.Context, topic [20]byte, from, to uint64, limit, size int) (items []Pushed, err error) {
	const highest = 1<<63 - 1
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT c.url, p.number, p.item FROM pushed p JOIN channel c ON c.id = p.channel
			WHERE p.topic = ? AND p.number BETWEEN ? AND ? ORDER BY p.number LIMIT ?`, func(r *sqlite.Stmt) error {
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
