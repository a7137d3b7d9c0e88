//go:build unix

package cost

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the processor time that this process has used, on all cores.
func CPU() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
