package node

import (
	"fmt"
	"testing"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/feed"
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
	element := fmt.Sprintf(`<tidings:push xmlns:tidings="%s" topic="%x" fingerprint="%s" silence="3600"/>`, feed.AnnouncementSpace, a.topic[:], key.Fingerprint)
	documents := []string{rssOf(element, entry("old", "Old", "o"))}
	for _, items := range states {
		documents = append(documents, rssOf(element, items))
	}
	newSpeaker(w.t, "serves").serve(w.origin, w.base, name, documents...)
	a.publish("first")
	return a
}

// publish publishes an item whose ID is also its title.
func (a announced) publish(id string) {
	a.t.Helper()
	e := tidings.PublishedEntry{ID: id, Title: id, HTML: "<p>" + id + " in full</p>"}
	if _, err := a.client(a.at).PublishEntry(a.t.Context(), a.url, "me", e); err != nil {
		a.t.Fatal(err)
	}
}

// What a publisher pushes comes to all who follow it by the router of the network, and by no other; to a node that was away when it is
// back; and with newswire to each query that selects it, at whatever node.
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
					if count := w.tellings(i, fmt.Sprintf("n%d", n)); count != 1 {
						t.Errorf("node %d was told of item %d %d times", i, n, count)
					}
				}
			}
			await(t, "all items have arrived elsewhere", func() bool {
				unsent, err := w.nodes[publisher].store.Unsent(t.Context(), a.url, "me", 10)
				return err == nil && len(unsent) == 0
			})
			if w.received(readers, kinds...) == 0 {
				t.Errorf("nothing has come by %v", kinds)
			}
			if scribe := w.received(5, "scribe.Disseminate", "scribe.Publish", "scribe.Missed"); r != router.Scribe && scribe > 0 {
				t.Errorf("%d messages of scribe carry something", scribe)
			}
			tree, err := w.client(0).Tree(t.Context(), a.url)
			if err != nil || tree.Router != r.String() || !tree.Pushed {
				t.Errorf("the way of the channel is %+v, %v", tree, err)
			}
			switch {
			case r == router.NewsWire:
				await(t, "the query has all items", func() bool { return len(w.selected(stranger, query)) == 5 })
				updates, err := w.client(stranger).Updates(t.Context(), tidings.UpdateQuery{Channel: query, Limit: tidings.MaxLimit})
				for _, u := range updates {
					if len(u.Items) > 0 && (u.SignedBy == "" || u.ThirdParty || u.Items[0].Source.URL != a.url) {
						t.Errorf("selected is %+v, %v", u, err)
					}
				}
			case stranger != w.closestTo(a.topic) || r == router.SpiderCast:
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
