package live

import (
	"testing"
	"time"
)

func TestBucket(t *testing.T) {
	b := newBucket(Rate{PerSecond: 10, Burst: 5})
	now := time.Unix(1000, 0)
	count := func(n int) (seen [3]int) {
		for range n {
			seen[b.spend(1, now)]++
		}
		return seen
	}
	if got := count(12); got != [3]int{5, 5, 2} {
		t.Errorf("at once: %v", got)
	}
	now = now.Add(time.Second)
	if got := count(6); got != [3]int{5, 1, 0} {
		t.Errorf("a second later: %v", got)
	}
	none := newBucket(Rate{})
	if none.spend(1e9, now) != pass {
		t.Error("no rate is a rate")
	}
}
