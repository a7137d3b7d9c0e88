package store

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"tidings/store/db"
)

// forbidWriting denies the calling goroutine the right to write in dir, until it heals. The system forbids root
// nothing, so root becomes nobody for its files.
func forbidWriting(t *testing.T, dir string) (heal func()) {
	t.Helper()
	modes := map[string]os.FileMode{dir: 0o555}
	if os.Geteuid() == 0 {
		for up := filepath.Dir(dir); up != os.TempDir() && up != filepath.Dir(up); up = filepath.Dir(up) {
			modes[up] = 0o755 // nobody must get there
		}
		for _, name := range []string{db.FileName, "lock"} {
			modes[filepath.Join(dir, name)] = 0o444
		}
	}
	for name, mode := range modes {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	root := os.Geteuid() == 0
	if root {
		const nobody = 65534
		runtime.LockOSThread() // what is asked for next is a thread's
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if root {
			if err := syscall.Setfsuid(0); err != nil {
				t.Fatal(err)
			}
			runtime.UnlockOSThread()
		}
		for name := range modes {
			mode := os.FileMode(0o700)
			if info, err := os.Stat(name); err == nil && !info.IsDir() {
				mode = 0o600
			}
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
}
