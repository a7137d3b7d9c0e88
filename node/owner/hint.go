package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"tidings"
	"tidings/store/db"
)

// WithOwner returns err with a hint that names the file's owner, if this program may not read or write it.
func WithOwner(err error) error {
	var of *fs.PathError
	switch {
	case !errors.As(err, &of):
		return err
	case errors.Is(err, fs.ErrPermission):
		return tidings.WithHint(err, hint(of.Path))
	case errors.Is(err, syscall.EROFS):
		return tidings.WithHint(err, "the file system of "+of.Path+
			" can only be read: see why, with: mount; or name another directory with --data")
	}
	return err
}

// hint names the owner of a file, or of the nearest existing directory above it, and the user of this program, with a
// remedy. It gives away no directory that is not a node's.
func hint(path string) string {
	info, err := os.Stat(path)
	for err != nil && path != filepath.Dir(path) {
		path = filepath.Dir(path)
		info, err = os.Stat(path)
	}
	if err != nil {
		return ""
	}
	owner, known := of(info)
	if !known {
		return "see who may write there"
	}
	we := Me()
	whose := fmt.Sprintf("%s belongs to %s (mode %04o), and this runs as %s: ", path, owner, info.Mode().Perm(), we)
	_, noNode := os.Stat(filepath.Join(path, db.FileName))
	switch {
	case owner.User == we.User:
		return whose + "chmod u+rwX " + path
	case info.IsDir() && noNode != nil:
		return whose + "name another directory with --data, or run it as " + owner.String()
	}
	return whose + fmt.Sprintf("run it as %s, or: chown -R %s %s", owner, we, path)
}
