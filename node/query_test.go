package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/view"
)

// followQuery has a node follow a query, and returns the URL of its channel.
func (w *together) followQuery(i int, text string) string {
	w.t.Helper()
	f, err := w.client(i).Subscribe(w.t.Context(), tidings.SubscribeRequest{Query: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return f.URL
}

// selected returns the items that a channel, such as a query's, has reported at a node, the oldest first.
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
		return err == nil && slices.ContainsFunc(zone.Rows, func(r view.ZoneRow) bool {
			filter := r.Attributes["filter"]
			return r.Issuer == w.nodes[of].id && r.Kind == view.ZoneMember && filter != "" &&
				!strings.HasPrefix(filter, "0 of")
		})
	})
}

// A node that follows only a query gets items of a channel that others follow, each once. One channel has few enough
// subscribers for direct versions; another's versions go down the zones.
func TestQueriesSelectFromTheNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("ten whole nodes")
	}
	for subscribers, directUpTo := range map[string]int{"few": 16, "many": 1} {
		t.Run(subscribers, func(t *testing.T) {
			t.Parallel()
			w := pollTogether(t, 5, 2*time.Second, func(c *Config) {
				c.Router, c.DirectUpTo = router.NewsWire, directUpTo
			})
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
					s, err := w.nodes[0].CoopStatus(t.Context())
					return err == nil && s.ByTrees == 1
				})
			}
			w.awaitFilter(4, 3)
			for range 3 {
				w.everywhere(name, 0, 1, 2)
			}
			latest := url + " " + w.latestItem(0)
			await(t, "the items of three changes come to who follows a query alone", func() bool {
				items := w.selected(3, query)
				return len(items) >= 3 &&
					slices.ContainsFunc(items, func(i tidings.Item) bool { return i.ID == latest })
			})
			items := w.selected(3, query)
			ids := make(map[string]bool)
			for _, item := range items {
				if ids[item.ID] || item.Change != tidings.New {
					t.Errorf("%s came twice, or as %q", item.ID, item.Change)
				}
				ids[item.ID] = true
				if item.Source == nil || item.Source.URL != url || item.Source.Title == "" || item.URL == "" ||
					item.Content+item.Summary == "" {
					t.Errorf("an item came as %+v", item)
				}
			}
			if others := w.selected(3, none); len(others) > 0 {
				t.Errorf("a query that selects nothing has %d items", len(others))
			}
			if all, err := w.client(3).Channels(t.Context()); err != nil || len(all) != 2 ||
				slices.ContainsFunc(all, func(f tidings.Subscription) bool {
					return f.Kind != tidings.KindQuery || f.Health != tidings.HealthGood || !f.Last.Next.IsZero()
				}) {
				t.Errorf("the node follows %+v, %v", all, err)
			}
			if subscribers == "many" {
				return
			}
			w.nodes[3].stop()
			w.nodes[3].start()
			w.nodes[3].awaitRing()
			before := len(w.selected(3, query))
			await(t, "items come after a new start as well", func() bool {
				w.everywhere(name, 0, 1, 2)
				return len(w.selected(3, query)) > before
			})
		})
	}
}

// A node that follows a channel and a query that selects from it gets its items there once, though they come by the
// network too.
func TestQueriesSelectOnceWhateverTheWay(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 3, 2*time.Second, func(c *Config) { c.Router, c.DirectUpTo = router.NewsWire, 1 })
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

// A query's items from nodes that people here distrust are not shown. Nor is what the owners of one channel report of
// another. A query cannot be polled, or named to others.
func TestQueriesOfOneNode(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour, func(c *Config) { c.Router = router.NewsWire })
	n := w.nodes[0]
	all := w.followQuery(0, "headline IS NOT NULL")
	check, err := w.client(0).CheckQuery(t.Context(), "headline IS NOT NULL")
	if err != nil || !check.Wide || !check.Network {
		t.Errorf("the check says %+v, %v", check, err)
	}
	if _, err := w.client(0).Poll(t.Context(), all); err == nil ||
		!strings.Contains(err.Error(), "no address of its own") {
		t.Errorf("a check of a query: %v", err)
	}
	public := tidings.Public
	if _, err := w.client(0).Change(t.Context(), all, tidings.ChannelChange{Privacy: &public}); err == nil {
		t.Error("a query can be made public")
	}

	doc, err := feed.Parse(
		[]byte(`<rss version="2.0"><channel><title>T</title><item><guid>1</guid><title>A title</title></item></channel></rss>`), "", "https://x.example/", feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	p := &changeset.Set{Kind: tidings.KindFeed, Title: "T"}
	for _, i := range feed.Match(nil, doc) {
		p.Items = append(p.Items, feed.Carried{FoundItem: i, Whole: true})
	}
	payload, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	liar, honest := engine.IDOf([]byte("liar")), engine.IDOf([]byte("honest"))
	if _, err := n.SetRepublisher(t.Context(), liar.String(), tidings.Distrusted); err != nil {
		t.Fatal(err)
	}
	bring := func(channel, url string, by engine.ID) {
		u := &corona.Update{Channel: engine.ID(tidings.IDOf(channel)), URL: url, Version: 1,
			Hash: tidings.ContentHash(p.Marks()), Payload: payload, FoundBy: by, FoundAt: time.Now().UnixMilli()}
		u.Seal.Given = []byte{1}
		zonesHost{host{n.Node}, n.queries}.Brought(u)
	}
	bring("https://liar.example/feed", "https://liar.example/feed", liar)
	bring("https://honest.example/feed", "https://other.example/feed", honest)
	bring("https://honest.example", "https://honest.example", honest)
	bring("https://honest.example/feed", "https://honest.example/feed", honest)
	await(t, "what an honest node has found is shown", func() bool { return len(w.selected(0, all)) > 0 })
	if items := w.selected(0, all); len(items) != 1 || items[0].ID != "https://honest.example/feed 1" {
		t.Errorf("shown is %+v", items)
	}
	updates, err := w.client(0).Updates(t.Context(), tidings.UpdateQuery{Channel: all})
	if err != nil || updates[0].FoundBy != honest.String() {
		t.Errorf("found by %s, %v", updates[0].FoundBy, err)
	}
}
