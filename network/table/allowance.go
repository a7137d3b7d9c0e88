package table

import "time"

// Allowance counts events that may happen only so often in each period.
type Allowance struct {
	spent int // in this period
	since time.Duration
}

// Spend counts one event, and returns false if most of them have happened in this period.
func (b *Allowance) Spend(now, period time.Duration, most int) bool {
	if now-b.since >= period {
		b.spent, b.since = 0, now
	}
	if b.spent >= most {
		return false
	}
	b.spent++
	return true
}
