package store

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/shared"
)

// publishedAt applies another node's report of a document, as the network's version of a number.
func publishedAt(t *testing.T, s *Store, url string, number uint64, h shared.Hash, f *tidings.Change) *tidings.Update {
	t.Helper()
	f.FoundBy, f.ConfirmedBy = "finder", []string{"w1", "w2"}
	u, err := apply(t.Context(), s, Remote{Version: shared.Version{URL: url, Number: number, Hash: h}, Change: f})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// lie is why an update is withdrawn.
var lie = tidings.Withdrawal{Time: time.Unix(1700000000, 0).UTC(), Reason: "the origin does not show it",
	VouchedBy: []string{"giver", "finder", "w1", "w2"}}

func withdraw(t *testing.T, s *Store, url string, number uint64, h shared.Hash) {
	t.Helper()
	if _, err := s.Apply(t.Context(), Withdrawal{shared.Version{URL: url, Number: number, Hash: h}, lie}); err != nil {
		t.Fatal(err)
	}
}

// withdrawn returns the versions of a channel that are, as its updates and as its entries say.
func withdrawn(t *testing.T, s *Store, url string) (versions []tidings.Version) {
	t.Helper()
	updates, err := s.Reader.Updates(t.Context(), tidings.Owner,
		tidings.UpdateQuery{Channel: url, Limit: tidings.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range updates {
		if u.Withdrawn != nil {
			if !reflect.DeepEqual(*u.Withdrawn, lie) {
				t.Errorf("version %d is withdrawn: %+v", u.Version, *u.Withdrawn)
			}
			versions = append(versions, u.Version)
		}
	}
	for _, e := range river(t, s, tidings.EntryQuery{Channel: url, Limit: tidings.MaxLimit}) {
		if (e.Withdrawn != nil) != slices.Contains(versions, e.Version) {
			t.Errorf("the entry %q of version %d: withdrawn %v", e.Content.Title, e.Version, e.Withdrawn)
		}
	}
	return versions
}

// If other nodes report what the origin does not show, that is marked, and stays. The mark goes once a poll of this
// node finds all of it, and not before.
func TestWhatIsFalseIsWithdrawnAndComesBack(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "one"})
	h := hashed(7)
	u := publishedAt(t, s, feedURL, 9, h, document(t, s, feedURL, story{"b", "false"}, story{"c", "false too"},
		story{"a", "one"}))
	for _, other := range []shared.Version{{URL: feedURL, Number: 8, Hash: h},
		{URL: feedURL, Number: 9, Hash: hashed(8)}, {URL: pageURL, Number: 9, Hash: h}} {
		withdraw(t, s, other.URL, other.Number, other.Hash)
		if got := withdrawn(t, s, feedURL); len(got) != 0 {
			t.Fatalf("%+v has withdrawn %d", other, got)
		}
	}
	withdraw(t, s, feedURL, 9, h)
	for _, poll := range [][]story{
		{{"a", "one"}},
		{{"a", "two"}},
		{{"b", "false"}, {"a", "two"}}, // half of it
		{{"b", "false"}, {"c", "something else"}, {"a", "two"}}, // another text
	} {
		if got := withdrawn(t, s, feedURL); !slices.Equal(got, []tidings.Version{u.Version}) {
			t.Fatalf("withdrawn: %d", got)
		}
		publish(t, s, feedURL, poll...)
	}
	if got := withdrawn(t, s, feedURL); !slices.Equal(got, []tidings.Version{u.Version}) {
		t.Fatalf("withdrawn: %d", got)
	}
	before := len(river(t, s, tidings.EntryQuery{}))
	v := publishedAt(t, s, feedURL, 10, hashed(9), document(t, s, feedURL, story{"d", "true"}, story{"a", "two"}))
	withdraw(t, s, feedURL, 10, hashed(9))
	// others say it again
	publishedAt(t, s, feedURL, 11, hashed(10), document(t, s, feedURL, story{"a", "two"}, story{"d", "true"}))
	if got := withdrawn(t, s, feedURL); !slices.Equal(got, []tidings.Version{u.Version, v.Version}) {
		t.Fatalf("withdrawn: %d", got)
	}
	part := document(t, s, feedURL, story{"d", "true"})
	part.Partial = true
	record(t, s, content.Record{URL: feedURL, Change: part})
	if got := withdrawn(t, s, feedURL); !slices.Equal(got, []tidings.Version{u.Version, v.Version}) {
		t.Fatalf("after a part of the document, withdrawn: %d", got)
	}
	publish(t, s, feedURL, story{"d", "true"}, story{"a", "two"})
	if got := withdrawn(t, s, feedURL); !slices.Equal(got, []tidings.Version{u.Version}) {
		t.Fatalf("withdrawn: %d", got)
	}
	if now := len(river(t, s, tidings.EntryQuery{})); now != before+1 {
		t.Errorf("%d entries, not %d", now, before+1)
	}
	mustBeSoundNow(t, s)
}

// Of a page it is the lines that have to be there.
func TestAPagesVersionIsWithdrawnAndComesBack(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, pageURL)
	one, two, three := []string{"one"}, []string{"two"}, []string{"three"}
	record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, one)})
	u := publishedAt(t, s, pageURL, 3, hashed(1), pageChange(one, two))
	withdraw(t, s, pageURL, 3, hashed(1))
	for _, step := range [][2][]string{{two, one}, {one, three}} {
		record(t, s, content.Record{URL: pageURL, Change: pageChange(step[0], step[1])})
		if got := withdrawn(t, s, pageURL); !slices.Equal(got, []tidings.Version{u.Version}) {
			t.Fatalf("withdrawn: %d", got)
		}
	}
	record(t, s, content.Record{URL: pageURL, Change: pageChange(three, two)})
	if got := withdrawn(t, s, pageURL); len(got) != 0 {
		t.Fatalf("withdrawn: %d", got)
	}
}

