package live

import "time"

// leastSleep is the shortest suspension that counts as one. The two clocks are not read at
// the same instant, so that tiny differences mean nothing.
const leastSleep = 500 * time.Millisecond

// clock is monotonic time since the host started, which counts what the machine slept. The
// loop alone uses it.
type clock struct {
	start     time.Time
	suspended func() time.Duration
	before    time.Duration // what suspended said when last asked
	slept     time.Duration // since the start
}

func newClock(suspended func() time.Duration) *clock {
	return &clock{start: time.Now(), suspended: suspended, before: suspended()}
}

// now returns the time since the start, as far as sleep has been noticed.
func (c *clock) now() time.Duration { return time.Since(c.start) + c.slept }

// notice returns how long the machine slept since notice was last called, 0 if it did not.
func (c *clock) notice() time.Duration {
	total := c.suspended()
	slept := total - c.before
	if slept < leastSleep {
		return 0
	}
	c.before = total
	c.slept += slept
	return slept
}
