//go:build unix

package descriptors

import "golang.org/x/sys/unix"

// openFiles returns how many descriptors the process may have. Go's runtime has raised the soft limit to the hard one.
func openFiles() int {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return unknownDescriptors
	}
	return int(min(uint64(l.Cur), 1<<20)) // more is taken by nobody
}
