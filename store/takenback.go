package store

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// An item that a publisher has signed can take earlier ones back. Their bytes go, and their numbers stay: they are here, and need
// not be asked for. Whoever asks for one is given the item that took it back, if that has the same topic.

// takeBackPublished forgets what an item of a publication takes back. It is not sent any more either.
func (t *tx) takeBackPublished(publication int64, item *PublishedItem) error {
	for _, number := range item.Withdraws {
		if err := exec(t.Conn, `UPDATE published SET item = x'', withdrawn_by = ?3, sent = 1, archived = 1
			WHERE publication = ?1 AND number = ?2 AND number < ?3 AND withdrawn_by IS NULL`, publication, int64(number), int64(item.Number)); err != nil {
			return err
		}
	}
	return nil
}

// takeBackPushed forgets what a pushed item takes back. Numbers above all, up to which everything is here, that are not here
// so far are from then on.
func (t *tx) takeBackPushed(channel, all int64, item *Pushed) error {
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

// PublishedOf returns the items of a publication on all its topics with numbers above one, at most limit of them, in order;
// without those that were taken back.
func (s *Store) PublishedOf(ctx context.Context, channel, key string, above uint64, limit int) ([]PublishedItem, error) {
	return s.published(ctx, channel, `SELECT number, topic, item FROM published
		WHERE publication = (SELECT id FROM publication WHERE channel = ? AND key = ?) AND number > ? AND withdrawn_by IS NULL ORDER BY number LIMIT +?`,
		channel, key, int64(above), limit)
}

// TakenBack returns the numbers of the items of a topic that were published here and taken back.
func (s *Store) TakenBack(ctx context.Context, topic [20]byte) (numbers []uint64, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT number FROM published WHERE topic = ? AND withdrawn_by IS NOT NULL ORDER BY number`, func(r *sqlite.Stmt) error {
			numbers = append(numbers, uint64(r.ColumnInt64(0)))
			return nil
		}, topic[:])
	})
	if err != nil {
		return nil, fmt.Errorf("published items of topic %x that were taken back: %w", topic, err)
	}
	return numbers, nil
}
