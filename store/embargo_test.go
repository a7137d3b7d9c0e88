package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
)

// embargoed opens a store whose clock the test moves.
func embargoed(t testing.TB) (*Store, *clock, time.Time) {
	t.Helper()
	now := newClock()
	s := newStore(t, func(c *Config) { c.Now = now.now })
	follow(t, s, feedURL)
	return s, now, db.Stored(now.now().Add(time.Hour))
}

func mustRelease(t testing.TB, s *Store, want bool) {
	t.Helper()
	if released, err := s.Release(t.Context()); err != nil || released != want {
		t.Fatalf("released: %v, %v", released, err)
	}
}

func unreadIn(t testing.TB, s *Store) int {
	t.Helper()
	f, err := s.Channel(t.Context(), tidings.Owner, feedURL)
	if err != nil {
		t.Fatal(err)
	}
	return f.Unread
}

func TestAnItemUnderEmbargo(t *testing.T) {
	s, now, due := embargoed(t)
	publish(t, s, feedURL, story{"b", "other"})
	if u := deliver(t, s, version(1, until(due))); u != nil {
		t.Fatalf("told: %+v", u)
	}
	select {
	case <-s.Content.Embargoed():
	default:
		t.Error("nobody is told that it waits")
	}
	mustRelease(t, s, false)
	if all := readable(t, s); strings.Contains(all, "text1") {
		t.Errorf("it is shown: %s", all)
	}
	if got := river(t, s, tidings.EntryQuery{Search: "text1"}); len(got) > 0 {
		t.Errorf("it is found: %+v", got)
	}
	if u := deliver(t, s, version(1, until(due))); u != nil {
		t.Errorf("told at the next check: %+v", u)
	}
	if next, err := s.Content.NextEmbargo(t.Context()); err != nil || !next.Equal(due) {
		t.Errorf("the next embargo ends at %v, not %v: %v", next, due, err)
	}
	unread := unreadIn(t, s)

	now.add(2 * time.Hour)
	mustRelease(t, s, true)
	mustRelease(t, s, false)
	latest := river(t, s, tidings.EntryQuery{})[0]
	if latest.Content.Content != "<p>text1</p>" || latest.Change != tidings.New || latest.Read ||
		unreadIn(t, s) != unread+1 || latest.FoundBy != "n1" {
		t.Errorf("told as %+v, %d unread after %d", latest, unreadIn(t, s), unread)
	}
	if got := river(t, s, tidings.EntryQuery{Search: "text1"}); len(got) != 1 {
		t.Errorf("found: %+v", got)
	}
	updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{})
	if err != nil || len(updates) != 2 || len(updates[1].Items) != 1 {
		t.Errorf("updates: %+v, %v", updates, err)
	}
	if u := deliver(t, s, version(1, until(due))); u != nil {
		t.Errorf("told again: %+v", u)
	}
	if next, err := s.Content.NextEmbargo(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("the next embargo ends at %v: %v", next, err)
	}
	if state, err := s.Content.State(t.Context(), feedURL, 0); err != nil || len(state.Items) != 1 ||
		state.Items[0].ID != "a" {
		t.Errorf("the document now: %+v, %v", state, err)
	}
}