// What a query has selected from an update is withdrawn with it, and comes back with it; what it has from others is
// not.
func TestWhatAQueryHasSelectedIsWithdrawnToo(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	query := tidings.QueryURL("subject = 'a'")
	if _, _, err := s.Subscribe(t.Context(), tidings.Owner,
		Subscription{URL: query, Kind: tidings.KindQuery, Privacy: tidings.Unlisted}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"a", "one"})
	selected := func(from, id string, found time.Time) {
		f := changeOf(nil, story{id, "text"})
		f.Partial, f.Found, f.FoundBy = true, found, "finder"
		f.Items[0].Source = &tidings.Source{URL: from}
		if _, err := s.Apply(t.Context(), Remote{Version: shared.Version{URL: query}, Change: f}); err != nil {
			t.Fatal(err)
		}
	}
	f := document(t, s, feedURL, story{"b", "false"}, story{"a", "one"})
	publishedAt(t, s, feedURL, 9, hashed(7), f)
	selected(feedURL, "b", f.Found)
	selected("https://example.org/other", "x", f.Found)
	selected(feedURL, "y", f.Found.Add(time.Second))
	withdraw(t, s, feedURL, 9, hashed(7))
	if got := withdrawn(t, s, query); !slices.Equal(got, []tidings.Version{1}) {
		t.Errorf("withdrawn of the query: %d", got)
	}
	publish(t, s, feedURL, story{"a", "one"})
	publish(t, s, feedURL, story{"b", "false"}, story{"a", "one"})
	if got := withdrawn(t, s, query); len(got) != 0 {
		t.Errorf("withdrawn of the query: %d", got)
	}
}

