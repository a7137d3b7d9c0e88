//go:build !linux && !darwin

package live

import "time"

// suspendedTime returns 0: no clock here tells, or Go's own counts that time already, as on
// Windows.
func suspendedTime() time.Duration { return 0 }
