package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings"
)

// Backup writes a whole copy of the store, as of one moment, while it works. The
// file must not be there (tidings.ErrExists); it appears only when it is complete,
// with mode 0600, for it holds the passwords of origins. Renamed to FileName in an
// empty directory it is a data directory, in which new updates have numbers that were
// not given before.
func (s *Store) Backup(ctx context.Context, file string) error {
	if err := s.backup(ctx, file); err != nil {
		return fmt.Errorf("backup to %s: %w", file, explain(err))
	}
	return nil
}

func (s *Store) backup(ctx context.Context, file string) (err error) {
	if _, err := os.Lstat(file); err == nil {
		return tidings.ErrExists
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".tidings-backup-*") // mode 0600, empty as VACUUM wants it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeIfThere(part.Name())) }()
	defer func() { err = errors.Join(err, part.Close()) }()

	// A connection of its own: copying takes long, and readers are few.
	conn, err := sqlite.OpenConn(filepath.Join(s.config.Dir, FileName), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(5 * time.Second)
	if err := sqlitex.ExecuteTransient(conn, `VACUUM INTO ?`, &sqlitex.ExecOptions{Args: []any{part.Name()}}); err != nil {
		return err
	}
	if err := skipNumbers(part.Name()); err != nil {
		return err
	}
	if err := part.Sync(); err != nil {
		return err
	}
	// Unlike a rename, a link never takes the place of a file that came meanwhile.
	err = os.Link(part.Name(), file)
	switch {
	case errors.Is(err, os.ErrExist):
		return tidings.ErrExists
	case err != nil: // a file system without links
		err = os.Rename(part.Name(), file)
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(file))
}

// backupSkip is how many numbers a restored backup leaves out: as many as the store that
// it was made of may give meanwhile, so that a cursor of then is not taken for one of now.
const backupSkip = 1 << 20

// skipNumbers lets the numbers of updates, entries and items go on further up.
func skipNumbers(file string) (err error) {
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
