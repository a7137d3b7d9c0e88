package content

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings/store/column"
	"tidings/store/db"
)

// Finders returns the IDs of nodes that have found or confirmed content here. They begin with prefix; there are at most
// limit.
func (s *Store) Finders(ctx context.Context, prefix string, limit int) (ids []string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT DISTINCT found_by || ' ' || confirmed_by FROM version
			WHERE substr(found_by, 1, length(?1)) = ?1 OR instr(' ' || confirmed_by, ' ' || ?1) > 0`,
			func(r *sqlite.Stmt) error {
				for _, id := range column.Nodes(r, 0) {
					if len(ids) < limit && strings.HasPrefix(id, prefix) && !slices.Contains(ids, id) {
						ids = append(ids, id)
					}
				}
				return nil
			}, prefix)
	})
	if err != nil {
		return nil, fmt.Errorf("looking for who has found something: %w", err)
	}
	return ids, nil
}
