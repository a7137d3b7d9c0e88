package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
)

// withStories makes a store whose owner follows a channel with some unread stories. It returns them by their names.
func withStories(t testing.TB, s *Store, names ...string) map[string]tidings.Entry {
	t.Helper()
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"first", "x"}) // which is there before it is followed
	var all []story
	for _, name := range names {
		all = append(all, story{name, "x"})
	}
	publish(t, s, feedURL, append(all, story{"first", "x"})...)
	return entriesByName(t, s)
}

func entriesByName(t testing.TB, s *Store) map[string]tidings.Entry {
	t.Helper()
	entries, err := s.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{Limit: tidings.MaxLimit, ByDate: true})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]tidings.Entry)
	for _, e := range entries {
		found[e.Content.Title[len("Story "):]] = e
	}
	return found
}

func mustApply(t testing.TB, s *Store, marks ...tidings.Mark) {
	t.Helper()
	if err := NewMarks(s).Apply(t.Context(), tidings.Owner, marks); err != nil {
		t.Fatal(err)
	}
}

// mustCount checks that the channel has so many unread items.
func mustCount(t testing.TB, s *Store, unread int) {
	t.Helper()
	c, err := s.Channel(t.Context(), tidings.Owner, feedURL)
	if err != nil || c.Unread != unread {
		t.Errorf("%d items are unread, want %d; error %v", c.Unread, unread, err)
	}
}

// Of what was done to an item on several devices the latest counts, in whatever order the node learns of it, and
// however often.
func TestTheLatestMarkCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		clk := newClock()
		s := newStore(t, func(c *Config) { c.Now = clk.now })
		defer s.Close()
		entries := withStories(t, s, "a", "b")
		start := clk.now()
		clk.add(time.Hour)
		names := []string{"a", "b"}
		actions := []tidings.MarkAction{tidings.MarkRead, tidings.MarkUnread, tidings.MarkStarred,
			tidings.MarkUnstarred}
		var marks []tidings.Mark
		read, starred := map[string]bool{}, map[string]bool{}
		for i := range rapid.IntRange(1, 12).Draw(rt, "marks") {
			name, do := rapid.SampledFrom(names).Draw(rt, "name"), rapid.SampledFrom(actions).Draw(rt, "do")
			marks = append(marks,
				tidings.Mark{Do: do, Entry: entries[name].ID, At: start.Add(time.Duration(i+1) * time.Minute)})
			switch do {
			case tidings.MarkRead, tidings.MarkUnread:
				read[name] = do == tidings.MarkRead
			default:
				starred[name] = do == tidings.MarkStarred
			}
		}
		arrived := rapid.Permutation(marks).Draw(rt, "arrived")
		if rapid.Bool().Draw(rt, "again") {
			arrived = append(arrived, arrived[:rapid.IntRange(0, len(arrived)).Draw(rt, "how many")]...)
		}
		for part := range slices.Chunk(arrived, rapid.IntRange(1, 5).Draw(rt, "at once")) {
			mustApply(t, s, part...)
		}
		unread := 0
		for name, e := range entriesByName(t, s) {
			if name == "first" {
				continue
			}
			if e.Read != read[name] || e.Starred != starred[name] {
				rt.Errorf("%s is read %v, starred %v; want %v, %v", name, e.Read, e.Starred, read[name], starred[name])
			}
			if !e.Read {
				unread++
			}
		}
		mustCount(t, s, unread+1)
	})
}

// What a person does at the node counts against what was done before on a device, and not against what is done there
// later.
func TestMarksAtTheNodeAreLater(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx, entries := t.Context(), withStories(t, s, "a", "b", "c")
	before := clk.now()
	clk.add(time.Hour)
	a, b, c := entries["a"], entries["b"], entries["c"]
	err := errors.Join(s.Reader.MarkRead(ctx, tidings.Owner, []int64{a.Item}, true),
		s.Reader.MarkRead(ctx, tidings.Owner, []int64{a.Item}, false),
		s.Reader.Star(ctx, tidings.Owner, b.Item, true), s.Reader.Star(ctx, tidings.Owner, b.Item, false))
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, tidings.Mark{Do: tidings.MarkRead, Entry: a.ID, At: before},
		tidings.Mark{Do: tidings.MarkStarred, Entry: a.ID, At: before},
		tidings.Mark{Do: tidings.MarkStarred, Entry: b.ID, At: before},
		tidings.Mark{Do: tidings.MarkRead, Entry: b.ID, At: before})
	got := entriesByName(t, s)
	if got["a"].Read || !got["a"].Starred || !got["b"].Read || got["b"].Starred {
		t.Errorf("a: read %v, starred %v; b: read %v, starred %v", got["a"].Read, got["a"].Starred, got["b"].Read,
			got["b"].Starred)
	}
	// A clock that is ahead does not make a mark count for ever.
	mustApply(t, s, tidings.Mark{Do: tidings.MarkRead, Entry: c.ID, At: clk.now().Add(1000 * time.Hour)})
	if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{c.Item}, false); err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, tidings.Mark{Do: tidings.MarkRead, Entry: c.ID, At: clk.now()})
	if !entriesByName(t, s)["c"].Read {
		t.Error("a mark of now does not count after one of a clock that is ahead")
	}
}

