package db

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// An index has nothing that its table has not, so that it is made anew while the store is open. Damage to tables waits
// for the next Open.

// maxRebuilt bounds the file of which a damaged index is made anew while others wait to write: the whole of it is
// checked before anything changes, some seconds for each GiB. Larger ones wait for the next Open.
const maxRebuilt = 1 << 30

// compareIndexes names the indexes that do not have what their tables have. Their checksums may be right: what was
// calculated wrongly was written so.
func compareIndexes(conn *sqlite.Conn) (all []Damage, err error) {
	var tables []string
	if err := Each(conn, `SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'index' ORDER BY tbl_name`,
		func(r *sqlite.Stmt) error {
			tables = append(tables, r.ColumnText(0))
			return nil
		}); err != nil {
		return nil, err
	}
	for _, table := range tables {
		wrong := make(map[string]int)
		err := sqlitex.ExecuteTransient(conn, fmt.Sprintf(`PRAGMA integrity_check(%s)`, table), &sqlitex.ExecOptions{
			ResultFunc: func(r *sqlite.Stmt) error {
				if found := wrongIndex.FindStringSubmatch(r.ColumnText(0)); found != nil {
					wrong[found[1]]++
				}
				return nil
			},
		})
		if err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultCorrupt { // which the checksums show
			return nil, err
		}
		for index, n := range wrong {
			all = append(all, Damage{Table: index, Entries: n})
		}
	}
	slices.SortFunc(all, byTable)
	return all, nil
}

// wrongIndex is what SQLite says of an index that lacks a row, or has one too many or twice.
var wrongIndex = regexp.MustCompile(`(?:missing from|entries in|entry in) index (\w+)$`)

// rebuild makes the indexes anew that are among the damage. What cannot be is left as it is.
func (d *DB) rebuild(ctx context.Context, all []Damage) error {
	for i := range all {
		found := &all[i]
		err := d.writer.between(ctx, func() (err error) {
			loose, err := openUnverified(ctx, d.path, d.config.VFS, allUnverified)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, loose.Close()) }()
			if index, err := isIndex(loose, found.Table); err != nil || !index {
				return err
			}
			if err := reindex(loose, found.Table); err != nil {
				return err
			}
			found.Repaired = true
			return nil
		})
		switch {
		case err == nil && found.Repaired:
			damagedIn.drop(d.path, found.pages)
			d.log.Info("a damaged index was made anew", "index", found.Table)
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			d.log.Warn("a damaged index was not made anew; the next start tries again", "index", found.Table, "error",
				err)
		}
	}
	return nil
}

// reindex makes an index anew of which pages may be damaged: where they lead matters to nothing but what becomes free,
// and it changes nothing if that is not sound.
func reindex(conn *sqlite.Conn, index string) (err error) {
	pages, err := pragma(conn, "page_count")
	if err != nil {
		return err
	}
	size, err := pragma(conn, "page_size")
	if err != nil {
		return err
	}
	if pages*size > maxRebuilt {
		return fmt.Errorf("the database has more than %d MiB", maxRebuilt>>20)
	}
	if err := Exec(conn, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	defer func() {
		if err != nil && !conn.AutocommitEnabled() {
			err = errors.Join(err, Exec(conn, `ROLLBACK`))
		}
	}()
	if err := sqlitex.ExecuteTransient(conn, `REINDEX `+index, nil); err != nil {
		return err
	}
	if err := quickCheck(conn, 1); err != nil {
		return err
	}
	return Exec(conn, `COMMIT`)
}
