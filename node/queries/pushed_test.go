package queries

import (
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// pushed is an item that the holder of a key has pushed, which says that it is a feed's publisher.
func pushed(t testing.TB, url, key string, number uint64, s story) Event {
	t.Helper()
	return signed(event(t, url, number, []story{s}, nil), key)
}

// killed is the version of a news item that its agency kills, pushed with a key.
func killed(t testing.TB, url, key string, number uint64) Event {
	t.Helper()
	doc, err := source.Parse([]byte(`{"uri": "urn:agency:4", "version": "2", "pubstatus": "canceled", "type": "text"}`),
		"application/json", url, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	set := &changeset.Set{Kind: tidings.KindFeed, Title: "The Paper"}
	for _, i := range feed.Match(nil, doc) {
		set.Items = append(set.Items, feed.Carried{FoundItem: i, Whole: true})
	}
	payload, err := set.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return signed(Event{Channel: url, Version: number, Payload: payload, Found: time.Now()}, key)
}

func signed(e Event, key string) Event {
	e.Hash, e.FoundBy, e.ConfirmedBy, e.Signed, e.Pushed = [32]byte{}, "", nil, key, true
	return e
}

// Pushed items are selected once their feed has named the key, and once altogether if an item is polled as well. A
// revision of an item is selected too, and an older version that comes late changes nothing. What others sign is not,
// and feeds are not read for what no query selects.
func TestPushedItemsAreSelected(t *testing.T) {
	d := newDesk(t)
	goals := d.follow("headline LIKE '%goal%'")
	bring := func(events ...Event) {
		for _, e := range events {
			d.q.arrived(e)
		}
		d.work()
		d.q.keys.running.Wait()
		d.work()
	}
	bring(
		pushed(t, paper, namedKey, 1, story{"1", "Goal", "t"}),
		pushed(t, paper, "a thief's", 1, story{"2", "Goal that never was", "t"}),
		pushed(t, paper, "another's", 7, story{"3", "Rain", "t"}),
		killed(t, other, "another's", 8),
	)
	d.expect(goals, paper+" 1 new Goal")
	if asked := slices.Sorted(slices.Values(d.asked)); !slices.Equal(asked, []string{"a thief's", namedKey}) {
		t.Errorf("feeds were read for the keys %q", asked)
	}
	bring(event(t, paper, 100, []story{{"1", "Goal", "t"}}, nil))
	bring(pushed(t, paper, namedKey, 3, story{"1", "Goal!", "t"}),
		pushed(t, paper, namedKey, 2, story{"1", "Goal?", "t"}))
	d.expect(goals, paper+" 1 new Goal", paper+" 1 changed Goal!")
	if len(d.asked) != 2 {
		t.Errorf("feeds were read %d times", len(d.asked))
	}
	updates, err := d.store.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Channel: goals, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range updates {
		if u.SignedBy != namedKey || u.FoundBy != "" || u.ThirdParty || u.Items[0].Source.URL != paper {
			t.Errorf("it is told as %+v", u)
		}
	}
}
