package shared

import (
	"context"
	"crypto/sha256"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// Hash names a content among nodes, as content.Content.Hash makes it.
type Hash = [sha256.Size]byte

// maxPast is how many contents of a channel are known by their hash.
const maxPast = 16

// Version is a version of a channel as the network numbers them.
type Version struct {
	URL    string
	Number uint64 // below 2^63
	Hash   Hash
}

// Versions returns, of all channels, the version of the network's that was given last.
func (s *Store) Versions(ctx context.Context) (all []Version, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT c.url, s.number, s.hash FROM shared s JOIN channel c ON c.id = s.channel
			WHERE c.url NOT GLOB ':*' ORDER BY c.id`,
			func(r *sqlite.Stmt) error {
				v := Version{URL: r.ColumnText(0), Number: uint64(r.ColumnInt64(1))}
				copy(v.Hash[:], db.ColumnBlob(r, 2))
				all = append(all, v)
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("listing what the network knows: %w", err)
	}
	return all, nil
}

// Version is Versions for one channel; without a number if there is none.
func (s *Store) Version(ctx context.Context, url string) (v Version, err error) {
	v.URL = url
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := db.One(conn, `SELECT number, hash FROM shared WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
			func(r *sqlite.Stmt) {
				v.Number = uint64(r.ColumnInt64(0))
				copy(v.Hash[:], db.ColumnBlob(r, 1))
			}, url)
		return err
	})
	if err != nil {
		return v, fmt.Errorf("what the network knows of %s: %w", url, err)
	}
	return v, nil
}

// Known reports whether a channel has had a content lately, or has it still.
func (s *Store) Known(ctx context.Context, url string, h Hash) (known bool, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		known, err =
			db.One(conn, `SELECT 1 FROM past WHERE channel = (SELECT id FROM channel WHERE url = ?) AND hash = ?`, nil,
				url, h[:])
		return err
	})
	if err != nil {
		return false, fmt.Errorf("looking up a content of %s: %w", url, err)
	}
	return known, nil
}

// Give notes the network's number of a channel's content, if it has one. One that is not above what was given is left
// out.
func Give(t *db.Tx, channel int64, v Version) error {
	if v.Number == 0 {
		return nil
	}
	return db.Exec(t.Conn, `INSERT INTO shared (channel, number, hash) VALUES (?1, ?2, ?3)
		ON CONFLICT (channel) DO UPDATE SET number = ?2, hash = ?3 WHERE number < ?2`,
		channel, int64(v.Number), v.Hash[:])
}

// Past is what a channel's content was when it was named.
type Past struct {
	Latest int64  // update that was the channel's latest
	Order  []byte // of a feed: its document, opaque; nil: it is a page
}

// Name has what a channel's content is now found again by a hash, unless that is zero.
func Name(t *db.Tx, channel int64, now Past, content Hash) error {
	if content == (Hash{}) {
		return nil
	}
	same, err := db.One(t.Conn, `SELECT 1 FROM past p WHERE channel = ?1 AND hash = ?2 AND latest = ?3 AND body IS ?4
		AND place = (SELECT max(place) FROM past WHERE channel = ?1)`, nil, channel, content[:], now.Latest, now.Order)
	if err != nil || same {
		return err
	}
	if err := db.Exec(t.Conn, `INSERT OR REPLACE INTO past (channel, hash, place, latest, body)
		VALUES (?1, ?2, (SELECT coalesce(max(place), 0) + 1 FROM past WHERE channel = ?1), ?3, ?4)`,
		channel, content[:], now.Latest, now.Order); err != nil {
		return err
	}
	return db.Exec(t.Conn, `DELETE FROM past WHERE channel = ?1 AND hash != ?2 AND place <= (SELECT max(place)
		FROM past WHERE channel = ?1) - ?3`,
		channel, content[:], maxPast)
}

// Find returns what a channel's content was when it was named so, if it was lately.
func Find(conn *sqlite.Conn, channel int64, content Hash) (p Past, known bool, err error) {
	known, err = db.One(conn, `SELECT latest, body FROM past WHERE channel = ? AND hash = ?`, func(r *sqlite.Stmt) {
		p.Latest, p.Order = r.ColumnInt64(0), db.ColumnBlob(r, 1)
	}, channel, content[:])
	return p, known, err
}

// Forget removes what is kept of a channel.
func Forget(t *db.Tx, channel int64) error {
	for _, sql := range []string{`DELETE FROM shared WHERE channel = ?`, `DELETE FROM past WHERE channel = ?`} {
		if err := db.Exec(t.Conn, sql, channel); err != nil {
			return err
		}
	}
	return nil
}
