package store

import (
	"testing"

	"tidings"
)

// Two looks at one channel at a time, such as the first look of a person and the one by
// plan, must not both tell its items.
func TestAFindingComparedTooEarlyIsRefused(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	early := document(t, s, feedURL, story{"a", "x"}, story{"b", "y"})
	early.KnownUpTo = 0
	publish(t, s, feedURL, story{"a", "x"}, story{"b", "y"})
	_, err := s.Record(t.Context(), Record{URL: feedURL, Finding: early})
	mustErr(t, err, tidings.ErrStale)
	if n := len(river(t, s, tidings.EntryQuery{})); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
}
