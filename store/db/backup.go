package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings"
)

// Backup writes a whole copy of the store, as of one moment, while it works. The
// file must not be there (tidings.ErrExists); it appears only when it is complete,
// with mode 0600, for it holds the passwords of origins. Renamed to FileName in an
// empty directory it is a data directory, in which new updates have numbers that were
// not given before. What is to be carried is in it only if nobody else can read it: a file
// system may know no modes. private says that.
//
// Its errors blame what is at fault: ErrFull and ErrBadCopy the disk of the copy, ErrDamaged the store.
func (d *DB) Backup(ctx context.Context, file string, carried ...Carried) (private bool, err error) {
	if private, err = d.backup(ctx, file, carried); err != nil {
		return false, fmt.Errorf("backup to %s: %w", file, err)
	}
	return private, nil
}

func (d *DB) backup(ctx context.Context, file string, carried []Carried) (private bool, err error) {
	if _, err := os.Lstat(file); err == nil {
		return false, tidings.ErrExists
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), ".tidings-backup-*") // with room for what SQLite makes beside the copy
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// empty, as VACUUM wants it
	part, err := os.OpenFile(filepath.Join(dir, FileName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, part.Close()) }()

	info, err := part.Stat()
	if err != nil {
		return false, err
	}
	if private = isPrivate(info); !private {
		carried = nil
	}
	if err := copyDatabase(ctx, d.path, part.Name(), d.config.VFS, carried); err != nil {
		return false, err
	}
	if err := part.Sync(); err != nil {
		return false, err
	}
	if err := tidings.AppearAs(part.Name(), file, os.Link); err != nil {
		return false, err
	}
	return private, syncDir(filepath.Dir(file))
}

// copyDatabase makes an empty file a copy of a database that can be read.
func copyDatabase(ctx context.Context, from, to, vfs string, carried []Carried) error {
	to, err := filepath.EvalSymlinks(to) // as SQLite names it
	if err != nil {
		return err
	}
	defer damagedIn.forget(to)
	err = copyPages(ctx, from, to, vfs)
	if err == nil {
		err = finishBackup(ctx, to, vfs, carried)
	}
	if err == nil {
		err = verifyCopy(ctx, to, vfs)
	}
	return explainCopy(err, to)
}

func copyPages(ctx context.Context, from, to, vfs string) (err error) {
	// A connection of its own: copying is slow, and there are at most Config.Readers connections.
	conn, err := openUnverified(ctx, from, vfs, nothingUnverified)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	pageSize, err := pragma(conn, "page_size")
	if err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(conn, `VACUUM INTO ?`,
		&sqlitex.ExecOptions{Args: []any{uriWith(to, vfs, newPages, pageSize)}})
}

// backupSkip is how many numbers of each kind a restored backup leaves out. The original store may assign as many after
// the backup, and a cursor from then must not match a later number.
const backupSkip = 1 << 20

// finishBackup lets the numbers of updates, entries and items go on further up, and puts in what is to be carried.
func finishBackup(ctx context.Context, file, vfs string, carried []Carried) (err error) {
	conn, err := openUnverified(ctx, file, vfs, nothingUnverified)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, sql := range []string{
		`PRAGMA journal_mode = DELETE`,
		fmt.Sprintf(`DELETE FROM setting WHERE key = '%s'`, IDSetting),
	} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	if err := skipNumbers(conn); err != nil {
		return err
	}
	for _, c := range carried {
		if err := sqlitex.ExecuteTransient(conn, `INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)`,
			&sqlitex.ExecOptions{Args: []any{carriedSetting + c.Name, c.Text}}); err != nil {
			return err
		}
	}
	return nil
}

// verifyCopy reads each page of a copy; damagedIn then has those that are not as they were written.
func verifyCopy(ctx context.Context, file, vfs string) (err error) {
	conn, err := openUnverified(ctx, file, vfs, nothingUnverified)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	pages, err := pragma(conn, "page_count")
	if err != nil {
		return err
	}
	if err := readAll(conn, 1, pages); err != nil {
		return err
	}
	if len(damagedIn.of(file)) > 0 {
		return ErrBadCopy
	}
	return nil
}

// explainCopy is explain for a copy of the database, in a directory of its own: the store is only read for it, so that
// what cannot be written is the copy.
func explainCopy(err error, file string) error {
	dir := filepath.Dir(filepath.Dir(file))
	switch code := sqlite.ErrCode(err); {
	case err == nil:
		return nil
	case len(damagedIn.of(file)) > 0:
		return fmt.Errorf("%w: see to the disk of %s, or choose another", ErrBadCopy, dir)
	case code.ToPrimary() == sqlite.ResultFull:
		return fmt.Errorf("%w: there is no room for the copy in %s", ErrFull, dir)
	case code.ToPrimary() == sqlite.ResultIOErr && code != sqlite.ResultIOErrRead &&
		code != sqlite.ResultIOErrShortRead:
		return fmt.Errorf("the copy cannot be written in %s: %w", dir, err)
	}
	return explain(err)
}

// syncDir makes the names in a directory outlast a power cut, where the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
