package homes

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// dirPrefix is what the names of folders begin with; the ID of the process that made one follows.
const dirPrefix = "tidings-homes-"

// makeDir makes a folder, and removes those of processes that were killed.
func makeDir() (string, error) {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	if err != nil {
		return "", fmt.Errorf("looking for folders of others: %w", err)
	}
	for _, dir := range left {
		if isLeft(filepath.Base(dir)) {
			_ = os.RemoveAll(dir) // another process may do the same
		}
	}
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", dirPrefix, os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("making a folder for machines: %w", err)
	}
	return dir, nil
}

// isLeft reports whether the process that made a folder of a name has ended.
func isLeft(name string) bool {
	maker, _, _ := strings.Cut(strings.TrimPrefix(name, dirPrefix), "-")
	if _, err := strconv.Atoi(maker); err != nil {
		return false
	}
	_, err := os.Stat(filepath.Join("/proc", maker))
	return os.IsNotExist(err)
}
