package db

import (
	"context"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Shrink frees the pages that connections keep in memory, of which each keeps as many as it has once needed. Those that
// are needed again are read again. A connection that reads meanwhile may keep its own.
func (d *DB) Shrink(ctx context.Context) error {
	free := func(conn *sqlite.Conn) error {
		return explain(sqlitex.ExecuteTransient(conn, `PRAGMA shrink_memory`, nil))
	}
	for range d.config.Readers { // the pool hands out the one that has rested longest
		conn, err := d.reader(ctx)
		if err != nil {
			return err
		}
		err = free(conn)
		d.readers.Put(conn)
		if err != nil {
			return err
		}
	}
	return d.writer.between(ctx, func() error { return free(d.writer.conn) })
}
