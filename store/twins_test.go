package store

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/content"
)

const queryURL = "query:words"

// followQuery has an account follow the query of these tests.
func followQuery(t testing.TB, s *Store, account tidings.AccountID) {
	t.Helper()
	if _, _, err := s.Subscribe(t.Context(), account,
		Subscription{URL: queryURL, Kind: tidings.KindQuery, Title: "Words", Privacy: tidings.Unlisted}); err != nil {
		t.Fatal(err)
	}
}

// selectStory has the query select a story of a channel.
func selectStory(t testing.TB, s *Store, from string, st story) {
	t.Helper()
	c := document(t, s, queryURL, st)
	c.Partial, c.Title = true, "Words"
	for i := range c.Items {
		c.Items[i].Source = &tidings.Source{URL: from}
	}
	record(t, s, content.Record{URL: queryURL, Health: tidings.HealthGood, Change: c})
}

// counts returns how many items are unread in the sum over an account's channels, each once.
func counts(t testing.TB, s *Store, account tidings.AccountID) (sum int, of map[string]int) {
	t.Helper()
	all, err := s.Channels(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	of = make(map[string]int)
	for _, f := range all {
		of[f.URL] = f.Unread
		sum += f.Unread
	}
	doubled, err := s.Twins.Doubled(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range doubled {
		sum -= d.Unread
	}
	return sum, of
}

// listed returns the texts that a query lists, in each order that there is; they must not differ.
func listed(t testing.TB, s *Store, account tidings.AccountID, q tidings.EntryQuery) (texts []string) {
	t.Helper()
	for i, orders := range []tidings.EntryQuery{{}, {ByDate: true}, {Rising: true}, {ByDate: true, Rising: true}} {
		q.ByDate, q.Rising, q.Limit = orders.ByDate, orders.Rising, tidings.MaxLimit
		entries, err := s.Entries(t.Context(), account, q)
		if err != nil {
			t.Fatal(err)
		}
		var now []string
		for _, e := range entries {
			now = append(now, e.Channel+" "+e.Content.ID)
		}
		slices.Sort(now)
		if i == 0 {
			texts = now
		}
		if q.Unread && !slices.Equal(texts, now) {
			t.Errorf("%+v lists %q, and in another order %q", q, now, texts)
		}
	}
	return texts
}

func mustList(t testing.TB, s *Store, account tidings.AccountID, q tidings.EntryQuery, want ...string) {
	t.Helper()
	if got := listed(t, s, account, q); !slices.Equal(got, want) {
		t.Errorf("%+v of account %d lists %q, not %q", q, account, got, want)
	}
}

// If a followed query selects an item that its channel brings, too, the item is shown once, with both labels, and
// counts once. To read it in one place is to read it in both. An account that follows one of the two sees that one.
func TestAnItemOfTwoChannelsIsShownOnce(t *testing.T) {
	s := newStore(t)
	if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann := addPerson(t, s, "ann", tidings.Reader)
	follow(t, s, feedURL)
	followQuery(t, s, tidings.Owner)
	followQuery(t, s, ann)
	publish(t, s, feedURL, story{"one", "text"}, story{"two", "text"})
	selectStory(t, s, feedURL, story{"one", "text"})
	one, two, copied := feedURL+" one", feedURL+" two", queryURL+" one"

	mustList(t, s, tidings.Owner, tidings.EntryQuery{}, one, two)
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Unread: true}, one, two)
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Channel: queryURL, Unread: true}, copied)
	mustList(t, s, ann, tidings.EntryQuery{}, copied)
	mustList(t, s, ann, tidings.EntryQuery{Unread: true}, copied)
	if got := titles(river(t, s, tidings.EntryQuery{Search: "text"})); got != "one two" && got != "two one" {
		t.Errorf("a search finds %q", got)
	}
	if sum, of := counts(t, s, tidings.Owner); sum != 2 || of[feedURL] != 2 || of[queryURL] != 1 {
		t.Errorf("unread: %d, %v", sum, of)
	}
	if sum, _ := counts(t, s, ann); sum != 1 {
		t.Errorf("unread to Ann: %d", sum)
	}
	for _, e := range river(t, s, tidings.EntryQuery{}) {
		want := []tidings.ChannelLabel{{Channel: queryURL, Label: "Words"}}
		if e.Content.ID == "two" {
			want = nil
		}
		if !slices.Equal(e.Also, want) {
			t.Errorf("%s stands also in %v", e.Content.ID, e.Also)
		}
	}
	// In a folder without the channel, the query's item stands.
	change(t, s, queryURL, tidings.ChannelChange{Folder: new("queries")})
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Folder: "queries", Unread: true}, copied)
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Folder: "queries"}, copied)
	change(t, s, feedURL, tidings.ChannelChange{Folder: new("queries/all")})
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Folder: "queries", Unread: true}, one, two)
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Folder: "queries"}, one, two)

	for _, read := range []bool{true, false} {
		for _, where := range []string{queryURL, feedURL} {
			e := river(t, s, tidings.EntryQuery{Channel: where, Search: "one"})
			if err := s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{e[0].Item}, read); err != nil {
				t.Fatal(err)
			}
			want := map[bool]int{true: 1, false: 2}[read]
			if sum, of := counts(t, s, tidings.Owner); sum != want || of[feedURL] != want || of[queryURL] != want-1 {
				t.Errorf("marked read (%v) in %s: unread %d, %v", read, where, sum, of)
			}
			if err := s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{e[0].Item}, !read); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sum, _ := counts(t, s, ann); sum != 1 {
		t.Errorf("what another reads is read to Ann: %d unread", sum)
	}
	if _, err := s.MarkAllRead(t.Context(), tidings.Owner, tidings.EntryQuery{}, 1<<40); err != nil {
		t.Fatal(err)
	}
	if sum, of := counts(t, s, tidings.Owner); sum != 0 || of[queryURL] != 0 {
		t.Errorf("after all is marked read: %d, %v", sum, of)
	}
	// It changes: unread again in both, and once.
	publish(t, s, feedURL, story{"one", "more"}, story{"two", "text"})
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Unread: true}, one)
	selectStory(t, s, feedURL, story{"one", "more"})
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Unread: true}, one)
	if sum, of := counts(t, s, tidings.Owner); sum != 1 || of[queryURL] != 1 {
		t.Errorf("after it has changed: %d, %v", sum, of)
	}
	// Without its channel it is the query's.
	if _, err := s.Unsubscribe(t.Context(), tidings.Owner, feedURL); err != nil {
		t.Fatal(err)
	}
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Unread: true}, copied)
	if sum, _ := counts(t, s, tidings.Owner); sum != 1 {
		t.Errorf("without the channel: %d unread", sum)
	}
	mustBeSoundNow(t, s)
}

