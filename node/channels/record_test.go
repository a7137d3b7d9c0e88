package channels

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/delta"
	"tidings/store"
)

// A first poll that another has overtaken is not stored. Yet what its document says besides its items is passed on, and
// the next poll begins from what is stored.
func TestWhatAnOvertakenDocumentSaysIsPassedOn(t *testing.T) {
	opened, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	scheduler := source.NewScheduler(nil, nil, source.DefaultSchedule(), slog.New(slog.DiscardHandler))
	var passed []source.Result
	c := New(Config{
		Store: opened, Scheduler: scheduler, Log: slog.New(slog.DiscardHandler), Interval: time.Hour,
		Entrance: &Entrance{Store: opened, Scheduler: scheduler, Stored: func() {}},
		Polled:   func(_ context.Context, _ source.Job, r source.Result) { passed = append(passed, r) },
	})
	const url = "https://news.example/feed"
	if _, _, err := opened.Subscribe(t.Context(), tidings.Owner,
		store.Subscription{URL: url, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	job, err := c.Job(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	poll := func(lines ...string) error {
		return c.RecordPoll(t.Context(), job, source.Result{
			Poll:     tidings.Poll{At: time.Now(), Outcome: tidings.OutcomeChanged, Next: time.Now().Add(time.Hour)},
			Change:   &tidings.Change{Kind: tidings.KindPage, Found: time.Now(), Lines: lines, Hash: delta.Hash(lines)},
			Document: &source.Document{},
		})
	}
	if err := poll("a line"); err != nil {
		t.Fatal(err)
	}
	if err := poll("another line"); !errors.Is(err, tidings.ErrStale) {
		t.Fatalf("a poll that began before the first version: error %v, want %v", err, tidings.ErrStale)
	}
	if len(passed) != 2 || passed[0].Change == nil || passed[1].Change != nil || passed[1].Document == nil {
		t.Errorf("passed on: %+v; want both documents, and the change of the first alone", passed)
	}
	if job, err = c.Job(t.Context(), url); err != nil || job.Version != 1 {
		t.Errorf("the next poll begins from version %d, error %v; want 1", job.Version, err)
	}
}
