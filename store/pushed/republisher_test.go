package pushed_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/store/db"
	"tidings/store/pushed"
	"tidings/store/storetest"
)

func TestRepublishers(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := start
	config := storetest.Config(t)
	config.Now = func() time.Time { return now }
	s := storetest.Open(t, config)
	defer func() { storetest.Close(t, s, config) }()
	one, two := [20]byte{1}, [20]byte{2}
	for _, step := range []struct {
		node     [20]byte
		standing tidings.TrustLevel
	}{
		{one, tidings.Preferred}, {two, tidings.Preferred}, {[20]byte{}, tidings.Distrusted}, {two, tidings.Distrusted},
		{one, tidings.Neutral},
		{one, tidings.Neutral}, {two, tidings.Distrusted},
	} {
		now = now.Add(time.Minute)
		if err := s.Pushed.SetRepublisher(t.Context(), step.node, step.standing); err != nil {
			t.Fatal(err)
		}
	}
	want := []pushed.Republisher{
		{Trust: tidings.Distrusted, Since: start.Add(3 * time.Minute)},
		{Node: two, Trust: tidings.Distrusted, Since: start.Add(4 * time.Minute)}, // said again, it is no newer
	}
	got, err := s.Pushed.Republishers(t.Context())
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if err := s.Pushed.SetRepublisher(t.Context(), one, "adored"); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("it fails with %v", err)
	}
}

func TestRepublishersAreBounded(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	var node [20]byte
	if err := s.DB.Write(t.Context(), func(t *db.Tx) error {
		for i := range tidings.MaxRepublishers {
			binary.BigEndian.PutUint32(node[:], uint32(i))
			if err := db.Exec(t.Conn, `INSERT INTO republisher (node, standing, since) VALUES (?, -1, 4)`,
				node[:]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Pushed.SetRepublisher(t.Context(), [20]byte{19: 1}, tidings.Distrusted); !errors.Is(err,
		tidings.ErrInvalid) {
		t.Errorf("it fails with %v", err)
	}
	if err := s.Pushed.SetRepublisher(t.Context(), node, tidings.Preferred); err != nil {
		t.Errorf("one that is there: %v", err)
	}
	if err := s.Pushed.SetRepublisher(t.Context(), node, tidings.Neutral); err != nil {
		t.Errorf("letting one go: %v", err)
	}
}
