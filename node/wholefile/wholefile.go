// Package wholefile reads and writes small files as wholes, for their owner alone. A file that root writes belongs to
// the owner of its directory: a node that runs as another user has to read it.
package wholefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tidings/node/owner"
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

// Write writes a file whole or not at all, in the place of an existing one: a crash leaves no half of it.
func Write(file string, text []byte) error {
	return within(file, func(dir *os.Root, name string) error {
		part, err := writePart(dir, text)
		if err != nil {
			return err
		}
		return errors.Join(dir.Rename(part, name), dropPart(dir, part))
	})
}

// Create is Write for a file that must not be there: otherwise its error is fs.ErrExist.
func Create(file string, text []byte) error {
	return within(file, func(dir *os.Root, name string) error {
		part, err := writePart(dir, text)
		if err != nil {
			return err
		}
		return errors.Join(dir.Link(part, name), dropPart(dir, part)) // a link replaces nothing
	})
}

// MakeDir makes a directory for its owner alone, with those above it that are missing. One that root made is given to
// the owner of the directory above.
func MakeDir(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return within(dir, func(above *os.Root, name string) error {
		if err := above.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return owner.Give(above, name)
	})
}

// within opens the directory of a file. What is done there is done in this one, though another comes into its place.
func within(file string, do func(dir *os.Root, name string) error) error {
	dir, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer dir.Close()
	err = do(dir, filepath.Base(file))
	path, link := (*fs.PathError)(nil), (*os.LinkError)(nil)
	switch { // they have the names in the directory alone
	case errors.As(err, &path):
		return &fs.PathError{Op: "writing", Path: file, Err: path.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "writing", Path: file, Err: link.Err}
	}
	return err
}

// writePart writes a file of a name that no other has.
func writePart(dir *os.Root, text []byte) (part string, err error) {
	part = ".key-" + rand.Text()
	f, err := dir.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close(), owner.Give(dir, part)); err != nil {
		return "", errors.Join(err, dir.Remove(part))
	}
	return part, nil
}

// dropPart removes a part, if it is still there.
func dropPart(dir *os.Root, part string) error {
	if err := dir.Remove(part); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
