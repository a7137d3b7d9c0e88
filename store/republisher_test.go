package store

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/store/db"
)

func TestRepublishers(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	one, two := Point{1}, Point{2}
	for _, step := range []struct {
		node     Point
		standing tidings.TrustLevel
	}{
		{one, tidings.Preferred}, {two, tidings.Preferred}, {Point{}, tidings.Distrusted}, {two, tidings.Distrusted}, {one, tidings.Neutral},
		{one, tidings.Neutral}, {two, tidings.Distrusted},
	} {
		clk.add(time.Minute)
		if err := s.SetRepublisher(t.Context(), step.node, step.standing); err != nil {
			t.Fatal(err)
		}
	}
	start := newClock().now().Truncate(time.Minute)
	want := []Republisher{
		{Point{}, tidings.Distrusted, start.Add(3 * time.Minute)},
		{two, tidings.Distrusted, start.Add(4 * time.Minute)}, // said again, it is no newer
	}
	got, err := s.Republishers(t.Context())
	for i := range got {
		got[i].Since = got[i].Since.Truncate(time.Minute)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	mustErr(t, s.SetRepublisher(t.Context(), one, "adored"), tidings.ErrInvalid)
}

func TestRepublishersAreBounded(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var node Point
	if err := s.write(t.Context(), func(t *tx) error {
		for i := range tidings.MaxRepublishers {
			binary.BigEndian.PutUint32(node[:], uint32(i))
			if err := db.Exec(t.Conn, `INSERT INTO republisher (node, standing, since) VALUES (?, -1, 4)`, node[:]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	mustErr(t, s.SetRepublisher(t.Context(), Point{19: 1}, tidings.Distrusted), tidings.ErrInvalid)
	if err := s.SetRepublisher(t.Context(), node, tidings.Preferred); err != nil {
		t.Errorf("one that is there: %v", err)
	}
	if err := s.SetRepublisher(t.Context(), node, tidings.Neutral); err != nil {
		t.Errorf("letting one go: %v", err)
	}
}

// Whoever has seen an ID in short finds the whole of it among those who have found something.
func TestFinders(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	u := publish(t, s, feedURL, story{"x", "y"})
	if u.FoundBy == "" {
		t.Fatal("nobody has found it")
	}
	if got, err := s.Finders(t.Context(), u.FoundBy[:2], 5); err != nil || !slices.Equal(got, []string{u.FoundBy}) {
		t.Errorf("%q, %v", got, err)
	}
	f := document(t, s, feedURL, story{"z", "y"})
	f.FoundBy, f.ConfirmedBy = "b1", []string{"c1", "b2", "c2", "b3"}
	record(t, s, Record{URL: feedURL, Change: f})
	if got, err := s.Finders(t.Context(), "b", 5); err != nil || !slices.Equal(got, []string{"b1", "b2", "b3"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.Finders(t.Context(), "c", 1); err != nil || !slices.Equal(got, []string{"c1"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.Finders(t.Context(), "%", 5); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}
