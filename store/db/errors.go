package db

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
)

var (
	// ErrClosed says that the store has been closed.
	ErrClosed = errors.New("store is closed")
	// ErrInUse says that another process has the data directory open.
	ErrInUse = errors.New("data directory is in use")
	// ErrNewer says that a newer Tidings has written the file.
	ErrNewer = errors.New(
		"written by a newer version of tidings: use that version, or restore a backup made by this one")
	// ErrDamaged says that a part of the file is broken; from Open, that it cannot be repaired and nothing has been
	// changed in it.
	ErrDamaged = errors.New("database is damaged: restore a backup, or check it with `tidings doctor`")
	// ErrBadCopy says that a copy of the database is not what was written to it. The database itself is sound.
	ErrBadCopy = errors.New("the copy cannot be read as it was written")
	// ErrFull says that there is no room for what was to be written.
	ErrFull = tidings.ErrDiskFull
	// ErrHung says that the disk has not answered for long: what is under way waits for it, and nothing else is begun.
	ErrHung error = diskError("the disk does not answer")
	// ErrEmptied says that the database is gone.
	ErrEmptied = errors.New("the database is gone")
	// ErrForeign says that the file is a database, but not one of Tidings.
	ErrForeign = errors.New("not a database of tidings")
)

// diskError is a tidings.ErrDisk in other words.
type diskError string

func (e diskError) Error() string        { return string(e) }
func (e diskError) Is(target error) bool { return target == tidings.ErrDisk }

const (
	errRefused  = diskError("the disk refused to read or write")
	errReadOnly = diskError("the data directory cannot be written")
)

// explain says in plain words what the disk or the file refused.
func explain(err error) error {
	if err == nil {
		return nil
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		if errors.Is(err, ErrDamaged) {
			return err
		}
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	case sqlite.ResultFull:
		if errors.Is(err, ErrFull) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrFull, err)
	case sqlite.ResultIOErr:
		return fmt.Errorf("%w: %w", errRefused, err)
	case sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultCantOpen:
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return err
}