// The first document of a channel has nothing that may be shown.
func TestOnlyItemsUnderEmbargo(t *testing.T) {
	s, now, due := embargoed(t)
	deliver(t, s, version(1, until(due)))
	now.add(2 * time.Hour)
	mustRelease(t, s, true)
	state, err := s.Content.State(t.Context(), feedURL, 0)
	if err != nil || state.Version != 1 || len(state.Items) != 1 || state.Title != "A feed" {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestAnEmbargoOutlivesTheProcess(t *testing.T) {
	now := newClock()
	config := Default(dataDir(t))
	config.Now = now.now
	s := mustOpen(t, config)
	follow(t, s, feedURL)
	deliver(t, s, version(1, until(now.now().Add(time.Hour))))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now.add(2 * time.Hour)
	s = mustOpen(t, config)
	if next, err := s.Content.NextEmbargo(t.Context()); err != nil || next.IsZero() {
		t.Fatalf("forgotten: %v, %v", next, err)
	}
	mustRelease(t, s, true)
	if got := river(t, s, tidings.EntryQuery{}); len(got) != 1 {
		t.Errorf("shown: %+v", got)
	}
	mustBeSoundNow(t, s)
}

// What becomes of a revision that waits, and of what readers are shown at once and afterwards.
func TestVersionsUnderEmbargo(t *testing.T) {
	for _, c := range []struct {
		name         string
		come         func(due time.Time) []report
		before, then string // contents, the newest first
		change       tidings.ChangeKind
	}{
		{"of an item that is shown", func(due time.Time) []report {
			return []report{version(1), version(2, until(due))}
		}, "text1", "text2 text1", tidings.Changed},
		{"replaced", func(due time.Time) []report { return []report{version(1, until(due)), version(2, until(due))} },
			"", "text2", tidings.New},
		{"an earlier one comes", func(due time.Time) []report { return []report{version(2, until(due)), version(1)} },
			"", "text2", tidings.New},
		{"lifted", func(due time.Time) []report { return []report{version(1, until(due)), version(2)} }, "text2",
			"text2", tidings.New},
		{"killed", func(due time.Time) []report { return []report{version(1, until(due)), version(2, canceled)} },
			"by agency", "by agency", tidings.New},
		{"killed, after one that is shown", func(due time.Time) []report {
			return []report{version(1), version(2, until(due)), version(3, canceled)}
		},
			"by agency by agency", "by agency by agency", tidings.Changed},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, now, due := embargoed(t)
			for _, r := range c.come(due) {
				deliver(t, s, r)
			}
			shown := func() string {
				var all []string
				for _, e := range river(t, s, tidings.EntryQuery{}) {
					all = append(all, strings.Trim(e.Content.Content+e.Content.Summary, "</p>"))
				}
				return strings.Join(all, " ")
			}
			if got := shown(); got != c.before {
				t.Errorf("under embargo: %q, not %q", got, c.before)
			}
			now.add(2 * time.Hour)
			if _, err := s.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := shown(); got != c.then {
				t.Errorf("then: %q, not %q", got, c.then)
			}
			if latest := river(t, s, tidings.EntryQuery{})[0]; latest.Change != c.change {
				t.Errorf("told as %s, not %s", latest.Change, c.change)
			}
		})
	}
}

// A publisher's word for a revision that waits does not show it before its time.
func TestASignedItemUnderEmbargo(t *testing.T) {
	s, now, due := embargoed(t)
	deliver(t, s, version(1))
	deliver(t, s, version(2, until(due)))
	f := document(t, s, feedURL, story{"a", "x"})
	known, err := s.Content.KnownItems(t.Context(), feedURL)
	if err != nil {
		t.Fatal(err)
	}
	r := version(2, until(due))
	f.Partial, f.SignedBy = true, "key"
	f.Items[0] = tidings.FoundItem{Item: tidings.Item{ID: "a", Content: "<p>text2 in full</p>", News: &r.news},
		Row:  known[0].Row,
		Mark: known[0].ItemIdentity, Was: known[0].ItemIdentity, Signed: true}
	record(t, s, content.Record{URL: feedURL, Change: f})
	if all := readable(t, s); strings.Contains(all, "text2") {
		t.Errorf("it is shown: %s", all)
	}
	now.add(2 * time.Hour)
	mustRelease(t, s, true)
	if got := river(t, s, tidings.EntryQuery{}); len(got) != 2 || got[0].Content.Content != "<p>text2</p>" {
		t.Errorf("shown: %+v", got)
	}
}

// Pruning forgets the oldest marks of items without content, but not an item under embargo, even if that is older. It
// is shown when its embargo ends.
func TestWhatWaitsIsNotForgotten(t *testing.T) {
	now := newClock()
	s := newStore(t, func(c *Config) { c.Now, c.Retention.Versions, c.Retention.Marks = now.now, 1, 1 })
	follow(t, s, feedURL)
	deliver(t, s, version(1, until(now.now().Add(time.Hour))))
	rows := func() (rows []int64) {
		items, err := s.Content.KnownItems(t.Context(), feedURL)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			rows = append(rows, i.Row)
		}
		return rows
	}
	waits := rows()
	for _, id := range []string{"b", "c", "d"} {
		publish(t, s, feedURL, story{id, "other"})
	}
	all := rows()
	pruneAll(t, s, now.now())
	if got := rows(); len(waits) != 1 || len(all) != 4 || !slices.Equal(got, []int64{waits[0], all[3]}) {
		t.Errorf("known: %v, of %v; what waits is %v", got, all, waits)
	}
	now.add(2 * time.Hour)
	mustRelease(t, s, true)
	if latest := river(t, s, tidings.EntryQuery{})[0]; latest.Content.Content != "<p>text1</p>" {
		t.Errorf("shown: %+v", latest)
	}
}

// A channel that is being removed, of which nothing is left but what waits, keeps nobody busy.
func TestWhatWaitsOfAChannelThatIsGone(t *testing.T) {
	s, now, due := embargoed(t)
	deliver(t, s, version(1, until(due)))
	if err := s.write(t.Context(), func(x *content.Tx) error {
		return db.Exec(x.Conn, `DELETE FROM item`)
	}); err != nil {
		t.Fatal(err)
	}
	now.add(2 * time.Hour)
	if _, err := s.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if next, err := s.Content.NextEmbargo(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("the next embargo ends at %v: %v", next, err)
	}
}

