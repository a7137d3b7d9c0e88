package store

import (
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
)

func TestOtherOptionsForgetWhatWasLearnedUnderTheOld(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	follow(t, s, pageURL)
	record(t, s, content.Record{URL: pageURL, Memory: []byte("validators"), Noise: []byte("rules"),
		Change: pageChange(nil, []string{"x"})})
	s.Content.RecordUnchanged(content.Record{URL: pageURL, Memory: []byte("newer validators"),
		Poll: tidings.Poll{Outcome: tidings.OutcomeNotModified}})
	options := tidings.PageOptions{Select: []string{"#prices"}}
	next := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	if err := s.Change(ctx, tidings.Owner, pageURL, Change{ChannelChange: tidings.ChannelChange{Options: &options},
		Memory: []byte("phase alone"), Next: next}); err != nil {
		t.Fatal(err)
	}
	w, err := s.Content.Watch(ctx, pageURL)
	if err != nil {
		t.Fatal(err)
	}
	if string(w.Memory) != "phase alone" || w.Noise != nil || !w.Next.Equal(next) ||
		len(w.Options.Select) != 1 || w.Last.Outcome != tidings.OutcomeNotModified {
		t.Errorf("watch after other options: %+v", w)
	}
	mustErr(t, s.Change(ctx, tidings.Owner, "https://example.org/unknown",
		Change{ChannelChange: tidings.ChannelChange{Options: &options}}), tidings.ErrNotFollowed)
}
