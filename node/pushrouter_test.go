package node

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/feed"
	"tidings/view"
)

// announced is a feed that is published by one of the nodes, with a key that its document names.
type announced struct {
	*together
	at    int
	url   string
	topic engine.ID
}

// announce has a node publish a feed; further items of the document are given as texts.
func (w *together) announce(at int, name string, states ...string) announced {
	w.t.Helper()
	key := mustKey(w.t, w.nodes[at], "me")
	a := announced{together: w, at: at, url: w.base + name}
	a.topic = feedtree.TopicOf(engine.ID(tidings.IDOf(a.url)), key.Fingerprint)
	element := fmt.Sprintf(`<tidings:push xmlns:tidings="%s" topic="%x" fingerprint="%s" silence="3600"/>`,
		feed.AnnouncementSpace, a.topic[:], key.Fingerprint)
	documents := []string{rssOf(element, entry("old", "Old", "o"))}
	for _, items := range states {
		documents = append(documents, rssOf(element, items))
	}
	newSpeaker(w.t, "serves").serve(w.origin, w.base, name, documents...)
	a.publish("first")
	return a
}

// publish publishes an item with the same ID and title.
func (a announced) publish(id string) {
	a.t.Helper()
	e := tidings.PublishedEntry{ID: id, Title: id, Summary: id + " in short"}
	if _, err := a.client(a.at).PublishEntry(a.t.Context(), a.url, "me", e); err != nil {
		a.t.Fatal(err)
	}
}

// What a publisher pushes comes to all followers by the network's router, and by no other. A node that was away gets it
// when it is back. With newswire it also comes to each query that selects it, at any node.
func TestPushesTravelByTheNetworksRouter(t *testing.T) {
	t.Parallel()
	for r, kinds := range map[router.RouterName][]string{
		router.Scribe:     {"scribe.Disseminate", "scribe.Publish", "scribe.Missed"},
		router.Rappel:     {"rappel.Update", "rappel.Publish"},
		router.SpiderCast: {"spidercast.Event"},
		router.NewsWire:   {"newswire.Deliver", "newswire.Forward"},
	} {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			const publisher, stranger, readers = 4, 3, 3
			w := pollTogether(t, 5, time.Hour, func(c *Config) { c.Router = r })
			a := w.announce(publisher, "feed")
			for i := range readers {
				w.follow(i, a.url)
			}
			for i := range readers {
				w.awaitPush(i, a.url, tidings.PushGood)
			}
			query := w.followQuery(stranger, "publisher = '127.0.0.1' AND headline LIKE 'n%'")
			none := w.followQuery(stranger, "publisher = '127.0.0.1' AND headline LIKE 'x%'")
			if r == router.NewsWire {
				w.awaitFilter(publisher, stranger)
			}
			for n := range 4 {
				id := fmt.Sprintf("n%d", n)
				a.publish(id)
				for i := range readers {
					w.awaitItem(i, id)
				}
			}
			w.nodes[1].stop()
			a.publish("n4")
			w.awaitItem(0, "n4")
			w.nodes[1].start()
			w.awaitItem(1, "n4")
			for i := range readers {
				for n := range 5 {
					if count := w.timesShown(i, fmt.Sprintf("n%d", n)); count != 1 {
						t.Errorf("node %d was told of item %d %d times", i, n, count)
					}
				}
			}
			await(t, "all items have arrived elsewhere", func() bool {
				unsent, err := w.nodes[publisher].store.Published.Unsent(t.Context(), a.url, "me", 10)
				return err == nil && len(unsent) == 0
			})
			if w.received(readers, kinds...) == 0 {
				t.Errorf("nothing has come by %v", kinds)
			}
			if scribe := w.received(5, "scribe.Disseminate", "scribe.Publish", "scribe.Missed"); r != router.Scribe &&
				scribe > 0 {
				t.Errorf("%d messages of scribe carry something", scribe)
			}
			await(t, "the node says by which router the channel comes", func() bool {
				tree, err := w.client(0).Tree(t.Context(), a.url)
				return err == nil && tree.Router == r.String() && tree.Pushed
			})
			switch {
			case r == router.NewsWire:
				await(t, "the query has all items", func() bool { return len(w.selected(stranger, query)) == 5 })
				updates, err := w.client(stranger).Updates(t.Context(),
					tidings.UpdateQuery{Channel: query, Limit: tidings.MaxLimit})
				for _, u := range updates {
					if len(u.Items) > 0 && (u.SignedBy == "" || u.ThirdParty || u.Items[0].Source.URL != a.url) {
						t.Errorf("selected is %+v, %v", u, err)
					}
				}
			case stranger != w.closestTo(a.topic) && stranger != w.closestTo(a.topic, 1) || r == router.SpiderCast:
				for _, traffic := range w.nodes[stranger].view().Traffic {
					for _, kind := range kinds {
						if r != router.Scribe && traffic.Kind == kind && traffic.Received > 0 {
							t.Errorf("a node that follows nothing has received %d of %s", traffic.Received, kind)
						}
					}
				}
			}
			if others := w.selected(stranger, none); len(others) > 0 {
				t.Errorf("a query that selects nothing has %d items", len(others))
			}
		})
	}
}

