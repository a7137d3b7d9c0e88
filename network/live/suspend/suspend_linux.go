package suspend

import (
	"time"

	"golang.org/x/sys/unix"
)

// Time returns how long the machine has been suspended since it was started:
// CLOCK_BOOTTIME counts that time and CLOCK_MONOTONIC, which Go uses, does not.
func Time() time.Duration { return since(unix.CLOCK_BOOTTIME) - since(unix.CLOCK_MONOTONIC) }

func since(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
