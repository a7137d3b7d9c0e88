package shared

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings/store/column"
	"tidings/store/db"
)

// Forwarding is an item that this node has accepted for delivery to a zone of the network. Its content is not the
// store's business.
type Forwarding struct {
	Item      uint64
	Zone      string
	Published time.Time // to the microsecond
	Message   []byte    // nil, as Forwarding returns it: the disk has damaged it
}

// LogForwarding first forgets what has ended, of which it reads items and zones alone. Then it keeps what has begun,
// and replaces what there is of the same item and zone. It lasts up to a tenth of a second, in which it shares a
// transaction with others.
func (s *Store) LogForwarding(ctx context.Context, begun, ended []Forwarding) error {
	err := s.db.WriteAlong(ctx, len(begun)+len(ended), func(t *db.Tx) error {
		for _, f := range ended {
			if err := db.Exec(t.Conn, `DELETE FROM forwarding WHERE item = ? AND zone = ?`, int64(f.Item),
				f.Zone); err != nil {
				return err
			}
		}
		for _, f := range begun {
			if err := db.Exec(t.Conn,
				`INSERT OR REPLACE INTO forwarding (item, zone, published, message) VALUES (?, ?, ?, ?)`,
				int64(f.Item), f.Zone, f.Published, column.PackBytes(f.Message)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("logging what is forwarded: %w", err)
	}
	return nil
}

// Forwarding returns what LogForwarding has kept, in the order in which it was.
func (s *Store) Forwarding(ctx context.Context) (all []Forwarding, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT item, zone, published, message FROM forwarding ORDER BY rowid`,
			func(r *sqlite.Stmt) error {
				f := Forwarding{Item: uint64(r.ColumnInt64(0)), Zone: r.ColumnText(1), Published: db.ColumnTime(r, 2)}
				if text, err := column.Unpack(db.ColumnBlob(r, 3)); err == nil {
					f.Message = []byte(text)
				}
				all = append(all, f)
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("reading what was forwarded: %w", err)
	}
	return all, nil
}
