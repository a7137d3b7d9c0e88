//go:build unix

// Package cpu measures the processor time of this process.
package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// Time returns the processor time that this process has used, on all cores.
func Time() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
