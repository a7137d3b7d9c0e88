package store

import (
	"testing"

	"tidings"
	"tidings/store/content"
)

// Two polls of one channel at a time, such as a person's first and a scheduled one, must not both report its
// items.
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

// A poll is compared, and before it is stored another node's report of the same change, or of a later one, is. The poll
// neither reports the change again nor undoes it.
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
	if updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{}); err != nil ||
		len(updates) != 2 {
		t.Errorf("told: %+v, %v", updates, err)
	}
	publish(t, s, feedURL, story{"a", "changed"}, story{"b", "also changed"})
	if updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{}); err != nil ||
		len(updates) != 3 {
		t.Errorf("told: %+v, %v", updates, err)
	}
}
