package db

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks file for this process; held says that another one has it. The
// locked byte lies far behind the text, which other processes may still read.
func lockFile(file *os.File) (held bool, err error) {
	at := windows.Overlapped{Offset: 1 << 30}
	err = windows.LockFileEx(windows.Handle(file.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}

func unlockFile(file *os.File) error {
	at := windows.Overlapped{Offset: 1 << 30}
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, &at)
}
