package store

import (
	"testing"

	"tidings"
	"tidings/store/content"
)

// Two polls of one channel at a time, such as the first poll of a person and the one by
// plan, must not both tell its items.
func TestAChangeComparedTooEarlyIsRefused(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	early := document(t, s, feedURL, story{"a", "x"}, story{"b", "y"})
	early.KnownUpTo = 0
	publish(t, s, feedURL, story{"a", "x"}, story{"b", "y"})
	_, err := apply(t.Context(), s, &Record{Record: content.Record{URL: feedURL, Change: early}})
	mustErr(t, err, tidings.ErrStale)
	if n := len(river(t, s, tidings.EntryQuery{})); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
}

// A poll that was compared before another node's report of the same change, or of a later one, was stored neither
// tells it again nor takes it back.
func TestAChangeComparedWithWhatAnItemWasIsRefused(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"}, story{"b", "y"})
	same := document(t, s, feedURL, story{"a", "changed"}, story{"b", "y"})
	older := document(t, s, feedURL, story{"a", "x"}, story{"b", "also changed"})
	publish(t, s, feedURL, story{"a", "changed"}, story{"b", "y"})
	for _, early := range []*tidings.Change{same, older} {
		_, err := apply(t.Context(), s, &Record{Record: content.Record{URL: feedURL, Change: early}})
		mustErr(t, err, tidings.ErrStale)
	}
	if updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{}); err != nil || len(updates) != 2 {
		t.Errorf("told: %+v, %v", updates, err)
	}
	publish(t, s, feedURL, story{"a", "changed"}, story{"b", "also changed"})
	if updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{}); err != nil || len(updates) != 3 {
		t.Errorf("told: %+v, %v", updates, err)
	}
}
