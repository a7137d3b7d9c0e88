//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// lockFile locks file for this process; held says that another one has it.
func lockFile(file *os.File) (held bool, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

func unlockFile(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

// ownerHint says to whom a file, or the nearest directory above it that there is, belongs, as whom this process runs, and
// what to do. It gives away no directory that is not a node's.
func ownerHint(path string) string {
	info, err := os.Stat(path)
	for err != nil && path != filepath.Dir(path) {
		path = filepath.Dir(path)
		info, err = os.Stat(path)
	}
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	owner, we := userName(stat.Uid), userName(uint32(os.Geteuid()))
	whose := fmt.Sprintf("%s belongs to %s (mode %04o), and this runs as %s: ", path, owner, info.Mode().Perm(), we)
	_, noNode := os.Stat(filepath.Join(path, FileName))
	switch {
	case owner == we:
		return whose + "chmod u+rwX " + path
	case info.IsDir() && noNode != nil:
		return whose + "name another directory with --data, or run it as " + owner
	}
	return whose + fmt.Sprintf("run it as %s, or: chown -R %s %s", owner, we, path)
}

func userName(id uint32) string {
	text := strconv.FormatUint(uint64(id), 10)
	if u, err := user.LookupId(text); err == nil {
		return u.Username
	}
	return "user " + text
}
