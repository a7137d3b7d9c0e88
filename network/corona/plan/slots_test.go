package plan

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The next time is from now on, within a period, and whole periods from the start.
func TestNextTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Int64Range(-int64(1000*time.Hour), int64(1000*time.Hour))
		start, now := time.Duration(draw.Draw(t, "start")), time.Duration(draw.Draw(t, "now"))
		period := time.Duration(rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "period"))
		next := nextTime(start, period, now)
		if next < now || next >= now+period || (next-start)%period != 0 {
			t.Fatalf("start %v, period %v, now %v: next %v", start, period, now, next)
		}
		if d := circular(start-now, period); d > period/2 || d < -period/2 || (d-(start-now))%period != 0 {
			t.Fatalf("%v modulo %v is %v", start-now, period, d)
		}
	})
}