// An update names the nodes that have confirmed it: those that it came with, and those that have seen it since. Their
// number is bounded.
func TestWhoHasConfirmedAnUpdate(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	follow(t, s, feedURL)
	first := document(t, s, feedURL, story{"a", "one"})
	own := foundHash(first)
	recordNamed(t, s, Record{Record: content.Record{URL: feedURL, Change: first}, Named: true})
	confirmed := func(version tidings.Version, want string) {
		t.Helper()
		updates, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(updates[version-1].ConfirmedBy, " "); got != want {
			t.Errorf("version %d is confirmed by %q, not %q", version, got, want)
		}
		for _, e := range river(t, s, tidings.EntryQuery{}) {
			if got := strings.Join(e.ConfirmedBy, " "); e.Version == version && got != want {
				t.Errorf("an entry of version %d is confirmed by %q, not %q", version, got, want)
			}
		}
	}
	number := func(given shared.Version, seen content.Seen) {
		t.Helper()
		if err := s.Number(t.Context(), given, seen); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.SetSetting(t.Context(), "written", "after it"); err != nil {
			t.Fatal(err)
		}
	}
	confirmed(1, "")
	// n1 is its finder
	number(shared.Version{URL: feedURL, Number: 4, Hash: own},
		content.Seen{FoundBy: "n1", Found: time.Unix(1600000000, 0), ConfirmedBy: []string{"x", "y"}})
	confirmed(1, "x y")
	publishedAt(t, s, feedURL, 5, hashed(2), document(t, s, feedURL, story{"b", "two"}, story{"a", "one"}))
	confirmed(2, "w1 w2")
	number(shared.Version{URL: feedURL, Hash: hashed(2)}, content.Seen{ConfirmedBy: []string{"me"}})
	number(shared.Version{URL: feedURL, Hash: hashed(2)}, content.Seen{ConfirmedBy: []string{"me"}})
	confirmed(2, "me w1 w2")
	number(shared.Version{URL: feedURL, Hash: hashed(2)}, content.Seen{ConfirmedBy: strings.Fields("1 2 3 4 5 6 7 w1")})
	confirmed(2, "1 2 3 4 5 6 7 me")
	// A node that found it earlier is its finder; one that found it later has confirmed it.
	number(shared.Version{URL: feedURL, Number: 6, Hash: hashed(2)},
		content.Seen{FoundBy: "late", Found: time.Unix(1700000000, 0)})
	confirmed(2, "late 1 2 3 4 5 6 7")
	number(shared.Version{URL: feedURL, Number: 6, Hash: own},
		content.Seen{FoundBy: "early", Found: time.Unix(1699999999, 0), ConfirmedBy: []string{"early", "x"}})
	confirmed(1, "n1 x y")
	if e := river(t, s, tidings.EntryQuery{Channel: feedURL}); e[len(e)-1].FoundBy != "early" ||
		e[0].FoundBy != "finder" {
		t.Errorf("found by %s and %s", e[len(e)-1].FoundBy, e[0].FoundBy)
	}
	// A content without an update of its own confirms none.
	without := document(t, s, feedURL, story{"b", "two"})
	recordNamed(t, s, Record{Record: content.Record{URL: feedURL, Change: without}, Named: true})
	number(shared.Version{URL: feedURL, Hash: foundHash(without)},
		content.Seen{FoundBy: "z", Found: time.Unix(1, 0), ConfirmedBy: []string{"z"}})
	confirmed(1, "n1 x y")
	confirmed(2, "late 1 2 3 4 5 6 7")
	if v, err := s.Shared.Version(t.Context(), feedURL); err != nil || v.Number != 6 {
		t.Errorf("the network's version is %d, %v", v.Number, err)
	}
}

// What a publisher has signed needs no node that has seen it: such an update keeps its finder, and gets no
// confirmation.
func TestASignedUpdateIsNotConfirmed(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "ab"} {
		s := newStore(t)
		follow(t, s, feedURL)
		f := document(t, s, feedURL, story{"a", "one"})
		f.FoundBy, f.SignedBy = "finder", key
		given := shared.Version{URL: feedURL, Number: 1, Hash: hashed(1)}
		if _, err := s.Apply(t.Context(), Remote{Version: given, Change: f}); err != nil {
			t.Fatal(err)
		}
		if err := s.Number(t.Context(), given,
			content.Seen{FoundBy: "early", Found: time.Unix(1, 0), ConfirmedBy: []string{"w"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.SetSetting(t.Context(), "written", "after it"); err != nil {
			t.Fatal(err)
		}
		want := "early finder w"
		if key != "" {
			want = "finder"
		}
		e := river(t, s, tidings.EntryQuery{})[0]
		if got := strings.TrimSpace(e.FoundBy + " " + strings.Join(e.ConfirmedBy, " ")); got != want {
			t.Errorf("signed by %q: found and confirmed by %q, not %q", key, got, want)
		}
	}
}
