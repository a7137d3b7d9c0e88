package table

import "time"

// Allowance counts events that may happen only so often in each period.
type Allowance struct {
	spent, before int // in this period, and in the one before
	since         time.Duration
}

// Spend counts one event, and returns false if most of them have happened in this period.
func (b *Allowance) Spend(now, period time.Duration, most int) bool {
	b.renew(now, period)
	if b.spent >= most {
		return false
	}
	b.spent++
	return true
}

// Most returns the higher count of the two latest periods.
func (b *Allowance) Most(now, period time.Duration) int {
	b.renew(now, period)
	return max(b.spent, b.before)
}

// renew begins another period when the current one is over.
func (b *Allowance) renew(now, period time.Duration) {
	switch passed := now - b.since; {
	case passed >= 2*period:
		b.spent, b.before, b.since = 0, 0, now
	case passed >= period:
		b.spent, b.before, b.since = 0, b.spent, now
	}
}
