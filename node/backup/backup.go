// Package backup makes copies of a node's data for commands of its owner. They write the copies where the node could
// not: it often runs as a user of its own, with access to only a part of the files. A copy is made within the data
// directory, read from there, and gone when it has been read. What a crash has left goes when the node starts.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"tidings"
	"tidings/store/db"
	"tidings/view"
)

// spare is how much is to stay free beside a copy, in bytes: the node goes on storing.
const spare = 64 << 20

// folders is the pattern of the directories, in the data directory, that copies are made in.
const folders = ".backup-*"

// Maker makes copies, one at a time: each needs as much room as the database.
type Maker struct {
	data   string
	free   func(ctx context.Context, dir string) (uint64, error)
	copy   func(ctx context.Context, file string, noKeys bool) (view.Backup, error)
	making chan struct{} // holds a value while a copy is there
}

// New returns a maker of copies of a data directory. free returns how many bytes are free at a directory, and copy
// writes a copy to a new file.
func New(data string, free func(ctx context.Context, dir string) (uint64, error),
	copy func(ctx context.Context, file string, noKeys bool) (view.Backup, error)) *Maker {
	return &Maker{data: data, free: free, copy: copy, making: make(chan struct{}, 1)}
}

// Make makes a copy once the one before is closed, and returns what is in it, and it. The caller closes it. Errors:
// tidings.ErrInvalid where there is no room.
func (m *Maker) Make(ctx context.Context, o view.BackupOrder) (view.Backup, io.ReadCloser, error) {
	select {
	case m.making <- struct{}{}:
	case <-ctx.Done():
		return view.Backup{}, nil, fmt.Errorf("waiting for another backup: %w", context.Cause(ctx))
	}
	b, made, err := m.make(ctx, o)
	if err != nil {
		<-m.making
		return b, nil, err
	}
	return b, made, nil
}

func (m *Maker) make(ctx context.Context, o view.BackupOrder) (b view.Backup, made *copied, err error) {
	if err := m.checkRoom(ctx); err != nil {
		return b, nil, err
	}
	dir, err := os.MkdirTemp(m.data, folders)
	if err != nil {
		return b, nil, fmt.Errorf("making a backup: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	file := filepath.Join(dir, db.FileName)
	if b, err = m.copy(ctx, file, o.NoKeys); err != nil {
		return b, nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return b, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return b, nil, errors.Join(err, f.Close())
	}
	b.Bytes = info.Size()
	_ = os.RemoveAll(dir) // at once, where the system lets open files go: what is open can be read
	return b, &copied{f, dir, sync.OnceFunc(func() { <-m.making })}, nil
}

// checkRoom reports whether there is room for a copy. A copy has at most as many bytes as the database and what waits
// beside it.
func (m *Maker) checkRoom(ctx context.Context) error {
	free, err := m.free(ctx, m.data)
	if err != nil {
		return nil // the copy will show it
	}
	need := uint64(spare)
	for _, name := range []string{db.FileName, db.FileName + "-wal"} {
		if info, err := os.Stat(filepath.Join(m.data, name)); err == nil {
			need += uint64(info.Size())
		}
	}
	if free < need {
		return tidings.WithHint(
			tidings.Invalidf(
				"the copy needs up to %d MiB beside the database while it is made, and %d MiB are free in %s",
				need>>20, free>>20, m.data), "make room there")
	}
	return nil
}

// Clean removes what copies have left that a crash has ended.
func (m *Maker) Clean() error {
	left, err := filepath.Glob(filepath.Join(m.data, folders))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// copied is a copy that is read once.
type copied struct {
	*os.File
	dir  string
	done func()
}

// Close ends the reading, and removes what is left of the copy.
func (c *copied) Close() error {
	defer c.done()
	return errors.Join(c.File.Close(), os.RemoveAll(c.dir))
}
