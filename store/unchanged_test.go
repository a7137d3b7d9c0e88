package store

import (
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
)

func TestTouchIsSeenAtOnceAndKept(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir, TouchDelay: time.Second})
	ctx := t.Context()
	follow(t, s, feedURL)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	moved := "https://example.org/new"
	s.Content.RecordUnchanged(content.Record{URL: feedURL, Memory: []byte("m1"), Noise: []byte("n1"), Moved: &moved,
		Privacy: tidings.Unlisted})
	want := tidings.Poll{At: at, Why: "why", Outcome: tidings.OutcomeFailed, Status: 500, Bytes: 7, Took: time.Second,
		Error: "no", Next: at.Add(time.Hour), NextWhy: "later"}
	s.Content.RecordUnchanged(content.Record{URL: feedURL, Poll: want, Health: tidings.HealthFailing, Failures: 3,
		Ended: true})
	s.Content.RecordUnchanged(content.Record{URL: "https://nobody.example/"})
	check := func() {
		t.Helper()
		f, err := s.Channel(ctx, tidings.Owner, feedURL)
		if err != nil || f.Last != want || f.Health != tidings.HealthFailing || f.Failures != 3 {
			t.Fatalf("channel: %+v, %v", f, err)
		}
		w, err := s.Content.Watch(ctx, feedURL)
		if err != nil || w.Last != want || w.Next != want.Next || string(w.Memory) != "m1" || string(w.Noise) != "n1" ||
			!w.Ended {
			t.Fatalf("watch: %+v, %v", w, err)
		}
	}
	check()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir})
	check()
	w, err := s.Content.Watch(ctx, feedURL)
	if err != nil || w.Origin() != moved || w.Privacy != tidings.Unlisted {
		t.Errorf("watch: %+v, %v", w, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, dir)
}

// A poll that waits belongs to the record that follows: its memory is not lost, and
// it is not written over what is newer.
func TestRecordIncludesTheTouchBefore(t *testing.T) {
	s := newStore(t, func(c *Config) { c.TouchDelay = time.Second })
	follow(t, s, feedURL)
	s.Content.RecordUnchanged(content.Record{URL: feedURL, Memory: []byte("old"), Health: tidings.HealthFailing})
	record(t, s, content.Record{URL: feedURL, Health: tidings.HealthGood, Change: changeOf(nil, story{"a", "b"})})
	if s.Content.Waiting() {
		t.Error("the check still waits")
	}
	w, err := s.Content.Watch(t.Context(), feedURL)
	if err != nil || string(w.Memory) != "old" || w.Health != tidings.HealthGood {
		t.Errorf("watch: %+v, %v", w, err)
	}
}

// More polls arrive than one transaction writes, and all are written.
func TestManyTouchesAreWritten(t *testing.T) {
	t.Parallel()
	const n = 2048 + 300 // one transaction writes 2048
	s := newStore(t, func(c *Config) { c.TouchDelay = time.Millisecond })
	fillPlain(t, s, n)
	for i := range n {
		s.Content.RecordUnchanged(content.Record{URL: channelURL(i), Health: tidings.HealthGood})
	}
	for s.Content.Waiting() {
		if err := s.DB.SetSetting(t.Context(), "turn", "the writer's"); err != nil {
			t.Fatal(err)
		}
	}
	stats, err := s.Stats(t.Context())
	if err != nil || stats.ByHealth[tidings.HealthGood] != n {
		t.Errorf("stats: %+v, %v", stats, err)
	}
}

func fillPlain(t *testing.T, s *Store, n int) {
	t.Helper()
	var all []Subscription
	for i := range n {
		all = append(all, Subscription{URL: channelURL(i), Privacy: tidings.Public})
	}
	if _, err := s.SubscribeAll(t.Context(), tidings.Owner, all); err != nil {
		t.Fatal(err)
	}
}

// If a poll arrives while the one before it is written, it does not count as written.
func TestAPollThatComesDuringTheSweep(t *testing.T) {
	registerDisk()
	theDisk.reset()
	config := Config{Dir: dataDir(t), TouchDelay: time.Millisecond}
	s := openQuick(t, config)
	follow(t, s, feedURL)
	came := make(chan struct{})
	theDisk.mu.Lock()
	theDisk.onChange = func() {
		theDisk.onChange = nil
		s.Content.RecordUnchanged(content.Record{URL: feedURL, Health: tidings.HealthGood, Failures: 2})
		close(came)
	}
	theDisk.mu.Unlock()
	s.Content.RecordUnchanged(content.Record{URL: feedURL, Health: tidings.HealthFailing, Failures: 1,
		Memory: []byte("m")})
	<-came
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openQuick(t, config)
	if w, err := s.Content.Watch(t.Context(), feedURL); err != nil || w.Failures != 2 ||
		w.Health != tidings.HealthGood || string(w.Memory) != "m" {
		t.Errorf("watch: %+v, %v", w, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
