package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// Thread returns the processor time that this thread has used: that of a goroutine which is locked to it.
func Thread() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
