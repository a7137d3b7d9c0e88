// Package owner knows to which users files belong. A node often runs as a user of its own, and the commands of its
// owner run as another, such as root. What such a command makes in the data directory must be the node's. What the node
// may not read must be named in words.
package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"tidings"
)

// ID is a user and a group, as the system numbers them.
type ID struct{ User, Group int }

// Root is the user with all rights.
const Root = 0

// String returns the user's name, or "user N" where N has no name on this machine.
func (id ID) String() string {
	if u, err := user.LookupId(strconv.Itoa(id.User)); err == nil && u.Username != "" {
		return u.Username
	}
	if id.User == Root {
		return "root"
	}
	return "user " + strconv.Itoa(id.User)
}

// Me returns the user that this program runs as.
func Me() ID { return ID{os.Geteuid(), os.Getegid()} }

// Of returns the owner of a file; false: it is unknown.
func Of(file string) (ID, bool) {
	info, err := os.Stat(file)
	if err != nil {
		return ID{}, false
	}
	return of(info)
}

// CanRead reports whether a user can read a file by its mode, and enter it if it is a directory. The directories above
// it do not count.
func (id ID) CanRead(file string) (bool, error) {
	info, err := os.Stat(file)
	if err != nil {
		return false, err
	}
	owner, known := of(info)
	if !known || id.User == Root {
		return true, nil
	}
	need := fs.FileMode(0o4)
	if info.IsDir() {
		need = 0o5
	}
	mode := info.Mode().Perm()
	switch {
	case owner.User == id.User:
		mode >>= 6
	case owner.Group == id.Group:
		mode >>= 3
	}
	return mode&need == need, nil
}

// Explain adds to the error of a program that may not open a file what to do about that. Other errors stay as they are,
// and so does nil.
func Explain(err error, file string) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	of, known := Of(file)
	if !known {
		return tidings.WithHint(err, fmt.Sprintf("%s, as whom the node runs, may not enter a directory above it", Me()))
	}
	return tidings.WithHint(err, fmt.Sprintf("it belongs to %s, and the node runs as %s; as root: %s", of, Me(),
		Command(Me(), file)))
}

// Command returns the command line by which root gives a file to a user.
func Command(to ID, file string) string {
	return fmt.Sprintf("chown %d:%d %s", to.User, to.Group, file)
}

// Give gives a file of a directory to the owner of the directory, if root runs this program. A link is given itself.
func Give(dir *os.Root, name string) error {
	info, err := dir.Stat(".")
	if err != nil {
		return err
	}
	to, known := of(info)
	if !known || Me().User != Root || to.User == Root {
		return nil
	}
	if err := dir.Lchown(name, to.User, to.Group); err != nil {
		return fmt.Errorf("giving %s to %s: %w", filepath.Join(dir.Name(), name), to, err)
	}
	return nil
}

// GiveFile is Give for a file by its path.
func GiveFile(file string) error {
	dir, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer dir.Close()
	return Give(dir, filepath.Base(file))
}
