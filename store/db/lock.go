package db

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockName is the file in the data directory that the open store holds locked. The
// operating system frees the lock when the process ends, however it ends.
const lockName = "lock"

type dirLock struct{ file *os.File }

// lockDir locks the data directory for this process, or names the process that has locked it.
func lockDir(dir string, now time.Time) (*dirLock, error) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the data directory: %w", err)
	}
	held, err := lockFile(file)
	if err != nil || held {
		_ = file.Close()
		if held {
			return nil, fmt.Errorf("%s: %w by %s", dir, ErrInUse, lockHolder(path))
		}
		return nil, fmt.Errorf("locking the data directory: %w", err)
	}
	holder := fmt.Sprintf("process %d, started %s\n", os.Getpid(), now.UTC().Format(time.RFC3339))
	if err = file.Truncate(0); err == nil {
		_, err = file.WriteAt([]byte(holder), 0)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("locking the data directory: %w", err)
	}
	return &dirLock{file}, nil
}

// release unlocks before it closes. A child that the process has just forked holds a copy of the descriptor until it
// executes its program. Closing alone would leave the directory locked for as long.
func (l *dirLock) release() error {
	if err := errors.Join(unlockFile(l.file), l.file.Close()); err != nil {
		return fmt.Errorf("freeing the data directory: %w", err)
	}
	return nil
}

// lockHolder reads the name of the lock's holder.
func lockHolder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return "another process"
	}
	return strings.TrimSpace(string(text))
}
