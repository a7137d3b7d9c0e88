package content

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// LatestUpdate returns the largest number that an update has; 0 if there is none.
func (s *Store) LatestUpdate(ctx context.Context) (id int64, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := db.One(conn, `SELECT last FROM sequence WHERE name = 'update'`,
			func(r *sqlite.Stmt) { id = r.ColumnInt64(0) })
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("reading the latest update: %w", err)
	}
	return id, nil
}
