package db

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// IDSetting is the setting that has the ID under which the node has run. A backup is without it: where it is restored,
// the key may be another.
const IDSetting = "node id"

// Setting returns what SetSetting stored last under key; "" if nothing.
func (d *DB) Setting(ctx context.Context, key string) (value string, err error) {
	err = d.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := One(conn, `SELECT value FROM setting WHERE key = ?`, func(r *sqlite.Stmt) {
			value = r.ColumnText(0)
		}, key)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading setting %s: %w", key, err)
	}
	return value, nil
}

// SetSetting stores value under key.
func (d *DB) SetSetting(ctx context.Context, key, value string) error {
	err := d.Write(ctx, func(t *Tx) error {
		return Exec(t.Conn, `INSERT INTO setting (key, value) VALUES (?, ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	})
	if err != nil {
		return fmt.Errorf("storing setting %s: %w", key, err)
	}
	return nil
}
