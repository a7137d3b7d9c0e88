//go:build unix

package diskspace

import "golang.org/x/sys/unix"

// freeBytes returns how many bytes an ordinary user may still write at dir. It waits for as long as the file system
// does.
func freeBytes(dir string) (uint64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
