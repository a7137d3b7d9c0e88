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

// ownerHint says to whom a file, or the directory in which it would be, belongs, as whom this process runs, and what to do.
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
	if owner == we {
		return fmt.Sprintf("%s belongs to %s, as whom this runs, with mode %04o: chmod u+rwX %s", path, owner, info.Mode().Perm(), path)
	}
	return fmt.Sprintf("%s belongs to %s (mode %04o), and this runs as %s: run it as %s, or: chown -R %s %s", path, owner, info.Mode().Perm(), we, owner, we, path)
}

func userName(id uint32) string {
	text := strconv.FormatUint(uint64(id), 10)
	if u, err := user.LookupId(text); err == nil {
		return u.Username
	}
	return "user " + text
}