// A query may select an item before its channel brings it, and may be read before.
func TestACopyMayComeFirst(t *testing.T) {
	s := newStore(t)
	followQuery(t, s, tidings.Owner)
	selectStory(t, s, feedURL, story{"one", "text"})
	follow(t, s, feedURL)
	e := river(t, s, tidings.EntryQuery{})
	if err := s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{e[0].Item}, true); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"one", "text"}, story{"two", "text"})
	mustList(t, s, tidings.Owner, tidings.EntryQuery{Unread: true}, feedURL+" two")
	mustList(t, s, tidings.Owner, tidings.EntryQuery{}, feedURL+" one", feedURL+" two")
	mustBeSoundNow(t, s)
}

// Whatever people do, what Unread lists is as many as the counts say, and the counts are those that the rows give.
func TestTwinsCountOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := mustOpen(t, Config{Dir: dataDir(t)})
		if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
			t.Fatal(err)
		}
		people := []tidings.AccountID{tidings.Owner, addPerson(t, s, "ann", tidings.Reader)}
		revisions := make(map[string]int)
		st := func(id string) story { return story{id, fmt.Sprint("text ", id, revisions[id])} }
		followed := func(who tidings.AccountID, url string) bool {
			_, err := s.Channel(t.Context(), who, url)
			return err == nil
		}
		watched := func(url string) bool { return followed(people[0], url) || followed(people[1], url) }
		followQuery(t, s, people[0])
		follow(t, s, feedURL)
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			who := rapid.SampledFrom(people).Draw(rt, "who")
			id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "story")
			url := rapid.SampledFrom([]string{feedURL, queryURL}).Draw(rt, "channel")
			switch rapid.SampledFrom([]string{"publish", "select", "revise", "mark", "mark", "all", "follow",
				"unfollow"}).Draw(rt, "step") {
			case "publish":
				if watched(feedURL) {
					publish(t, s, feedURL, st(id))
				}
			case "select":
				if watched(queryURL) {
					selectStory(t, s, feedURL, st(id))
				}
			case "revise":
				revisions[id]++
			case "mark":
				entries, err := s.Entries(t.Context(), who, tidings.EntryQuery{})
				if err != nil {
					t.Fatal(err)
				}
				if len(entries) > 0 {
					e := rapid.SampledFrom(entries).Draw(rt, "entry")
					if err := s.Reader.MarkRead(t.Context(), who, []int64{e.Item}, !e.Read); err != nil {
						t.Fatal(err)
					}
				}
			case "all":
				if _, err := s.MarkAllRead(t.Context(), who, tidings.EntryQuery{}, 1<<40); err != nil {
					t.Fatal(err)
				}
			case "follow":
				if url == queryURL {
					followQuery(t, s, who)
				} else if _, _, err := s.Subscribe(t.Context(), who,
					Subscription{URL: url, Privacy: tidings.Public}); err != nil {
					t.Fatal(err)
				}
			case "unfollow":
				if followed(who, url) {
					if _, err := s.Unsubscribe(t.Context(), who, url); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, p := range people {
				sum, _ := counts(t, s, p)
				if got := listed(t, s, p, tidings.EntryQuery{Unread: true}); len(got) != sum {
					rt.Fatalf("to account %d %d are unread, and listed are %q", p, sum, got)
				}
			}
		}
		mustBeSoundNow(t, s)
	})
}
