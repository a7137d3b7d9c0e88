package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
)

// hostile 15: entries and updates stand in the order in which they arrived, whatever
// their origin claims of its time; what it claims is kept as it is.
func TestHostile15OrderOfArrival(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	claims := []time.Time{at(2026), at(1970), at(2099), {}, at(1), at(9999), time.Unix(0, 0).UTC(), at(2026), at(2025)}
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	follow(t, s, feedURL)
	follow(t, s, channelURL(1))
	var arrived []string // the newest first
	var updates []int64
	for n, claim := range claims {
		f := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: everything, Found: claim, OriginChanged: claim}
		// Two items a document, with dates against its order and with equal ones.
		for i, date := range []time.Time{claim, claims[(n*5+1)%len(claims)]} {
			id := fmt.Sprint(n, "-", i)
			f.Items = append(f.Items, tidings.FoundItem{Mark: markOf(id, id), Item: tidings.Item{
				ID: id, Title: id, Content: "<p>word</p>", Published: date, Updated: date, Change: tidings.New}})
		}
		u := record(t, s, content.Record{URL: []string{feedURL, channelURL(1)}[n%2], Change: f})
		updates = append(updates, u.ID)
		arrived = append([]string{u.Items[0].ID, u.Items[1].ID}, arrived...)
	}

	for name, q := range map[string]tidings.EntryQuery{"all": {}, "unread": {Unread: true},
		"search": {Search: "word"}} {
		got := river(t, s, q)
		var ids []string
		for _, e := range got {
			ids = append(ids, e.Content.ID)
			var n, i int
			if _, err := fmt.Sscanf(e.Content.ID, "%d-%d", &n, &i); err != nil {
				t.Fatal(err)
			}
			want := claims[n]
			if i == 1 {
				want = claims[(n*5+1)%len(claims)]
			}
			if !e.Content.Published.Equal(want) || !e.Content.Updated.Equal(want) {
				t.Errorf("%s: entry %s is dated %v and %v, its origin claims %v", name, e.Content.ID,
					e.Content.Published, e.Content.Updated, want)
			}
		}
		if !slices.Equal(ids, arrived) {
			t.Errorf("%s: entries %v, arrived %v", name, ids, arrived)
		}
		if !slices.IsSortedFunc(got, func(a, b tidings.Entry) int {
			return int(b.ID-a.ID) + b.Received.Compare(a.Received)
		}) {
			t.Errorf("%s: numbers or times of arrival do not fall", name)
		}
	}
	all, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for n, u := range all {
		ids = append(ids, u.ID)
		if !u.Time.Equal(claims[n]) || !u.OriginChanged.Equal(claims[n]) {
			t.Errorf("update %d: found %v, changed %v, claimed %v", u.ID, u.Time, u.OriginChanged, claims[n])
		}
	}
	if !slices.Equal(ids, updates) || !slices.IsSorted(updates) {
		t.Errorf("updates %v, arrived %v", ids, updates)
	}
	// Since selects by the time of arrival, not by the claimed date.
	since, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Since: all[4].Received})
	if err != nil || len(since) != len(all)-4 || since[0].ID != all[4].ID {
		t.Errorf("since the fifth: %d updates, %v", len(since), err)
	}
}
