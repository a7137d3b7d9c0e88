package store

import (
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
)

// Detection times count for changes that the origin has dated, except a channel's first version.
func TestDetected(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	const other = "https://example.org/other"
	for _, url := range []string{feedURL, other} {
		follow(t, s, url)
	}
	found := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	n := 0
	change := func(url string, late time.Duration) {
		n++
		f := document(t, s, url, story{"a", words(n, 5)})
		f.Found = found
		if late > -time.Hour { // else the origin says nothing
			f.OriginChanged = found.Add(-late)
		}
		record(t, s, content.Record{URL: url, Change: f})
	}
	for _, late := range []time.Duration{5 * time.Hour, 3 * time.Second, -2 * time.Hour, 10 * time.Second,
		20 * time.Second, -time.Second} {
		change(feedURL, late) // the third is not known; the last comes of clocks that differ
	}
	change(other, time.Minute)
	change(other, 30*time.Hour)
	got, err := s.Content.Detected(ctx, []string{other, "https://example.org/none", feedURL})
	if err != nil {
		t.Fatal(err)
	}
	want := []tidings.Detection{
		{Changes: 1, Median: 30 * time.Hour, Mean: 30 * time.Hour}, {},
		{Changes: 4, Median: 6500 * time.Millisecond, Mean: 8250 * time.Millisecond},
	}
	for i := range want {
		if got[i].Changes != want[i].Changes || got[i].Median != want[i].Median || got[i].Mean != want[i].Mean {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	all, err := s.Content.Detection(ctx)
	if err != nil {
		t.Fatal(err)
	}
	bins := make([]int, len(tidings.DetectionEdges())+1)
	bins[0], bins[2], bins[4], bins[5], bins[len(bins)-1] = 1, 1, 1, 1, 1 // 0 s, 3 s, 10 s, 20 s, 30 h
	if all.Changes != 5 || all.Median != 10*time.Second || !slices.Equal(all.Bins, bins) {
		t.Errorf("%+v", all)
	}
	if _, err := s.Unsubscribe(ctx, tidings.Owner, other); err != nil {
		t.Fatal(err)
	}
	if all, err = s.Content.Detection(ctx); err != nil || all.Changes != 4 {
		t.Errorf("of what is followed still: %+v, %v", all, err)
	}
}
