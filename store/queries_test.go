package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/shared"
)

// What queries select from are the updates of public feeds, in both orders; a query's own channel keeps its kind, is
// never watched, and cannot be what it is not.
func TestPublicUpdatesAndQueries(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	const private, page = "https://example.org/private", "https://example.org/page"
	query, zone := tidings.QueryURL("urgency < 3"), tidings.ZoneURL("/eu")
	subscribe := func(n Subscription) {
		t.Helper()
		if _, _, err := s.Subscribe(ctx, tidings.Owner, n); err != nil {
			t.Fatal(err)
		}
	}
	subscribe(Subscription{URL: feedURL, Privacy: tidings.Public})
	subscribe(Subscription{URL: private, Privacy: tidings.Unlisted})
	subscribe(Subscription{URL: page, Privacy: tidings.Public})
	subscribe(Subscription{URL: query, Kind: tidings.KindQuery, Title: "urgency < 3", Privacy: tidings.Unlisted})
	subscribe(Subscription{URL: zone, Kind: tidings.KindZone, Title: "Zone /eu", Privacy: tidings.Unlisted})
	for _, bad := range []Subscription{
		{URL: query, Privacy: tidings.Unlisted}, {URL: query, Kind: tidings.KindQuery, Privacy: tidings.Public},
		{URL: feedURL, Kind: tidings.KindQuery, Privacy: tidings.Unlisted},
		{URL: query, Kind: tidings.KindZone, Privacy: tidings.Unlisted},
		{URL: zone, Privacy: tidings.Unlisted}, {URL: zone, Kind: tidings.KindQuery, Privacy: tidings.Unlisted},
		{URL: zone, Kind: tidings.KindZone, Privacy: tidings.Public},
	} {
		if _, _, err := s.Subscribe(ctx, tidings.Owner, bad); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	source := &tidings.Source{URL: feedURL, Title: "T"}
	take := func(url, title string) {
		t.Helper()
		mark := tidings.ItemIdentity{ID: uint64(len(title)), Print: 1}
		_, upTo, err := s.Content.KnownLike(ctx, url, []tidings.ItemIdentity{mark})
		if err != nil {
			t.Fatal(err)
		}
		f := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: upTo, Partial: true, Found: time.Now(),
			Items: []tidings.FoundItem{{Item: tidings.Item{ID: title, Title: title, Change: tidings.New,
				Source: source}, Mark: mark}}}
		if _, err := apply(ctx, s, Remote{Version: shared.Version{URL: url}, Change: f}); err != nil {
			t.Fatal(err)
		}
	}
	for i, url := range []string{feedURL, private, query, feedURL, feedURL, zone} {
		take(url, "item"+string(rune('0'+i))+"12345"[:i])
	}
	titles := func(q content.PublicQuery) (all []string) {
		t.Helper()
		updates, err := s.Content.PublicUpdates(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range updates {
			all = append(all, u.Items[0].Title)
		}
		return all
	}
	for _, test := range []struct {
		q    content.PublicQuery
		want []string
	}{
		{content.PublicQuery{}, []string{"item0", "item3123", "item41234"}},
		{content.PublicQuery{Newest: true}, []string{"item41234", "item3123", "item0"}},
		{content.PublicQuery{After: 1}, []string{"item3123", "item41234"}},
		{content.PublicQuery{After: 1, Limit: 1}, []string{"item3123"}},
		{content.PublicQuery{Before: 5, Newest: true, Limit: 1}, []string{"item3123"}},
		{content.PublicQuery{Since: time.Now().Add(time.Hour)}, nil},
	} {
		if got := titles(test.q); !slices.Equal(got, test.want) {
			t.Errorf("%+v gives %q, want %q", test.q, got, test.want)
		}
	}
	for url, kind := range map[string]tidings.Kind{query: tidings.KindQuery, zone: tidings.KindZone} {
		f, err := s.Channel(ctx, tidings.Owner, url)
		if err != nil || f.Kind != kind || f.Health != tidings.HealthGood || f.Version != 1 {
			t.Errorf("the channel of a %s is %+v, %v", kind, f, err)
		}
	}
	if entries, err := s.Entries(ctx, tidings.Owner, tidings.EntryQuery{Channel: query}); err != nil ||
		len(entries) != 1 ||
		entries[0].Kind != tidings.KindFeed || entries[0].Content.Source == nil ||
		*entries[0].Content.Source != *source {
		t.Errorf("its entries are %+v, %v", entries, err)
	}
	watches, err := s.Content.Watches(ctx)
	if err != nil || len(watches) != 3 ||
		slices.ContainsFunc(watches, func(w content.Watch) bool { return w.URL == query || w.URL == zone }) {
		t.Errorf("watched are %d channels, %v", len(watches), err)
	}
	if urls, err := s.Content.Followed(ctx, tidings.KindQuery, tidings.KindZone); err != nil ||
		!slices.Equal(urls, []string{query, zone}) {
		t.Errorf("queries are %q, %v", urls, err)
	}
	if _, err := s.Unsubscribe(ctx, tidings.Owner, query); err != nil {
		t.Fatal(err)
	}
	if urls, err := s.Content.Followed(ctx, tidings.KindQuery, tidings.KindZone); err != nil ||
		!slices.Equal(urls, []string{zone}) {
		t.Errorf("queries are %q, %v", urls, err)
	}
}