// A revision that a person has not seen stays unread, also if an earlier one was read without a network meanwhile.
func TestARevisionThatWasNotSeenStaysUnread(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	seen := withStories(t, s, "a")["a"]
	at := clk.now()
	publish(t, s, feedURL, story{"a", "revised"}, story{"first", "x"})
	mustApply(t, s, tidings.Mark{Do: tidings.MarkRead, Entry: seen.ID, At: at},
		tidings.Mark{Do: tidings.MarkStarred, Entry: seen.ID, At: at})
	if got := entriesByName(t, s)["a"]; got.ID == seen.ID || got.Read || !got.Starred {
		t.Errorf("entry %d after %d: read %v, starred %v", got.ID, seen.ID, got.Read, got.Starred)
	}
}

// All is marked read that the person could see, in one channel or up to a date. What was marked unread later stays
// unread.
func TestAllWasReadAtATime(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	entries := withStories(t, s, "a", "b", "c")
	at := clk.now()
	newest := int64(0)
	for _, e := range entries {
		newest = max(newest, e.ID)
	}
	if err := errors.Join(s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{entries["b"].Item}, true),
		s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{entries["b"].Item}, false)); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"later", "x"}, story{"c", "x"}, story{"b", "x"}, story{"a", "x"}, story{"first", "x"})
	all := tidings.Mark{Do: tidings.MarkAllRead, Entry: newest, At: at}
	elsewhere, old := all, all
	elsewhere.Query.Folder = "elsewhere"
	old.Query.ByDate, old.Query.Behind = true, tidings.Place{Dated: at.Add(-24 * time.Hour), Item: 1}
	mustApply(t, s, elsewhere, old)
	mustCount(t, s, 5)
	mustApply(t, s, all, tidings.Mark{Do: tidings.MarkUnread, Entry: entries["a"].ID, At: at.Add(time.Microsecond)})
	want := map[string]bool{"first": true, "a": false, "b": false, "c": true, "later": false}
	for name, e := range entriesByName(t, s) {
		if e.Read != want[name] {
			t.Errorf("%s is read: %v", name, e.Read)
		}
	}
}

// What cannot be applied is passed over, and does not keep what comes behind it: what is gone, another person's, and
// one star too many. What is no mark is refused before anything is applied.
func TestMarksThatCannotBeApplied(t *testing.T) {
	t.Parallel()
	s := newStore(t, func(c *Config) { c.ReaderStarred = 1 })
	ctx := t.Context()
	entries := withStories(t, s, "a", "b")
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann := addPerson(t, s, "ann", tidings.Reader)
	at := time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC)
	apply := func(marks ...tidings.Mark) error { return NewMarks(s).Apply(ctx, ann, marks) }
	if err := apply(tidings.Mark{Do: tidings.MarkRead, Entry: entries["a"].ID, At: at}); err != nil {
		t.Fatal(err)
	}
	mustCount(t, s, 3)
	if _, _, err := s.Subscribe(ctx, ann, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	if err := apply(tidings.Mark{Do: tidings.MarkUnread, Entry: 1 << 40, At: at},
		tidings.Mark{Do: tidings.MarkStarred, Entry: entries["a"].ID, At: at},
		tidings.Mark{Do: tidings.MarkStarred, Entry: entries["b"].ID, At: at},
		tidings.Mark{Do: tidings.MarkUnread, Entry: entries["b"].ID, At: at}); err != nil {
		t.Fatal(err)
	}
	starred, err := s.Entries(ctx, ann, tidings.EntryQuery{Starred: true})
	unread, err2 := s.Entries(ctx, ann, tidings.EntryQuery{Unread: true})
	if err = errors.Join(err, err2); err != nil || len(starred) != 1 || starred[0].ID != entries["a"].ID ||
		!slices.ContainsFunc(unread, func(e tidings.Entry) bool { return e.ID == entries["b"].ID }) {
		t.Errorf("starred: %+v, unread: %+v, error %v", starred, unread, err)
	}
	good := tidings.Mark{Do: tidings.MarkRead, Entry: entries["b"].ID, At: at}
	for what, bad := range map[string][]tidings.Mark{
		"an unknown action": {good, {Do: "burn", Entry: 1, At: at}},
		"no entry":          {good, {Do: tidings.MarkRead, At: at}},
		"no time":           {good, {Do: tidings.MarkRead, Entry: 1}},
		"too many":          slices.Repeat([]tidings.Mark{good}, tidings.MaxMarks+1),
	} {
		if err := apply(bad...); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if after, err := s.Entries(ctx, ann, tidings.EntryQuery{Unread: true}); err != nil || len(after) != len(unread) {
		t.Errorf("refused marks were applied: %v, error %v", fmt.Sprint(len(after), " unread"), err)
	}
}
