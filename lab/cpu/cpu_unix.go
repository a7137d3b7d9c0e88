//go:build unix

// Package cpu tells how much processor time this process has used.
package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// Time returns the processor time that this process has used, on all cores.
func Time() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Faults returns how often the process has touched memory that the system then had to give it (minor page faults); 0 where that is not counted.
func Faults() int64 {
	u := usage()
	return int64(u.Minflt)
}

func usage() (u unix.Rusage) {
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // it does not fail for the process itself; else all is zero
	return u
}
