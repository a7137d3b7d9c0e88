package machine

import "time"

const (
	// MaxAhead is how far ahead of this node's calendar others' stamps and numbers may be.
	MaxAhead = 24 * time.Hour
	// ClockUnset is in seconds since 1970: a calendar before 2025 has not been set.
	ClockUnset = 1735689600
)
