package node

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/proxy"
	"tidings/lab/newsboat"
	"tidings/lab/origin"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/publish"
	"tidings/source/announce"
	"tidings/source/feed"
	"tidings/view"
)

// An unmodified newsboat follows a feed and a page through a real node.
func TestNewsboatHearsThroughANode(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	if err := o.AddFeed("feed", origin.MakeFeed(9, 3, 2000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := o.Add("page", historyOf(pageOf("tea 2.50"), pageOf("tea 2.60")), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n, client := startNode(t)
	var feeds []string
	for _, name := range []string{"feed", "page"} {
		if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + name}); err != nil {
			t.Fatal(err)
		}
		feeds = append(feeds, proxy.FeedURL(n.URL(), base+name))
	}
	boat := newsboat.Launch(t, feeds...)
	boat.Command("reload")
	if got := boat.Titles(); len(got) != 4 {
		t.Errorf("newsboat has %q, want three items and the page's first version", got)
	}
	for _, name := range []string{"feed", "page"} {
		if _, err := o.Step(name); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Poll(t.Context(), base+name); err != nil {
			t.Fatal(err)
		}
	}
	boat.Command("reload")
	got := boat.Titles()
	changed := slices.ContainsFunc(got, func(title string) bool {
		return strings.HasPrefix(title, "A page: ") && strings.Contains(title, "1 line added")
	})
	if len(got) != 6 || !changed {
		t.Errorf("after a change of each newsboat has %q", got)
	}
}

// One node publishes an item from a feed's file, and it is pushed to another node. An unmodified newsboat that reads
// that node's proxy shows it, without a request to the origin.
func TestNewsboatShowsAPushedItem(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for seconds until the publisher's numbers are checked")
	}
	t.Parallel()
	w := pollTogether(t, 2, time.Hour)
	key := mustKey(t, w.nodes[0], "me")
	url := w.base + "feed"
	push, err := announce.Snippet(feed.RSS, feed.Announcement{
		Topic:       feedtree.TopicOf(engine.ID(tidings.IDOf(url)), key.Fingerprint),
		Fingerprint: key.Fingerprint, Silence: publish.UsualSilence,
	})
	if err != nil {
		t.Fatal(err)
	}
	old := rssOf(push, entry("old", "Old", "o"))
	if err := w.origin.AddStatic("feed", "application/rss+xml", []byte(old), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "feed.xml")
	writeFile(t, file, old)
	order := view.PublishOrder{Source: file, Channel: url, Watch: true}
	if issued, err := w.nodes[0].Publish(t.Context(), order); err != nil || !issued.Announced {
		t.Fatalf("%+v, %v", issued, err)
	}
	w.follow(1, url)
	w.awaitPush(1, url, tidings.PushGood)
	boat := newsboat.Launch(t, proxy.FeedURL(w.nodes[1].URL(), url))
	boat.Command("reload")
	if got := boat.Titles(); !slices.Equal(got, []string{"Old"}) {
		t.Errorf("newsboat has %q", got)
	}
	asked := len(w.origin.Requests("feed"))
	writeFile(t, file, rssOf(push, entry("new", "Pushed", "n"), entry("old", "Old", "o")))
	if u := w.awaitItem(1, "new"); u.SignedBy != key.Fingerprint.String() {
		t.Errorf("signed by %q", u.SignedBy)
	}
	boat.Command("reload")
	if got := boat.Titles(); !slices.Equal(got, []string{"Old", "Pushed"}) {
		t.Errorf("after the push newsboat has %q", got)
	}
	if n := len(w.origin.Requests("feed")) - asked; n > 0 {
		t.Errorf("the origin was asked %d times", n)
	}
}
