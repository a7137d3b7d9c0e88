package machine

import (
	"math"
	"time"
)

// InSeconds returns a duration in whole seconds, rounded up and bounded by what a message can hold.
func InSeconds(d time.Duration) uint32 {
	return uint32(min(max(0, (d+time.Second-1)/time.Second), 1<<31))
}

// InMillis returns a duration in whole milliseconds, rounded down and bounded by what a message can hold. Milliseconds
// is its inverse.
func InMillis(d time.Duration) uint32 {
	return uint32(min(max(d, 0)/time.Millisecond, math.MaxUint32))
}

// Milliseconds returns a number of milliseconds as a duration.
func Milliseconds(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }
