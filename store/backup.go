package store

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
// system may know no modes. private tells that.
func (s *Store) Backup(ctx context.Context, file string, carried ...Carried) (private bool, err error) {
	if private, err = s.backup(ctx, file, carried); err != nil {
		return false, fmt.Errorf("backup to %s: %w", file, explain(err))
	}
	return private, nil
}

func (s *Store) backup(ctx context.Context, file string, carried []Carried) (private bool, err error) {
	if _, err := os.Lstat(file); err == nil {
		return false, tidings.ErrExists
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".tidings-backup-*") // mode 0600, empty as VACUUM wants it
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, removeIfThere(part.Name())) }()
	defer func() { err = errors.Join(err, part.Close()) }()

	info, err := part.Stat()
	if err != nil {
		return false, err
	}
	if private = isPrivate(info); !private {
		carried = nil
	}
	// A connection of its own: copying takes long, and readers are few.
	conn, err := sqlite.OpenConn(filepath.Join(s.config.Dir, FileName), sqlite.OpenReadWrite)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(busyTimeout)
	if err := sqlitex.ExecuteTransient(conn, `VACUUM INTO ?`, &sqlitex.ExecOptions{Args: []any{part.Name()}}); err != nil {
		return false, err
	}
	if err := finishBackup(part.Name(), carried); err != nil {
		return false, err
	}
	if err := part.Sync(); err != nil {
		return false, err
	}
	// Unlike a rename, a link never takes the place of a file that came meanwhile.
	err = os.Link(part.Name(), file)
	switch {
	case errors.Is(err, os.ErrExist):
		return false, tidings.ErrExists
	case err != nil: // a file system without links
		err = os.Rename(part.Name(), file)
	}
	if err != nil {
		return false, err
	}
	return private, syncDir(filepath.Dir(file))
}

// backupSkip is how many numbers a restored backup leaves out: as many as the store that
// it was made of may give meanwhile, so that a cursor of then is not taken for one of now.
const backupSkip = 1 << 20

// finishBackup lets the numbers of updates, entries and items go on further up, and puts in what is to be carried.
func finishBackup(file string, carried []Carried) (err error) {
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, sql := range []string{
		`PRAGMA journal_mode = DELETE`,
		fmt.Sprintf(`UPDATE sequence SET last = last + %d`, backupSkip),
	} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	for _, c := range carried {
		if err := sqlitex.ExecuteTransient(conn, `INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)`,
			&sqlitex.ExecOptions{Args: []any{carriedSetting + c.Name, c.Text}}); err != nil {
			return err
		}
	}
	return nil
}

func removeIfThere(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
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
