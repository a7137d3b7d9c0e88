package pushed

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Republisher is what people here think of a node that finds changes for them.
type Republisher struct {
	Node  [20]byte // zero: all nodes of which nothing else is said
	Trust tidings.TrustLevel
	Since time.Time
}

// levelNumbers are the numbers that stand for a tidings.TrustLevel.
var levelNumbers = map[tidings.TrustLevel]int64{tidings.Preferred: 1, tidings.Distrusted: -1}

// Republishers returns all nodes of which something is said: the oldest first.
func (s *Store) Republishers(ctx context.Context) (all []Republisher, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT node, standing, since FROM republisher ORDER BY since, node`,
			func(r *sqlite.Stmt) error {
				p := Republisher{Trust: tidings.Distrusted, Since: db.ColumnTime(r, 2)}
				if r.ColumnInt64(1) > 0 {
					p.Trust = tidings.Preferred
				}
				copy(p.Node[:], db.ColumnBlob(r, 0))
				all = append(all, p)
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("listing who is preferred and distrusted: %w", err)
	}
	return all, nil
}

// SetRepublisher notes what people here think of a node; nothing is said of a neutral one any more. At most
// tidings.MaxRepublishers are noted: beyond, tidings.ErrInvalid.
func (s *Store) SetRepublisher(ctx context.Context, node [20]byte, level tidings.TrustLevel) error {
	name := node[:]
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if level == tidings.Neutral {
			return db.Exec(t.Conn, `DELETE FROM republisher WHERE node = ?`, name)
		}
		number, known := levelNumbers[level]
		if !known {
			return tidings.Invalidf("a node is not %q", level)
		}
		var others int64
		if _, err := db.One(t.Conn, `SELECT count(*) FROM republisher WHERE node != ?`,
			func(r *sqlite.Stmt) { others = r.ColumnInt64(0) }, name); err != nil {
			return err
		}
		if others >= tidings.MaxRepublishers {
			return tidings.Invalidf("%d nodes are preferred or distrusted already", others)
		}
		return db.Exec(t.Conn, `INSERT INTO republisher (node, standing, since) VALUES (?1, ?2, ?3)
			ON CONFLICT (node) DO UPDATE SET standing = ?2, since = ?3 WHERE standing != ?2`, name, number, t.Now)
	})
	if err != nil {
		return fmt.Errorf("noting what is thought of a node: %w", err)
	}
	return nil
}
