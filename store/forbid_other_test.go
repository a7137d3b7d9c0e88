//go:build !linux

package store

import (
	"os"
	"runtime"
	"testing"
)

// forbidWriting denies the right to write in dir, until it heals.
func forbidWriting(t *testing.T, dir string) (heal func()) {
	t.Helper()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing can be forbidden here")
	}
	chmod := func(mode os.FileMode) {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod(0o500)
	return func() { chmod(0o700) }
}
