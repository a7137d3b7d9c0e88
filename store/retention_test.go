package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/shared"
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
	record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, []string{"1"})})
	record(t, s, content.Record{URL: pageURL, Change: pageChange([]string{"1"}, []string{"2"})})
	for _, e := range river(t, s, tidings.EntryQuery{}) {
		if e.Content.ID == "starred" {
			if err := s.Reader.Star(ctx, tidings.Owner, e.Item, true); err != nil {
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
	if lines, _, v, err := s.Content.Lines(ctx, pageURL); err != nil || v != 2 || lines[0] != "2" {
		t.Errorf("lines: %q %d %v", lines, v, err)
	}
	if found := river(t, s, tidings.EntryQuery{Search: "gone"}); len(found) != 0 {
		t.Errorf("search finds what is removed: %+v", found)
	}
	_, err = s.Content.State(ctx, feedURL, 1)
	mustErr(t, err, tidings.ErrNotFound)
	if state, err := s.Content.State(ctx, feedURL, 2); err != nil || len(state.Items) != 3 {
		t.Errorf("latest state: %+v, %v", state, err)
	}
	// Nothing comes back as new.
	if u := publish(t, s, feedURL, story{"gone", "1"}, story{"edited", "2"}); u != nil {
		t.Errorf("came back: %+v", u)
	}
	if u := publish(t, s, feedURL, story{"gone", "2"}); u == nil || u.Version != 3 ||
		u.Items[0].Change != tidings.Changed {
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
	updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{})
	if err != nil || len(updates) != 3 || updates[0].Version != 8 {
		t.Errorf("updates: %+v, %v", updates, err)
	}
	known, err := s.Content.KnownItems(t.Context(), feedURL)
	if err != nil || len(known) != 5 {
		t.Errorf("%d items are known, want the 3 kept and 2 marks (%v)", len(known), err)
	}
}

// Versions of two channels that came in turns go together: what is removed of one leaves nothing of the other.
func TestPruneByCountOfTwoChannels(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.Retention = Retention{Versions: 1, Marks: 10} })
	for i := range 2 {
		follow(t, s, channelURL(i))
	}
	const versions = 4
	for i := range 2 * versions {
		publish(t, s, channelURL(i%2), story{fmt.Sprint(i), "x"})
	}
	pruneAll(t, s, time.Now())
	left := 0
	if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
		_, err := db.One(conn, `SELECT count(*) FROM revision`, func(r *sqlite.Stmt) { left = r.ColumnInt(0) })
		return err
	}); err != nil || left != 2 {
		t.Errorf("of %d entries %d are left, %v; want the latest of each channel", 2*versions, left, err)
	}
	mustBeSoundNow(t, s)
}

func TestPruneBySize(t *testing.T) {
	t.Parallel()
	limit, updates := int64(1<<20), 200
	if testing.Short() {
		limit, updates = 912<<10, 40 // including the empty tables
	}
	s := newStore(t, func(c *Config) { c.Retention = Retention{Bytes: limit} })
	for i := range 3 {
		follow(t, s, channelURL(i))
	}
	for i := range updates {
		publish(t, s, channelURL(i%3), story{fmt.Sprint(i), words(i, 3000)})
	}
	pruneAll(t, s, time.Now())
	var live int64
	if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) (err error) {
		live, err = db.LiveBytes(conn)
		return err
	}); err != nil || live > limit {
		t.Errorf("%d bytes are in use, limit %d (%v)", live, limit, err)
	}
	left, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Limit: 1000})
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
	if err := s.Reader.Star(ctx, tidings.Owner, starred.Item, true); err != nil {
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
	s := newStore(t, func(c *Config) {
		c.Retention = Retention{Age: -1, Versions: -1, Bytes: -1, Marks: -1, Orphans: -1}
	})
	follow(t, s, feedURL)
	for i := range 5 {
		publish(t, s, feedURL, story{fmt.Sprint(i), "x"})
	}
	pruneAll(t, s, time.Now().Add(100*365*day))
	if got := len(river(t, s, tidings.EntryQuery{})); got != 5 {
		t.Errorf("%d entries are left", got)
	}
}

const pruneBatch = 64 // versions that one search for work returns

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

