package live

import (
	"testing"
	"testing/synctest"
	"time"

	"tidings/network/live/suspend"
)

func TestClockCountsSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slept := 100 * time.Hour // before the start
		c := newClock(func() time.Duration { return slept })
		time.Sleep(time.Minute)
		if c.notice() != 0 || c.now() != time.Minute {
			t.Errorf("without sleep now is %v", c.now())
		}
		slept += time.Hour
		if c.now() != time.Minute {
			t.Error("sleep counts before it is noticed")
		}
		if got := c.notice(); got != time.Hour || c.now() != time.Hour+time.Minute {
			t.Errorf("noticed %v, now is %v", got, c.now())
		}
		slept -= time.Hour // a clock that lies
		if c.notice() != 0 || c.now() != time.Hour+time.Minute {
			t.Error("the clock went back")
		}
	})
	if d := suspend.Time(); d < -leastSleep {
		t.Errorf("this machine slept for %v", d)
	}
}
