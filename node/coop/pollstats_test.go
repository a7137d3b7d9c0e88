package coop

import (
	"testing"
	"time"

	"tidings"
	"tidings/source"
	"tidings/view"
)

// What was counted outlives the node; what cannot be read begins anew.
func TestPollStats(t *testing.T) {
	c := newCoop(t, time.Hour)
	b := &c.polls
	recall := func() error {
		t.Helper()
		text, err := c.config.Store.DB.Setting(t.Context(), pollsSetting)
		if err != nil {
			t.Fatal(err)
		}
		return b.recall(text)
	}
	if err := recall(); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	for i := range 50 {
		b.add(now.Add(time.Duration(i)*time.Hour), tally{Own: 1, Readers: 0.5})
	}
	now = now.Add(49 * time.Hour)
	b.add(now.Add(-10*time.Hour), tally{ForOthers: 3}) // the clock was put back
	s := b.summary(now)
	if s.All != (view.PollCounts{Own: 50, ForOthers: 3, Readers: 25}) ||
		s.Day != (view.PollCounts{Own: 24, ForOthers: 3, Readers: 12}) {
		t.Errorf("%+v, of a day %+v", s.All, s.Day)
	}
	if s.All.Saved() != 25-50-3 {
		t.Errorf("saved %d", s.All.Saved())
	}
	if n := len(b.kept.Hours); n != hoursKept {
		t.Errorf("%d hours are told apart", n)
	}
	if err := c.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.kept = kept{}
	if err := recall(); err != nil {
		t.Fatal(err)
	}
	if got := b.summary(now); got.All != s.All || got.Day != s.Day || !got.Since.Equal(s.Since) {
		t.Errorf("read again: %+v, want %+v", got, s)
	}
	if got := b.summary(now.Add(30 * time.Hour)); got.Day != (view.PollCounts{}) || got.All != s.All {
		t.Errorf("a day later: %+v", got)
	}
	if err := c.config.Store.DB.SetSetting(t.Context(), pollsSetting, "{"); err != nil {
		t.Fatal(err)
	}
	if err := recall(); err == nil || b.summary(now).All != (view.PollCounts{}) {
		t.Errorf("of what is damaged: %v, %+v", err, b.summary(now).All)
	}
}

// A poll counts if the origin was asked.
func TestPollsThatCount(t *testing.T) {
	for _, c := range []struct {
		outcome tidings.Outcome
		status  int
		counts  bool
	}{
		{tidings.OutcomeChanged, 200, true}, {tidings.OutcomeFailed, 0, true}, {tidings.OutcomeLimited, 429, true},
		{tidings.OutcomeLimited, 0, false}, {tidings.OutcomeRefused, 0, false}, {tidings.OutcomeNone, 0, false},
	} {
		var s pollStats
		r := source.Result{Poll: tidings.Poll{Outcome: c.outcome, Status: c.status}}
		s.count(source.Job{}, r)
		s.count(source.Job{Guest: true}, r)
		want := view.PollCounts{}
		if c.counts {
			want = view.PollCounts{Own: 1, ForOthers: 1}
		}
		if got := s.summary(time.Now()).All; got != want {
			t.Errorf("%s, %d: %+v", c.outcome, c.status, got)
		}
	}
}