// An item that comes by a push and by polls, here and from the network, is selected once, by any router. That holds at
// a node that follows the feed as well, and with newswire at one that does not.
func TestQueriesSelectPushedItemsOnce(t *testing.T) {
	t.Parallel()
	for _, r := range []router.RouterName{router.Scribe, router.NewsWire} {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			const publisher, follower, stranger = 2, 0, 1
			w := pollTogether(t, 3, time.Hour, func(c *Config) { c.Router = r })
			one := `<item><guid>n1</guid><title>n1</title><description>n1 in short</description></item>`
			a := w.announce(publisher, "feed", one)
			w.follow(follower, a.url)
			w.awaitPush(follower, a.url, tidings.PushGood)
			const text = "publisher = '127.0.0.1' AND headline LIKE 'n%'"
			here, there := w.followQuery(follower, text), w.followQuery(stranger, text)
			if r == router.NewsWire {
				w.awaitFilter(publisher, stranger)
			}
			a.publish("n1")
			w.awaitItem(follower, "n1")
			w.step("feed")
			mustPoll(t, w.client(follower), a.url)
			mustPoll(t, w.client(follower), a.url)
			a.publish("n2")
			want := map[string]int{a.url + " n1": 1, a.url + " n2": 1}
			await(t, "the query has the last item", func() bool { return len(w.selected(follower, here)) >= 2 })
			if got := counted(w.selected(follower, here)); !maps.Equal(got, want) {
				t.Errorf("beside the feed the query has %v", got)
			}
			if r == router.NewsWire {
				await(t, "the query elsewhere has the last item", func() bool {
					return len(w.selected(stranger, there)) >= 2
				})
			} else {
				want = map[string]int{}
			}
			if got := counted(w.selected(stranger, there)); !maps.Equal(got, want) {
				t.Errorf("without the feed the query has %v", got)
			}
		})
	}
}

// counted returns how often items stand in a list, by ID.
func counted(items []tidings.Item) map[string]int {
	count := make(map[string]int)
	for _, i := range items {
		count[i.ID]++
	}
	return count
}

// Items of a feed that is not public, or belongs to another, go to its followers without the address: no query
// elsewhere selects them.
func TestWhatIsNotPublicIsNamedToNoQuery(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour, func(c *Config) { c.Router = router.NewsWire })
	a := w.announce(0, "feed")
	n := w.nodes[0]
	named := func(topic engine.ID) string {
		item := &feedtree.Item{Entry: packed(t, a.url, entry("one", "One", "1"), "")}
		url, topics := (zonesHost{host{n.Node}, n.queries}).Published(t.Context(), topic, item, 10)
		if (url == "") != (len(topics) == 0) {
			t.Errorf("%q has the topics %q", url, topics)
		}
		return url
	}
	if got := named(a.topic); got != a.url {
		t.Errorf("a public feed is named %q", got)
	}
	if got := named(engine.PrefixID("ab")); got != "" {
		t.Errorf("a topic of nobody here is named %q", got)
	}
	w.follow(0, a.url)
	if got := named(a.topic); got != a.url {
		t.Errorf("a public feed that is followed is named %q", got)
	}
	unlisted := tidings.Unlisted
	if _, err := w.client(0).Change(t.Context(), a.url, tidings.ChannelChange{Privacy: &unlisted}); err != nil {
		t.Fatal(err)
	}
	if got := named(a.topic); got != "" {
		t.Errorf("a feed that is not public is named %q", got)
	}
}

// A news item that its agency kills is in no archive afterwards, and cannot be read there. Other items stay.
func TestAKilledItemLeavesTheArchive(t *testing.T) {
	t.Parallel()
	const publisher, reader = 2, 0
	w := pollTogether(t, 3, time.Hour)
	a := w.announce(publisher, "feed")
	w.follow(reader, a.url)
	w.awaitPush(reader, a.url, tidings.PushGood)
	news := func(guid, text string, version int, status tidings.NewsStatus) {
		t.Helper()
		e := tidings.PublishedEntry{ID: guid, Title: text, Text: text,
			News: &tidings.News{GUID: guid, Version: version, Status: status}}
		if _, err := w.client(publisher).PublishEntry(t.Context(), a.url, "me", e); err != nil {
			t.Fatal(err)
		}
	}
	news("urn:bad", "SECRETTEXT", 1, tidings.Usable)
	news("urn:good", "GOODTEXT", 1, tidings.Usable)
	kept := func(text string) (copies int) {
		t.Helper()
		for _, n := range w.nodes {
			page, err := n.store.Shared.Archived(t.Context(), nil, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range page {
				item, err := n.store.Shared.ArchivedItem(t.Context(), i.Key)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(item), text) {
					copies++
				}
			}
		}
		return copies
	}
	await(t, "all nodes keep both", func() bool { return kept("SECRETTEXT") == 3 && kept("GOODTEXT") == 3 })
	news("urn:bad", "", 2, tidings.Canceled)
	await(t, "no node keeps what was killed", func() bool { return kept("SECRETTEXT") == 0 })
	if n := kept("GOODTEXT"); n != 3 {
		t.Errorf("%d nodes keep the other item", n)
	}
	shown := ""
	if _, err := w.client(reader).Older(t.Context(), a.url, view.ArchiveQuery{Since: time.Unix(1, 0)},
		func(a view.Archived) error {
			shown += fmt.Sprintf("%+v", a)
			return nil
		}); err != nil {
		t.Error(err)
	}
	if strings.Contains(shown, "SECRETTEXT") || !strings.Contains(shown, "GOODTEXT") {
		t.Errorf("the archive shows %s", shown)
	}
}
