package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	router "tidings/network"
)

// followQuery has a node follow a query, and returns the URL of its channel.
func (w *together) followQuery(i int, text string) string {
	w.t.Helper()
	f, err := w.client(i).Subscribe(w.t.Context(), tidings.Order{Query: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return f.URL
}

// selected returns what a channel, such as a query's, has told at a node, the oldest first.
func (w *together) selected(i int, channel string) (items []tidings.Item) {
	w.t.Helper()
	all, err := w.client(i).Updates(w.t.Context(), tidings.UpdateQuery{Channel: channel, Limit: tidings.MaxLimit})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, u := range all {
		items = append(items, u.Items...)
	}
	return items
}

// awaitFilter waits until a node knows what another one has the zones' router bring.
func (w *together) awaitFilter(at, of int) {
	w.t.Helper()
	await(w.t, "what queries need is known", func() bool {
		zone, err := w.client(at).Zone(w.t.Context(), "")
		return err == nil && slices.ContainsFunc(zone.Rows, func(r tidings.ZoneRow) bool {
			filter := r.Attributes["filter"]
			return r.Issuer == w.nodes[of].id && r.Kind == tidings.ZoneMember && filter != "" && !strings.HasPrefix(filter, "0 of")
		})
	})
}

// A node that follows a query alone gets items of a channel that others follow, each once: of one with so few subscribers that they are sent
// its versions directly, and of one whose versions go down the zones.
func TestQueriesSelectFromTheNetwork(t *testing.T) {
	for subscribers, directUpTo := range map[string]int{"few": 16, "many": 1} {
		t.Run(subscribers, func(t *testing.T) {
			t.Parallel()
			w := lookTogether(t, 5, 2*time.Second, func(c *Config) { c.Router, c.DirectUpTo = router.NewsWire, directUpTo })
			name, url := w.ownedBy(4)
			for i := range 3 {
				w.follow(i, url)
			}
			for i := range 3 {
				w.awaitNumber(i, url)
			}
			query := w.followQuery(3, "publisher = '127.0.0.1'")
			none := w.followQuery(3, "publisher = 'example.org'")
			if subscribers == "many" {
				await(t, "versions come down the zones", func() bool {
					s, err := w.nodes[0].Sharing(t.Context())
					return err == nil && s.ByTrees == 1
				})
			}
			w.awaitFilter(4, 3)
			for range 3 {
				w.everywhere(name, 0, 1, 2)
			}
			latest := url + " " + w.latestItem(0)
			await(t, "the latest item comes to who follows a query alone", func() bool {
				return slices.ContainsFunc(w.selected(3, query), func(i tidings.Item) bool { return i.ID == latest })
			})
			items := w.selected(3, query)
			ids := make(map[string]bool)
			for _, item := range items {
				if ids[item.ID] || item.Change != tidings.New {
					t.Errorf("%s came twice, or as %q", item.ID, item.Change)
				}
				ids[item.ID] = true
				if item.Source == nil || item.Source.URL != url || item.Source.Title == "" || item.URL == "" || item.Content+item.Summary == "" {
					t.Errorf("an item came as %+v", item)
				}
			}
			if len(items) < 3 {
				t.Errorf("%d items came of three changes", len(items))
			}
			if others := w.selected(3, none); len(others) > 0 {
				t.Errorf("a query that selects nothing has %d items", len(others))
			}
			if all, err := w.client(3).Channels(t.Context()); err != nil || len(all) != 2 || slices.ContainsFunc(all, func(f tidings.Followed) bool {
				return f.Kind != tidings.KindQuery || f.Health != tidings.HealthGood || !f.Last.Next.IsZero()
			}) {
				t.Errorf("the node follows %+v, %v", all, err)
			}
		})
	}
}

// Who follows a channel and a query that selects from it gets its items there once, though they come by the network too.
func TestQueriesSelectOnceWhateverTheWay(t *testing.T) {
	t.Parallel()
	w := lookTogether(t, 3, 2*time.Second, func(c *Config) { c.Router, c.DirectUpTo = router.NewsWire, 1 })
	name, url := w.ownedBy(2)
	query := w.followQuery(0, "publisher = '127.0.0.1' AND subject IS NULL OR headline LIKE '%'")
	w.follow(0, url)
	w.follow(1, url)
	w.awaitNumber(0, url)
	for range 4 {
		before := len(w.selected(0, url))
		w.step(name)
		await(t, "the change is shown", func() bool { return len(w.selected(0, url)) > before })
	}
	items := w.selected(0, url)
	latest := url + " " + items[len(items)-1].ID
	await(t, "the latest item is selected", func() bool {
		return slices.ContainsFunc(w.selected(0, query), func(i tidings.Item) bool { return i.ID == latest })
	})
	ids := make(map[string]int)
	for _, item := range w.selected(0, query) {
		ids[item.ID]++
	}
	state, err := w.client(0).State(t.Context(), url, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range state.Items {
		if n := ids[url+" "+item.ID]; n != 1 {
			t.Errorf("%s stands %d times in the query", item.ID, n)
		}
	}
	for id, n := range ids {
		if n > 1 || strings.Contains(id, "query:") {
			t.Errorf("%s stands there %d times", id, n)
		}
	}
}
