package store

import (
	"fmt"
	"testing"
	"time"

	"tidings"
)

// pruneAll prunes until a pass is done.
func pruneAll(t testing.TB, s *Store, now time.Time) {
	t.Helper()
	for range 10_000 {
		done, err := s.Prune(t.Context(), now, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return
		}
	}
	t.Fatal("pruning does not end")
}

const day = 24 * time.Hour

func TestPruneByAge(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	follow(t, s, feedURL)
	follow(t, s, pageURL)
	publish(t, s, feedURL, story{"gone", "1"}, story{"starred", "1"}, story{"listed", "1"}, story{"edited", "1"})
	record(t, s, Record{URL: pageURL, Change: pageChange(nil, []string{"1"})})
	record(t, s, Record{URL: pageURL, Change: pageChange([]string{"1"}, []string{"2"})})
	for _, e := range river(t, s, tidings.EntryQuery{}) {
		if e.Content.ID == "starred" {
			if err := s.Star(ctx, tidings.Owner, e.Item, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	clk.add(300 * day)
	publish(t, s, feedURL, story{"new", "1"}, story{"listed", "1"}, story{"edited", "2"})
	pruneAll(t, s, clk.now())
	if got := len(river(t, s, tidings.EntryQuery{})); got != 8 {
		t.Fatalf("%d entries before their time, want 8", got)
	}

	clk.add(100 * day) // what came first is older than a year now
	pruneAll(t, s, clk.now())
	var got []string
	for _, e := range river(t, s, tidings.EntryQuery{}) {
		got = append(got, e.Content.ID)
	}
	// The page keeps its latest version, although it is old too.
	if want := "[new edited  starred listed]"; fmt.Sprint(got) != want {
		t.Errorf("kept %q, want %s", got, want)
	}
	f, err := s.Channel(ctx, tidings.Owner, feedURL)
	if err != nil || f.Unread != 4 {
		t.Errorf("%d unread, want 4 (%v)", f.Unread, err)
	}
	if lines, _, v, err := s.Lines(ctx, pageURL); err != nil || v != 2 || lines[0] != "2" {
		t.Errorf("lines: %q %d %v", lines, v, err)
	}
	if found := river(t, s, tidings.EntryQuery{Search: "gone"}); len(found) != 0 {
		t.Errorf("search finds what is removed: %+v", found)
	}
	_, err = s.State(ctx, feedURL, 1)
	mustErr(t, err, tidings.ErrNotFound)
	if state, err := s.State(ctx, feedURL, 2); err != nil || len(state.Items) != 3 {
		t.Errorf("latest state: %+v, %v", state, err)
	}
	// Nothing comes back as new.
	if u := publish(t, s, feedURL, story{"gone", "1"}, story{"edited", "2"}); u != nil {
		t.Errorf("came back: %+v", u)
	}
	if u := publish(t, s, feedURL, story{"gone", "2"}); u == nil || u.Version != 3 || u.Items[0].Change != tidings.Changed {
		t.Errorf("a removed item that changed: %+v", u)
	}
}

func TestPruneByCountAndMarks(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.Retention = Retention{Versions: 3, Marks: 2} })
	follow(t, s, feedURL)
	for i := range 10 {
		publish(t, s, feedURL, story{fmt.Sprint(i), "x"})
	}
	pruneAll(t, s, time.Now())
	updates, err := s.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{})
	if err != nil || len(updates) != 3 || updates[0].Version != 8 {
		t.Errorf("updates: %+v, %v", updates, err)
	}
	known, err := s.KnownItems(t.Context(), feedURL)
	if err != nil || len(known) != 5 {
		t.Errorf("%d items are known, want the 3 kept and 2 marks (%v)", len(known), err)
	}
}

func TestPruneBySize(t *testing.T) {
	t.Parallel()
	limit, updates := int64(1<<20), 200
	if testing.Short() {
		limit, updates = 640<<10, 40 // of which the empty tables take a part
	}
	s := newStore(t, func(c *Config) { c.Retention = Retention{Bytes: limit} })
	for i := range 3 {
		follow(t, s, channelURL(i))
	}
	for i := range updates {
		publish(t, s, channelURL(i%3), story{fmt.Sprint(i), words(i, 3000)})
	}
	pruneAll(t, s, time.Now())
	conn, err := s.readers.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.readers.Put(conn)
	if live, err := liveBytes(conn); err != nil || live > limit {
		t.Errorf("%d bytes are in use, limit %d (%v)", live, limit, err)
	}
	left, err := s.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Limit: 1000})
	if err != nil || len(left) < 10 || len(left) == updates || left[len(left)-1].ID != int64(updates) {
		t.Errorf("of %d updates %d are left, %v", updates, len(left), err)
	}
}

func TestPruneOrphans(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	for _, url := range []string{feedURL, pageURL} {
		follow(t, s, url)
		publish(t, s, url, story{"a", "x"}, story{"b", "y"})
	}
	starred := river(t, s, tidings.EntryQuery{Channel: pageURL})[0]
	if err := s.Star(ctx, tidings.Owner, starred.Item, true); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{feedURL, pageURL} {
		if _, err := s.Unsubscribe(ctx, tidings.Owner, url); err != nil {
			t.Fatal(err)
		}
	}
	clk.add(29 * day)
	pruneAll(t, s, clk.now())
	if stats, err := s.Stats(ctx); err != nil || stats.Items != 4 || stats.Channels != 0 {
		t.Fatalf("before its time: %+v, %v", stats, err)
	}
	clk.add(2 * day)
	pruneAll(t, s, clk.now())
	if stats, err := s.Stats(ctx); err != nil || stats.Items != 2 {
		t.Fatalf("after its time: %+v, %v", stats, err)
	}
	if f := follow(t, s, feedURL); f.Version != 0 || f.Unread != 0 {
		t.Errorf("the removed channel: %+v", f)
	}
	if u := publish(t, s, feedURL, story{"a", "x"}); u.Version != 1 || u.ID != 3 {
		t.Errorf("begins anew with %+v", u)
	}
	follow(t, s, pageURL)
	if got := river(t, s, tidings.EntryQuery{Starred: true}); len(got) != 1 || got[0].ID != starred.ID {
		t.Errorf("what is starred in a channel that nobody follows is lost: %+v", got)
	}
}

func TestRetentionWithoutLimits(t *testing.T) {
	s := newStore(t, func(c *Config) { c.Retention = Retention{Age: -1, Versions: -1, Bytes: -1, Marks: -1, Orphans: -1} })
	follow(t, s, feedURL)
	for i := range 5 {
		publish(t, s, feedURL, story{fmt.Sprint(i), "x"})
	}
	pruneAll(t, s, time.Now().Add(100*365*day))
	if got := len(river(t, s, tidings.EntryQuery{})); got != 5 {
		t.Errorf("%d entries are left", got)
	}
}

func TestPruneStopsWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	follow(t, s, feedURL)
	for i := range 3 * pruneBatch {
		publish(t, s, feedURL, story{fmt.Sprint(i), "x"})
	}
	now := clk.now().Add(400 * day)
	calls := 1
	for {
		done, err := s.Prune(t.Context(), now, 0)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			break
		}
		calls++
	}
	if calls < 4 || len(river(t, s, tidings.EntryQuery{})) != 1 {
		t.Errorf("%d calls", calls)
	}
}
