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

// An allowance lets so many through in a period. The most of the two latest periods is remembered for one more, and no
// longer.
func TestAllowances(t *testing.T) {
	t.Parallel()
	const period, most = time.Hour, 3
	var b Allowance
	for at, want := range []struct{ spent, most int }{{3, 3}, {3, 3}, {0, 3}, {1, 1}, {0, 1}, {0, 0}, {2, 2}} {
		now := 10*period + time.Duration(at)*period
		tries := want.spent
		if tries == most {
			tries += 2
		}
		spent := 0
		for range tries {
			spent += count(b.Spend(now, period, most))
		}
		if spent != want.spent {
			t.Errorf("period %d: %d are counted, not %d", at, spent, want.spent)
		}
		if got := b.Most(now, period); got != want.most {
			t.Errorf("period %d: at most %d, not %d", at, got, want.most)
		}
		if got := b.Most(now+period-1, period); got != want.most {
			t.Errorf("at the end of period %d: at most %d, not %d", at, got, want.most)
		}
	}
	if b.Spend(100*period, period, most); b.Most(102*period, period) != 0 {
		t.Error("events of two periods ago count")
	}
}