// What changes quietly of a revision that waits changes nothing of the one that is shown.
func TestAQuietChangeUnderEmbargo(t *testing.T) {
	s, _, due := embargoed(t)
	deliver(t, s, version(1))
	deliver(t, s, version(2, until(due)))
	known, err := s.Content.KnownItems(t.Context(), feedURL)
	if err != nil {
		t.Fatal(err)
	}
	r := version(2, until(due))
	mark := known[0].ItemIdentity
	mark.Link++
	f := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: known[0].Row,
		Items: []tidings.FoundItem{{Item: tidings.Item{ID: "a", URL: "https://example.org/SECRET", News: &r.news},
			Row: known[0].Row, Mark: mark, Was: known[0].ItemIdentity, Quiet: true}}}
	record(t, s, content.Record{URL: feedURL, Change: f})
	if all := readable(t, s); strings.Contains(all, "SECRET") {
		t.Errorf("it is shown: %s", all)
	}
}

// Of items that are released together, the one that could be shown first is the older one.
func TestItemsAreReleasedInTheirOrder(t *testing.T) {
	s, now, due := embargoed(t)
	f := document(t, s, feedURL, story{"late", "x"}, story{"early", "x"})
	for i, after := range []time.Duration{time.Minute, 0} {
		f.Items[i].News = &tidings.News{GUID: f.Items[i].ID, Version: 1, Status: tidings.Usable,
			Embargo: due.Add(after)}
	}
	record(t, s, content.Record{URL: feedURL, Change: f})
	now.add(2 * time.Hour)
	mustRelease(t, s, true)
	if got := titles(river(t, s, tidings.EntryQuery{})); got != "late early" {
		t.Errorf("river %q", got)
	}
}

// Items of one document under several embargoes come one after the other; each is in the document from then on, and
// what was shown of one before counts as unread once.
func TestEmbargoesThatEndOneByOne(t *testing.T) {
	t.Parallel()
	s, now, due := embargoed(t)
	ctx := t.Context()
	f := document(t, s, feedURL, story{"early", "x"}, story{"late", "y"}, story{"third", "z"})
	for i := range f.Items {
		f.Items[i].News = &tidings.News{GUID: f.Items[i].ID, Version: 1, Embargo: due}
	}
	f.Items[1].News.Embargo = due.Add(time.Hour)
	record(t, s, content.Record{URL: feedURL, Change: f})
	for i, want := range [][]string{{"early", "third"}, {"early", "late", "third"}} {
		now.add(time.Hour)
		mustRelease(t, s, true)
		state, err := s.Content.State(ctx, feedURL, 0)
		var ids []string
		for _, i := range state.Items {
			ids = append(ids, i.ID)
		}
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, want) || unreadIn(t, s) != len(want) {
			t.Errorf("version %d has %q, %d unread, want %q: %v", i+1, ids, unreadIn(t, s), want, err)
		}
	}
	latest, err := s.Content.Content(ctx, feedURL)
	if err != nil || len(latest.Marks) != 3 {
		t.Errorf("the content has %d items: %v", len(latest.Marks), err)
	}
	// Another version of an unread item waits, and comes.
	f = document(t, s, feedURL, story{"early", "x2"}, story{"late", "y"}, story{"third", "z"})
	f.Items[0].News = &tidings.News{GUID: "early", Version: 2, Embargo: due.Add(5 * time.Hour)}
	record(t, s, content.Record{URL: feedURL, Change: f})
	now.add(6 * time.Hour)
	mustRelease(t, s, true)
	if n := unreadIn(t, s); n != 3 {
		t.Errorf("%d are unread once one of three has changed", n)
	}
}

// An item that a third party has sent under embargo is still marked as the third party's once the embargo is over.
func TestAThirdPartysItemUnderEmbargo(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	pinned(t, s)
	all := pushes(t, s, 5, story{"third party's", "x"})
	all = append(all, pushes(t, s, 6, story{"publisher's", "y"})...)
	for i := range all {
		f := all[i].Change
		f.FoundBy, f.SignedBy, f.ThirdParty = "", "ab", i == 0
		f.Items[0].News = &tidings.News{GUID: "urn:a", Version: 1, Embargo: clk.now().Add(time.Hour)}
	}
	if _, err := pushAll(t.Context(), s, all...); err != nil {
		t.Fatal(err)
	}
	clk.add(2 * time.Hour)
	mustRelease(t, s, true)
	entries := river(t, s, tidings.EntryQuery{})
	if len(entries) != 2 {
		t.Fatalf("%+v", entries)
	}
	for _, e := range entries {
		if e.SignedBy != "ab" || e.ThirdParty != (e.Content.ID == "third party's") {
			t.Errorf("%s is signed by %q, a third party's: %v", e.Content.ID, e.SignedBy, e.ThirdParty)
		}
	}
}
