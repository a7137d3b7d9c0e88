package large

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// ErrNoRoom says that something is not kept because a limit would be passed.
var ErrNoRoom = errors.New("there is no room for it")

// Ref names larger content, which is kept in pieces. How it is made is not the store's business.
type Ref = [32]byte

// Content is a larger content, of which all pieces may be here or only some.
type Content struct {
	Ref    Ref
	Length int64 // bytes of the whole
	Pieces int   // that are here
	Own    bool  // this node has published it
	Since  time.Time
}

// Begin makes room for a content of a length, whose pieces are to come. Of a Content it reads Ref, Length and Own. If
// it has been begun before, nothing changes, except that it may become this node's own. It fails with ErrNoRoom if the
// lengths of all contents together would be above limit.
func (s *Store) Begin(ctx context.Context, l Content, manifest []byte, limit int64) error {
	ref, length := l.Ref, l.Length
	err := s.db.Write(ctx, func(t *db.Tx) error {
		known, err := db.One(t.Conn, `SELECT 1 FROM large WHERE ref = ?`, nil, ref[:])
		if err != nil {
			return err
		}
		if known {
			return db.Exec(t.Conn, `UPDATE large SET own = 1 WHERE ref = ? AND ?`, ref[:], l.Own)
		}
		room, err := db.One(t.Conn, `SELECT 1 WHERE (SELECT coalesce(sum(length), 0) FROM large) <= ?1 - ?2`,
			nil, limit, length)
		if err != nil {
			return err
		}
		if !room {
			return ErrNoRoom
		}
		return db.Exec(t.Conn, `INSERT INTO large (ref, length, manifest, since, own) VALUES (?, ?, ?, ?, ?)`,
			ref[:], length, manifest, t.Now, l.Own)
	})
	if err != nil {
		return fmt.Errorf("beginning a content of %d bytes: %w", length, err)
	}
	return nil
}

// Bytes returns the lengths of all contents together, whether their pieces are here or not.
func Bytes(conn *sqlite.Conn) (sum int64, err error) {
	_, err = db.One(conn, `SELECT coalesce(sum(length), 0) FROM large`, func(r *sqlite.Stmt) { sum = r.ColumnInt64(0) })
	return sum, err
}

// PutPiece keeps a piece of a content that was begun; tidings.ErrNotFound if it was not, or has been
// dropped.
func (s *Store) PutPiece(ctx context.Context, ref Ref, place int, body []byte) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn,
			`INSERT OR REPLACE INTO piece (large, place, body) SELECT id, ?, ? FROM large WHERE ref = ?`,
			place, db.NotNil(body), ref[:]); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keeping piece %d of a content: %w", place, err)
	}
	return nil
}

// Piece returns a piece; nil if it is not here.
func (s *Store) Piece(ctx context.Context, ref Ref, place int) (body []byte, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := db.One(conn,
			`SELECT body FROM piece WHERE large = (SELECT id FROM large WHERE ref = ?) AND place = ?`,
			func(r *sqlite.Stmt) { body = db.NotNil(db.ColumnBlob(r, 0)) }, ref[:], place)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading piece %d of a content: %w", place, err)
	}
	return body, nil
}

// Open returns the manifest of a content, nil if it was not begun, and which of its pieces are
// here, in their order.
func (s *Store) Open(ctx context.Context, ref Ref) (manifest []byte, places []int, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		if _, err := db.One(conn, `SELECT manifest FROM large WHERE ref = ?`, func(r *sqlite.Stmt) {
			manifest = db.NotNil(db.ColumnBlob(r, 0))
		}, ref[:]); err != nil {
			return err
		}
		return db.Each(conn, `SELECT place FROM piece WHERE large = (SELECT id FROM large WHERE ref = ?)
			ORDER BY place`, func(r *sqlite.Stmt) error {
			places = append(places, r.ColumnInt(0))
			return nil
		}, ref[:])
	})
	if err != nil {
		return nil, nil, fmt.Errorf("opening a content: %w", err)
	}
	return manifest, places, nil
}

// Contents returns a page of at most most contents, the oldest first. They were begun after the one with the reference
// after; nil returns the first page.
func (s *Store) Contents(ctx context.Context, after *Ref, most int) (page []Content, err error) {
	from := []byte{}
	if after != nil {
		from = after[:]
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn,
			`SELECT ref, length, since, (SELECT count(*) FROM piece WHERE large = large.id), own FROM large
			WHERE id > coalesce((SELECT id FROM large WHERE ref = ?), 0) ORDER BY id
			LIMIT +?`, func(r *sqlite.Stmt) error {
				l := Content{Length: r.ColumnInt64(1), Since: db.ColumnTime(r, 2), Pieces: r.ColumnInt(3),
					Own: r.ColumnBool(4)}
				r.ColumnBytes(0, l.Ref[:])
				page = append(page, l)
				return nil
			}, from, most)
	})
	if err != nil {
		return nil, fmt.Errorf("listing larger contents: %w", err)
	}
	return page, nil
}

// piecesAtOnce is how many pieces are removed in one transaction: of the longest some 16 MiB, so that
// other writers do not wait long.
const piecesAtOnce = 64

// Drop removes a content and its pieces. It does nothing if there is none.
func (s *Store) Drop(ctx context.Context, ref Ref) error {
	for more := true; more; {
		err := s.db.Write(ctx, func(t *db.Tx) error {
			if err := db.Exec(t.Conn, `DELETE FROM piece WHERE rowid IN (
				SELECT rowid FROM piece WHERE large = (SELECT id FROM large WHERE ref = ?)
				LIMIT +?)`, ref[:], piecesAtOnce); err != nil {
				return err
			}
			if more = t.Changes() == piecesAtOnce; more {
				return nil
			}
			return db.Exec(t.Conn, `DELETE FROM large WHERE ref = ?`, ref[:])
		})
		if err != nil {
			return fmt.Errorf("removing a content: %w", err)
		}
	}
	return nil
}
