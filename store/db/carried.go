package db

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"zombiezen.com/go/sqlite"
)

// Carried is a small text from beside the database that a backup includes. When the backup has become a data directory,
// the text is put in its place.
type Carried struct{ Name, Text string }

// carriedSetting begins the names of the settings that hold what is carried.
const carriedSetting = "carried "

// Carried returns what came with the backup that this store was, by name.
func (d *DB) Carried(ctx context.Context) (all []Carried, err error) {
	err = d.Read(ctx, func(conn *sqlite.Conn) error {
		return Each(conn, `SELECT key, value FROM setting WHERE key GLOB ? ORDER BY key`, func(r *sqlite.Stmt) error {
			all = append(all, Carried{strings.TrimPrefix(r.ColumnText(0), carriedSetting), r.ColumnText(1)})
			return nil
		}, carriedSetting+"*")
	})
	if err != nil {
		return nil, fmt.Errorf("reading what came with a backup: %w", err)
	}
	return all, nil
}

// DropCarried forgets what came with a backup.
func (d *DB) DropCarried(ctx context.Context) error {
	err := d.Write(ctx, func(t *Tx) error {
		return Exec(t.Conn, `DELETE FROM setting WHERE key GLOB ?`, carriedSetting+"*")
	})
	if err != nil {
		return fmt.Errorf("forgetting what came with a backup: %w", err)
	}
	return nil
}

// isPrivate reports whether only its owner can read a file, as far as its mode shows.
func isPrivate(file fs.FileInfo) bool {
	return file.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" // where modes mean nothing
}
