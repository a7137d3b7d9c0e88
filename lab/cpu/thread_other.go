//go:build !linux

package cpu

import "time"

// Thread returns 0: this system does not say how much processor time a thread has used.
func Thread() time.Duration { return 0 }
