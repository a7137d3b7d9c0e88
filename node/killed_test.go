package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/view"
)

// secret is in every version of the item that is killed.
const secret = "SECRETTEXT"

// lendings returns the numbers of the items of a feed that a node gives to requesters. It fails the test if a version
// of the killed item is among them.
func (a announced) lendings(i int, from, to uint64) (numbers []uint64) {
	a.t.Helper()
	items, err := a.nodes[i].pushes.Lend(a.t.Context(), a.topic, from, to, 16)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, item := range items {
		numbers = append(numbers, item.Number)
		if strings.Contains(string(item.Entry), secret) {
			a.t.Errorf("node %d gives item %d, which was killed", i, item.Number)
		}
	}
	return numbers
}

// shownNothing fails the test if a node shows something of a killed item, or keeps it for others.
func (a announced) shownNothing(i int) {
	a.t.Helper()
	n := a.nodes[i]
	if strings.Contains(everywhere(a.t, n.Node, n.client, a.url), secret) {
		a.t.Errorf("node %d shows what was killed", i)
	}
	await(a.t, "the archive is read to its end", func() bool {
		_, err := n.client.Older(a.t.Context(), a.url, view.ArchiveQuery{Since: time.Unix(1, 0)},
			func(x view.Archived) error {
				if strings.Contains(fmt.Sprintf("%+v", x), secret) {
					a.t.Errorf("node %d shows item %d of the archive, which was killed", i, x.Number)
				}
				return nil
			})
		if err != nil && !strings.Contains(err.Error(), "do not answer") { // as nodes on a busy machine do not
			a.t.Fatal(err)
		}
		return err == nil
	})
}

// After a kill no node that has it gives an earlier version of the item to another node: neither the publisher's node
// nor a follower's. That holds for a node that catches up, begins to follow, or follows again, for any router, and for
// queries. A node that requests an earlier version gets the kill, and lacks nothing then.
func TestNobodyLendsWhatWasKilled(t *testing.T) {
	t.Parallel()
	for _, r := range []router.RouterName{router.Scribe, router.Rappel, router.SpiderCast, router.NewsWire} {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			const publisher, reader, away, late = 3, 0, 1, 2
			w := pollTogether(t, 4, time.Hour, func(c *Config) { c.Router = r })
			a := w.announce(publisher, "feed") // number 1
			for _, i := range []int{reader, away} {
				w.follow(i, a.url)
				w.awaitPush(i, a.url, tidings.PushGood)
			}
			news := func(guid, text string, version int, status tidings.NewsStatus) {
				t.Helper()
				e := tidings.PublishedEntry{ID: guid, Title: text, Text: text,
					News: &tidings.News{GUID: guid, Version: version, Status: status}}
				if _, err := w.client(publisher).PublishEntry(t.Context(), a.url, "me", e); err != nil {
					t.Fatal(err)
				}
			}
			has := func(i int, up uint64) {
				t.Helper()
				await(t, fmt.Sprintf("node %d has all items", i), func() bool {
					pin, err := w.nodes[i].store.Pushed.PinOf(t.Context(), a.url)
					return err == nil && pin.Have == up
				})
			}
			news("urn:bad", secret, 1, tidings.Usable)      // 2
			news("urn:good", "GOODTEXT", 1, tidings.Usable) // 3
			news("urn:bad", secret+" 2", 2, tidings.Usable) // 4
			has(away, 4)
			w.nodes[away].stop()
			news("urn:bad", "", 3, tidings.Canceled) // 5
			news("urn:last", "LAST", 1, tidings.Usable)
			has(reader, 6)
			w.nodes[away].start()
			has(away, 6)
			w.follow(late, a.url)
			has(late, 6)
			if _, err := w.client(reader).Unsubscribe(t.Context(), a.url); err != nil {
				t.Fatal(err)
			}
			w.follow(reader, a.url)
			has(reader, 6)
			query := w.followQuery(reader, "publisher = '127.0.0.1'")
			for i := range w.nodes {
				for _, number := range []uint64{2, 4} {
					if got := a.lendings(i, number, number); len(got) != 1 || got[0] != 5 {
						t.Errorf("node %d gives %d for item %d", i, got, number)
					}
				}
				if got := fmt.Sprint(a.lendings(i, 2, 0)); got != "[5 3 6]" {
					t.Errorf("node %d gives %s from number 2 on", i, got)
				}
				if i != publisher {
					a.shownNothing(i)
				}
			}
			if got := fmt.Sprintf("%+v", w.selected(reader, query)); strings.Contains(got, secret) {
				t.Errorf("a query selects %s", got)
			}
		})
	}
}

// If a poll finds an item killed before its publisher has pushed that, the node gives it to no other node either.
func TestNobodyLendsWhatAPollFoundKilled(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	s := newSpeaker(t, "wire")
	s.url = w.base + "feed"
	bad := wireItem("urn:bad", secret, tidings.News{Version: 1, Publisher: "Agency"})
	good := wireItem("urn:good", "GOODTEXT", tidings.News{Version: 1, Publisher: "Agency"})
	kill := wireItem("urn:bad", "", tidings.News{Version: 2, Publisher: "Agency", Status: tidings.Canceled})
	old := entry("old", "Old", "o")
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), old), rssOf(s.announcement(), kill, good, old))
	s.joins(w.nodes[0])
	s.speaks()
	w.follow(0, s.url)
	w.awaitPush(0, s.url, tidings.PushGood)
	s.publish(bad, "")
	s.publish(good, "")
	w.awaitItem(0, "urn:bad")
	w.awaitItem(0, "urn:good")
	a := announced{together: w, at: 0, url: s.url, topic: feedtree.TopicOf(engine.ID(tidings.IDOf(s.url)),
		feedtree.KeyOf(s.key).Fingerprint())}
	if items, err := w.nodes[0].pushes.Lend(t.Context(), a.topic, 1, 0, 16); err != nil || len(items) != 2 {
		t.Fatalf("%d items are lent: %v", len(items), err)
	}
	w.step("feed")
	mustPoll(t, w.client(0), s.url)
	if got := fmt.Sprint(a.lendings(0, 1, 0)); got != "[2]" {
		t.Errorf("given is %s", got)
	}
}

// What is killed before another node has it is sent to no node, and leaves no gap.
func TestWhatIsKilledUnsentIsNotSent(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	key := mustKey(t, author, "me")
	news := func(guid, text string, version int, status tidings.NewsStatus) {
		t.Helper()
		e := tidings.PublishedEntry{ID: guid, Title: text, Text: text,
			News: &tidings.News{GUID: guid, Version: version, Status: status}}
		if _, err := author.client.PublishEntry(t.Context(), ownFeed, "me", e); err != nil {
			t.Fatal(err)
		}
	}
	news("urn:bad", secret, 1, tidings.Usable)
	news("urn:good", "GOODTEXT", 1, tidings.Usable)
	news("urn:bad", "", 2, tidings.Canceled)
	reader := newReader(t, author, key.Fingerprint)
	await(t, "the reader has all", func() bool { return reader.status(topicOf(key)).Have == 3 })
	if got := reader.got(t); strings.Contains(got, secret) || !strings.Contains(got, "GOODTEXT") {
		t.Errorf("the reader has %s", got)
	}
	await(t, "nothing is left to be sent", func() bool {
		all, err := author.client.Publications(t.Context())
		return err == nil && len(all) == 1 && all[0].Unsent == 0
	})
}
