package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tidings"
	"tidings/store/pushed"
)

const pinnedURL = "https://example.org/pinned"

func pinned(t testing.TB, s *Store) pushed.Pin {
	t.Helper()
	follow(t, s, pinnedURL)
	p := pushed.Pin{Channel: pinnedURL, Topic: [20]byte{1}, Fingerprint: [32]byte{2}, Silence: time.Hour,
		Pinned: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Have: 4}
	if err := s.Pushed.SetPin(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// push stores the item of a number, as a node does that receives it by a push.
func push(t testing.TB, s *Store, number uint64, all ...story) (told int, have uint64) {
	t.Helper()
	known, err := s.Content.KnownItems(t.Context(), pinnedURL)
	if err != nil {
		t.Fatal(err)
	}
	f := changeOf(known, all...)
	f.Partial, f.SignedBy = true, "ab"
	taken, err :=
		s.Apply(t.Context(),
			Push{pushed.Item{URL: pinnedURL, Topic: [20]byte{1}, Number: number, Signed: fmt.Append(nil, number)}, f})
	if err != nil {
		t.Fatal(err)
	}
	u, have := taken[0].Update, taken[0].Have
	if u == nil {
		return 0, have
	}
	if u.SignedBy != "ab" {
		t.Errorf("an update signed by %q", u.SignedBy)
	}
	return len(u.Items), have
}

func TestPushedItemsAreToldOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	pinned(t, s)
	publish(t, s, pinnedURL, story{"old", "x"})
	for _, step := range []struct {
		number uint64
		story  string
		told   int
		have   uint64
	}{
		{5, "five", 1, 5}, {5, "five", 0, 5}, // again
		{8, "eight", 1, 5}, {7, "seven", 1, 5}, // out of order
		{8, "eight", 0, 5},
		{6, "six", 1, 8},   // the gap closes
		{3, "three", 0, 8}, // from before the pin
		{9, "old", 0, 9},   // a poll has found it
	} {
		told, have := push(t, s, step.number, story{step.story, "x"})
		if told != step.told || have != step.have {
			t.Errorf("number %d told %d items, and has all up to %d; not %d and %d", step.number, told, have, step.told,
				step.have)
		}
	}
	p, err := s.Pushed.PinOf(t.Context(), pinnedURL)
	if err != nil || p.Have != 9 || p.Pushed != 4 || p.Heard.IsZero() {
		t.Errorf("%+v, %v", p, err)
	}
	updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Channel: pinnedURL})
	if err != nil || len(updates) != 5 || updates[4].SignedBy != "ab" || updates[0].SignedBy != "" {
		t.Errorf("%d updates, %v: %+v", len(updates), err, updates)
	}
	entries := river(t, s, tidings.EntryQuery{})
	if first, last := entries[len(entries)-1], entries[0]; last.SignedBy != "ab" || first.SignedBy != "" ||
		first.FoundBy != updates[0].FoundBy {
		t.Errorf("the first entry %+v, the last %+v", first, last)
	}
	items, err := s.Pushed.Items(t.Context(), [20]byte{1}, 6, 1<<63, 2, 1<<20)
	if err != nil || len(items) != 2 || items[0].Number != 6 || string(items[1].Signed) != "7" {
		t.Errorf("%+v, %v", items, err)
	}
	if items, err := s.Pushed.Items(t.Context(), [20]byte{1}, 0, 100, 100, 1); err != nil || len(items) != 1 {
		t.Errorf("%d items in one byte, %v", len(items), err)
	}
}

func TestPinsGoWithTheirChannel(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	p := pinned(t, s)
	push(t, s, 5, story{"five", "x"})
	if got, err := s.Pushed.Pins(t.Context()); err != nil || len(got) != 1 || got[0].Fingerprint != p.Fingerprint {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Unsubscribe(t.Context(), tidings.Owner, pinnedURL); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Pushed.Pins(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("nobody follows it: %+v, %v", got, err)
	}
	clk.add(400 * 24 * time.Hour)
	pruneAll(t, s, clk.now())
	if _, err := s.Pushed.PinOf(t.Context(), pinnedURL); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("after all of it is gone: %v", err)
	}
	if items, err := s.Pushed.Items(t.Context(), p.Topic, 0, 100, 100, 1<<20); err != nil || len(items) != 0 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

// A key that replaces another continues its numbers. A key offered in its place stays until that is settled.
func TestPinsChange(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	p := pinned(t, s)
	push(t, s, 5, story{"five", "x"})
	p.Fingerprint, p.Topic, p.Have, p.Offered, p.OfferedAt = [32]byte{7}, [20]byte{8}, 0, [32]byte{9}, p.Pinned
	if err := s.Pushed.SetPin(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := s.Pushed.MissedPush(t.Context(), pinnedURL, 3); err != nil {
		t.Fatal(err)
	}
	if err := s.Pushed.SetHighestSeq(t.Context(), pinnedURL, 6); err != nil {
		t.Fatal(err)
	}
	got, err := s.Pushed.PinOf(t.Context(), pinnedURL)
	if err != nil || got.Have != 6 || got.Pushed != 1 || got.Missed != 3 || got.Offered != p.Offered ||
		got.Topic != p.Topic || !got.OfferedAt.Equal(p.Pinned) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := s.Pushed.SetPin(t.Context(), pushed.Pin{Channel: "https://example.org/nobody"}); !errors.Is(err,
		tidings.ErrNotFollowed) {
		t.Errorf("a pin of what nobody follows: %v", err)
	}
	if _, err :=
		s.Apply(t.Context(), Push{Item: pushed.Item{URL: pinnedURL, Number: 7, Signed: []byte{1}}}); err != nil {
		t.Errorf("an item that says nothing: %v", err)
	}
	if err := s.Pushed.Unpin(t.Context(), pinnedURL); err != nil {
		t.Fatal(err)
	}
	if _, err :=
		s.Apply(t.Context(), Push{Item: pushed.Item{URL: pinnedURL, Number: 8, Signed: []byte{1}}}); !errors.Is(err,
		tidings.ErrNotFound) {
		t.Errorf("an item of what is not pinned: %v", err)
	}
}