// A channel is shown to nobody while it is being removed, however long that lasts.
func TestWhatIsBeingRemovedIsNotShown(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	follow(t, s, feedURL)
	const versions = pruneBatch + 5
	for i := range versions {
		publish(t, s, feedURL, story{"a", fmt.Sprint(i)})
	}
	if err := s.Name(ctx, feedURL, hashed(1), shared.Version{URL: feedURL, Number: 3, Hash: hashed(1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Unsubscribe(ctx, tidings.Owner, feedURL); err != nil {
		t.Fatal(err)
	}
	clk.add(400 * day)
	between := 0
	for done := false; !done; {
		var err error
		if done, err = s.Prune(ctx, clk.now(), 0); err != nil {
			t.Fatal(err)
		}
		stats, err := s.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Items > 0 {
			between++
		}
		if all, err := s.Content.PublicUpdates(ctx, content.PublicQuery{}); err != nil || len(all) > 0 {
			t.Fatalf("%d updates with %d items left, the first %+v: %v", len(all), stats.Items, all[0], err)
		}
		if all, err := s.Shared.Versions(ctx); err != nil || len(all) > 0 {
			t.Fatalf("versions %+v with %d items left: %v", all, stats.Items, err)
		}
	}
	if between == 0 {
		t.Error("it was removed at once")
	}
}

// TestPruneInStepsIsAsPruneAtOnce prunes two equal stores: one in a pass, one in as many steps as there can be, closed
// in between.
func TestPruneInStepsIsAsPruneAtOnce(t *testing.T) {
	t.Parallel()
	clk := newClock()
	at := clk.now()
	config := func() Config {
		return Config{Dir: dataDir(t), Now: func() time.Time { return at },
			Retention: Retention{Age: 20 * day, Versions: 5, Marks: 7, Orphans: 2 * day}}
	}
	configs := []Config{config(), config()}
	stores := []*Store{mustOpen(t, configs[0]), mustOpen(t, configs[1])}
	each := func(do func(s *Store)) {
		for _, s := range stores {
			do(s)
		}
	}
	each(func(s *Store) { secondAccount(t, s) })
	const channels = 5
	for round := range 12 {
		at = at.Add(3 * day)
		each(func(s *Store) {
			for i := range channels {
				url := channelURL(i)
				if i == 3 {
					if err := s.Content.AddRelayed(t.Context(), url); err != nil {
						t.Fatal(err)
					}
				} else if round == 0 {
					follow(t, s, url)
				}
				if i == 4 && round > 9 {
					continue // nobody follows it any more
				}
				var all []story
				for k := range 12 {
					all = append(all, story{fmt.Sprint((round/2*3 + k) % 40), fmt.Sprint((round + k) / 7)})
				}
				publish(t, s, url, all...)
			}
			for n, e := range river(t, s, tidings.EntryQuery{Limit: 200}) {
				if (n+round)%31 == 0 && e.Channel != channelURL(4) {
					if err := s.Reader.Star(t.Context(), tidings.Owner, e.Item, !e.Starred); err != nil {
						t.Fatal(err)
					}
				}
				if (n+round)%13 == 0 {
					if err := s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{e.Item}, !e.Read); err != nil {
						t.Fatal(err)
					}
				}
			}
			if round == 9 {
				if _, err := s.Unsubscribe(t.Context(), tidings.Owner, channelURL(4)); err != nil {
					t.Fatal(err)
				}
			}
		})
		if round < 7 {
			continue
		}
		pruneAll(t, stores[0], at)
		steps := 0
		for done := false; !done; steps++ {
			if steps%20 == 7 {
				if err := stores[1].Close(); err != nil {
					t.Fatal(err)
				}
				stores[1] = mustOpen(t, configs[1])
			}
			var err error
			if done, err = stores[1].Prune(context.Background(), at, 0); err != nil {
				t.Fatal(err)
			}
		}
		if one, other := seen(t, stores[0], channels), seen(t, stores[1], channels); one != other {
			t.Fatalf("round %d, in %d steps: there is\n%s\nnot\n%s", round, steps, other, one)
		}
	}
	for i, s := range stores {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		mustBeSound(t, configs[i].Dir)
	}
}

// Of items whose content is gone the oldest are forgotten, again and again; those in the document are not.
func TestTheOldestItemsAreForgotten(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now, c.Retention.Age, c.Retention.Marks = clk.now, day, 3 })
	ctx := t.Context()
	follow(t, s, feedURL)
	for round := range 3 {
		var all []story
		for i := range 5 {
			all = append(all, story{fmt.Sprint(round, ".", i), fmt.Sprint(round, ".", i)})
		}
		publish(t, s, feedURL, all...)
		clk.add(2 * day)
		pruneAll(t, s, clk.now())
		known, err := s.Content.KnownItems(ctx, feedURL)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		if round > 0 {
			for i := 2; i < 5; i++ {
				want = append(want, markOf(fmt.Sprint(round-1, ".", i), "").ID)
			}
		}
		for _, st := range all {
			want = append(want, markOf(st.id, "").ID)
		}
		var got []uint64
		for _, k := range known {
			got = append(got, k.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("round %d: known are %v, want %v", round, got, want)
		}
	}
}
