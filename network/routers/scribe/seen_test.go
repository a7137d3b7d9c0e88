package scribe

import (
	"slices"
	"testing"
	"time"
)

// The names of the latest events are those that came at a time or later, also once the oldest make room for new ones.
func TestTheLatestNamesAreThoseThatCame(t *testing.T) {
	var s seen
	for i := range uint64(3 * maxSeen) {
		now := time.Duration(i) * time.Second
		if !s.add(i, now) || s.add(i, now) {
			t.Fatalf("event %d is new and then known; want that of each", i)
		}
		for _, back := range []uint64{0, 1, 7} {
			var want []uint64
			for age := uint64(0); age <= min(back, i); age++ {
				want = append(want, i-age)
			}
			if got := s.since(now - time.Duration(back)*time.Second); !slices.Equal(got, want) {
				t.Fatalf("after event %d, %v came within %d s; want %v", i, got, back, want)
			}
		}
	}
	if s.has(2*maxSeen-1) || !s.has(2*maxSeen) {
		t.Errorf("of %d events the latest %d are remembered; not so", 3*maxSeen, maxSeen)
	}
}
