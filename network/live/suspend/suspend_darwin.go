package suspend

import (
	"time"

	"golang.org/x/sys/unix"
)

// Time returns how long the machine has been suspended since it was started:
// CLOCK_MONOTONIC_RAW counts that time and CLOCK_UPTIME_RAW, which Go uses, does not.
func Time() time.Duration {
	return since(unix.CLOCK_MONOTONIC_RAW) - since(unix.CLOCK_UPTIME_RAW)
}

func since(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
