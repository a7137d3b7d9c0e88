package store

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Stats sums the store up.
type Stats struct {
	Channels      int // that somebody follows
	Subscriptions int
	Items         int64 // entries that are kept, of all channels but guests
	LatestUpdate  int64 // 0: none so far
	Bytes         int64 // on the disk, with what waits to be folded into the main file
	ByHealth      map[tidings.Health]int
}

// Stats returns the store's figures.
func (s *Store) Stats(ctx context.Context) (stats Stats, err error) {
	stats.ByHealth = make(map[tidings.Health]int)
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		if err := db.Each(conn, `SELECT w.health, count(*) FROM watch w JOIN channel c ON c.id = w.channel
			WHERE c.orphaned IS NULL GROUP BY w.health`, func(r *sqlite.Stmt) error {
			stats.ByHealth[tidings.Health(r.ColumnText(0))] = r.ColumnInt(1)
			stats.Channels += r.ColumnInt(1)
			return nil
		}); err != nil {
			return err
		}
		_, err := db.One(conn, `SELECT (SELECT count(*) FROM subscription),
			(SELECT count(*) FROM revision) - (SELECT count(*) FROM channel c CROSS JOIN revision r WHERE c.guest = 1
			AND r.channel = c.id),
			(SELECT last FROM sequence WHERE name = 'update')`, func(r *sqlite.Stmt) {
			stats.Subscriptions, stats.Items, stats.LatestUpdate = r.ColumnInt(0), r.ColumnInt64(1), r.ColumnInt64(2)
		})
		return err
	})
	if err != nil {
		return Stats{}, fmt.Errorf("reading the store's figures: %w", err)
	}
	stats.Bytes = s.DB.Size()
	return stats, nil
}
