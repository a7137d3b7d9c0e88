package pushed

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Pin is a publisher's key that a channel is trusted with, or a third party's.
type Pin struct {
	Channel     string // canonical URL
	Topic       [20]byte
	Fingerprint [32]byte
	ThirdParty  bool          // a person trusts it; the document does not name it
	Silence     time.Duration // whole seconds, as announced; 0: nothing is promised
	Pinned      time.Time

	// Have is the number of the published item up to which all are here, or from before the pin.
	Have  uint64
	Heard time.Time // when the publisher last sent anything

	Offered   [32]byte  // another fingerprint that the document names, to which no rotation leads; zero: none
	OfferedAt time.Time // since when
	// a third party's, trusted until the document named one of its own; zero: none, or a person knows
	Replaced [32]byte
	Revoked  time.Time // when the key was found to be void; zero: it holds

	Distrusted bool  // a person does not want its items
	Pushed     int64 // items that pushes have brought
	Missed     int64 // items that polls have found and pushes should have brought
}

const pinColumns = `c.url, p.topic, p.fingerprint, p.silence, p.pinned, p.have, p.heard, p.offered, p.offered_at, p.revoked, p.distrusted, p.pushed, p.missed, p.third_party, p.replaced`

func readPin(r *sqlite.Stmt) Pin {
	p := Pin{
		Channel: r.ColumnText(0), Silence: time.Duration(r.ColumnInt64(3)) * time.Second, Pinned: db.ColumnTime(r, 4),
		Have: uint64(r.ColumnInt64(5)), Heard: db.ColumnTime(r, 6), OfferedAt: db.ColumnTime(r, 8),
		Revoked:    db.ColumnTime(r, 9),
		Distrusted: r.ColumnBool(10), Pushed: r.ColumnInt64(11), Missed: r.ColumnInt64(12),
		ThirdParty: r.ColumnBool(13),
	}
	copy(p.Topic[:], db.ColumnBlob(r, 1))
	copy(p.Fingerprint[:], db.ColumnBlob(r, 2))
	copy(p.Offered[:], db.ColumnBlob(r, 7))
	copy(p.Replaced[:], db.ColumnBlob(r, 14))
	return p
}

// Pins returns the keys that channels are trusted with, of the channels that somebody here follows.
func (s *Store) Pins(ctx context.Context) (all []Pin, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+pinColumns+
			` FROM pin p JOIN channel c ON c.id = p.channel WHERE c.orphaned IS NULL ORDER BY c.id`,
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
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT `+pinColumns+
			` FROM pin p JOIN channel c ON c.id = p.channel WHERE c.url = ?`,
			func(r *sqlite.Stmt) { p = readPin(r) }, url))
	})
	if err != nil {
		return Pin{}, fmt.Errorf("publisher's key of %s: %w", url, err)
	}
	return p, nil
}

// SetPin notes a key that a channel is trusted with, or a change of one. Counts, and what pushes have brought, stay as
// they are. A key that replaces another continues its numbers.
func (s *Store) SetPin(ctx context.Context, p Pin) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		var channel int64
		found, err :=
			db.One(t.Conn, `SELECT id FROM channel WHERE url = ? AND (orphaned IS NULL OR polled IS NOT NULL)`,
				func(r *sqlite.Stmt) { channel = r.ColumnInt64(0) }, p.Channel)
		if err != nil {
			return err
		}
		if !found {
			return tidings.ErrNotFollowed
		}
		return db.Exec(t.Conn, `INSERT INTO pin (channel, topic, fingerprint, silence, pinned, have, offered,
			offered_at, revoked, distrusted, third_party, replaced)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT (channel) DO UPDATE
			SET topic = ?2, fingerprint = ?3,
			silence = ?4, pinned = ?5, have = max(have, ?6), offered = ?7, offered_at = ?8, revoked = ?9,
			distrusted = ?10,
			third_party = ?11, replaced = ?12`,
			channel, p.Topic[:], p.Fingerprint[:], int64(p.Silence/time.Second), p.Pinned, int64(p.Have),
			orNull(p.Offered), p.OfferedAt, p.Revoked, p.Distrusted,
			p.ThirdParty, orNull(p.Replaced))
	})
	if err != nil {
		return fmt.Errorf("keeping the publisher's key of %s: %w", p.Channel, err)
	}
	return nil
}

// orNull returns a fingerprint as it is stored, NULL for none.
func orNull(fingerprint [32]byte) []byte {
	if fingerprint == ([32]byte{}) {
		return nil
	}
	return fingerprint[:]
}

// Unpin forgets the key that a channel is trusted with.
func (s *Store) Unpin(ctx context.Context, url string) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		for _, table := range []string{"pin", "pushed"} {
			if err := db.Exec(t.Conn, `DELETE FROM `+table+` WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
				url); err != nil {
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

// SetHighestSeq notes a sign of life of a channel's publisher, and that nothing up to a number is missing.
func (s *Store) SetHighestSeq(ctx context.Context, url string, have uint64) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		var channel, all int64
		found, err :=
			db.One(t.Conn,
				`SELECT channel, max(have, ?) FROM pin WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
				func(r *sqlite.Stmt) {
					channel, all = r.ColumnInt64(0), r.ColumnInt64(1)
				}, int64(have), url)
		if err != nil || !found {
			return err
		}
		if all, err = upTo(t, channel, all); err != nil {
			return err
		}
		return db.Exec(t.Conn, `UPDATE pin SET heard = ?, have = ? WHERE channel = ?`, t.Now, all, channel)
	})
	if err != nil {
		return fmt.Errorf("noting that the publisher of %s was heard of: %w", url, err)
	}
	return nil
}

// MissedPush counts items that a poll has found and a push should have brought.
func (s *Store) MissedPush(ctx context.Context, url string, items int) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn,
			`UPDATE pin SET missed = missed + ? WHERE channel = (SELECT id FROM channel WHERE url = ?)`, items, url)
	})
	if err != nil {
		return fmt.Errorf("noting what pushes of %s have missed: %w", url, err)
	}
	return nil
}
