package table

import (
	"testing"
	"time"
)

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// An allowance lets so many through in a period.
func TestAllowances(t *testing.T) {
	t.Parallel()
	const period, most = time.Hour, 3
	var b Allowance
	for at, want := range []int{3, 3, 0, 1, 0, 0, 2} {
		now := 10*period + time.Duration(at)*period
		tries := want
		if tries == most {
			tries += 2
		}
		spent := 0
		for range tries {
			spent += count(b.Spend(now, period, most))
		}
		if spent != want {
			t.Errorf("period %d: %d are counted, not %d", at, spent, want)
		}
	}
}
