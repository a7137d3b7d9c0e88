package store

import (
	"slices"
	"testing"

	"tidings/store/content"
)

func TestFinders(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	u := publish(t, s, feedURL, story{"x", "y"})
	if u.FoundBy == "" {
		t.Fatal("nobody has found it")
	}
	if got, err := s.Content.Finders(t.Context(), u.FoundBy[:2], 5); err != nil ||
		!slices.Equal(got, []string{u.FoundBy}) {
		t.Errorf("%q, %v", got, err)
	}
	f := document(t, s, feedURL, story{"z", "y"})
	f.FoundBy, f.ConfirmedBy = "b1", []string{"c1", "b2", "c2", "b3"}
	record(t, s, content.Record{URL: feedURL, Change: f})
	if got, err := s.Content.Finders(t.Context(), "b", 5); err != nil ||
		!slices.Equal(got, []string{"b1", "b2", "b3"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.Content.Finders(t.Context(), "c", 1); err != nil || !slices.Equal(got, []string{"c1"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.Content.Finders(t.Context(), "%", 5); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}
