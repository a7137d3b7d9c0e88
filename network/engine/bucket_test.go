package engine_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// A bucket never gives more than the burst and the rate allow, but for what was owed at the end; and it
// gives again after long enough, whatever was taken.
func TestBucketHoldsItsRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(1, 1<<30).Draw(t, "rate")
		burst := rapid.IntRange(1, 1<<30).Draw(t, "burst")
		b := engine.NewBucket(rate, burst)
		var now time.Duration
		taken, last := 0.0, 0
		for range 50 {
			now += time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "pause")) >> rapid.IntRange(0,
				40).Draw(t, "shorter")
			n := rapid.IntRange(0, 1<<30).Draw(t, "n")
			if b.Take(n, now) {
				taken += float64(n)
				last = n
			}
			if most := float64(burst) + float64(rate)*now.Seconds() + float64(last) + 1; taken > most {
				t.Fatalf("after %v %v were taken, of %v", now, taken, most)
			}
		}
		now += time.Duration((1<<30)/rate+2) * time.Second
		if !b.Take(1, now) {
			t.Fatal("what was owed is not forgiven")
		}
	})
}
