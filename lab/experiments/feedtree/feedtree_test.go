package feedtree

import (
	"testing"
	"time"

	"tidings/lab/dataset"
)

// A feed's changes cost a reader its document once for each time between two polls in which it changed, and an answer's
// head at every poll.
func TestPolled(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(minutes, bytes int) dataset.Update {
		return dataset.Update{Time: start.Add(time.Duration(minutes) * time.Minute), Bytes: bytes, Added: 100,
			Changed: true, NewItems: 1}
	}
	updates := []dataset.Update{at(0, 1), at(10, 5000), at(20, 6000), at(95, 7000), at(24*60, 1)}
	// At 25 minutes the third state is there, at 115 the fourth. The state at 10 minutes was seen by no reader.
	want := float64(48*aboutAnswer + 6000 + 7000)
	if got := polled(updates, 25*time.Minute); got != want {
		t.Errorf("a reader is sent %v bytes, not %v", got, want)
	}
	// At phase 15 the second and the third are seen both.
	want += 5000
	if got := polled(updates, 15*time.Minute); got != want {
		t.Errorf("a reader is sent %v bytes, not %v", got, want)
	}
}

// What a state has brought is shared among its items; where only old ones have changed, it is one.
func TestNewRecorded(t *testing.T) {
	start := time.Unix(0, 0)
	f := newRecorded("feed", []dataset.Update{
		{Time: start, Bytes: 1000, Added: 900, NewItems: 9, Changed: true}, // there before
		{Time: start.Add(time.Hour), Added: 600, NewItems: 3, Changed: true},
		{Time: start.Add(2 * time.Hour), Added: 50},
		{Time: start.Add(12 * time.Hour), Added: 80, Changed: true},
	})
	if len(f.items) != 4 || f.items[0] != 200+aboutItem || f.items[3] != 80+aboutItem || f.perDay != 8 {
		t.Errorf("%v, %v a day", f.items, f.perDay)
	}
}
