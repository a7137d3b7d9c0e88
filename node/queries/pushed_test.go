package queries

import (
	"slices"
	"testing"

	"tidings"
	"tidings/source/changeset"
)

// pushed is an item that the holder of a key has pushed, which says that it is a feed's publisher.
func pushed(t testing.TB, url, key string, number uint64, s story, news *tidings.News) Event {
	t.Helper()
	e := event(t, paper, number, []story{s}, func(set *changeset.Set) { set.Items[0].News = news })
	e.Hash, e.FoundBy, e.ConfirmedBy, e.Signed, e.Pushed = [32]byte{}, "", nil, key, true
	return e
}

// What publishers push is selected once its feed has named the key, and once altogether if the item is polled as
// well; a revision of it too, and an older version that comes late changes nothing. What others sign is not, and
// feeds are not read for what no query selects.
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
		pushed(t, paper, namedKey, 1, story{"1", "Goal", "t"}, nil),
		pushed(t, paper, "a thief's", 1, story{"2", "Goal that never was", "t"}, nil),
		pushed(t, paper, "another's", 7, story{"3", "Rain", "t"}, nil),
		pushed(t, other, "another's", 8, story{"4", "Old news", "t"}, &tidings.News{GUID: "4", Version: 2, Status: tidings.Canceled}),
	)
	d.expect(goals, paper+" 1 new Goal")
	if asked := slices.Sorted(slices.Values(d.asked)); !slices.Equal(asked, []string{"a thief's", namedKey}) {
		t.Errorf("feeds were read for the keys %q", asked)
	}
	bring(event(t, paper, 100, []story{{"1", "Goal", "t"}}, nil))
	bring(pushed(t, paper, namedKey, 3, story{"1", "Goal!", "t"}, nil), pushed(t, paper, namedKey, 2, story{"1", "Goal?", "t"}, nil))
	d.expect(goals, paper+" 1 new Goal", paper+" 1 changed Goal!")
	if len(d.asked) != 2 {
		t.Errorf("feeds were read %d times", len(d.asked))
	}
	updates, err := d.store.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Channel: goals, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range updates {
		if u.SignedBy != namedKey || u.FoundBy != "" || u.ThirdParty || u.Items[0].Source.URL != paper {
			t.Errorf("it is told as %+v", u)
		}
	}
}
