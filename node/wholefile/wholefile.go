// Package wholefile reads and writes small files as wholes, for their owner alone.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Read reads a file that has at most limit bytes.
func Read(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", file, limit)
	}
	return b, err
}

// Write writes a file whole or not at all, in the place of one that may be there: a crash leaves no half of it.
func Write(file string, text []byte) (err error) {
	whole, err := os.CreateTemp(filepath.Dir(file), ".key-") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(whole.Name()))
		}
	}()
	_, err = whole.Write(text)
	if err = errors.Join(err, whole.Sync(), whole.Close()); err != nil {
		return err
	}
	return os.Rename(whole.Name(), file)
}

// Create is Write for a file that must not be there: otherwise its error is fs.ErrExist.
func Create(file string, text []byte) error {
	whole := file + ".new"
	if err := Write(whole, text); err != nil {
		return err
	}
	return errors.Join(os.Link(whole, file), os.Remove(whole)) // a link replaces nothing
}
