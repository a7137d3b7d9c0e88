package published

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// File is a larger content of an item that was published here.
type File struct {
	Ref [32]byte // as package large has it
	// Current says that the publication is active, and that an item with the content is listed or the content is new.
	Current bool
}

// Files returns the contents that belong to items of all publications, as these were published last.
// What was begun since a time counts as listed.
func (s *Store) Files(ctx context.Context, since time.Time) (all []File, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn,
			`SELECT f.ref, max(p.stopped IS NULL AND (m.listed = 1 OR coalesce(l.since, 0) >= ?)) FROM published_file f
			JOIN published_mark m ON m.id = f.mark JOIN publication p ON p.id = m.publication
			LEFT JOIN large l ON l.ref = f.ref GROUP BY f.ref ORDER BY f.ref`, func(r *sqlite.Stmt) error {
				f := File{Current: r.ColumnBool(1)}
				r.ColumnBytes(0, f.Ref[:])
				all = append(all, f)
				return nil
			}, since)
	})
	if err != nil {
		return nil, fmt.Errorf("listing published files: %w", err)
	}
	return all, nil
}

// setFiles notes the files of an item, by its mark, in the place of those that it had.
func setFiles(t *db.Tx, mark int64, files [][32]byte) error {
	if err := db.Exec(t.Conn, `DELETE FROM published_file WHERE mark = ?`, mark); err != nil {
		return err
	}
	for _, ref := range files {
		if err := db.Exec(t.Conn, `INSERT OR IGNORE INTO published_file (mark, ref) VALUES (?, ?)`, mark,
			ref[:]); err != nil {
			return err
		}
	}
	return nil
}
